// How long a server takes to start, and to read, edit and search notes.
import { join } from 'node:path';
import { launch, withRunning } from './launch.mjs';
import { median } from './median.mjs';
import { ratioTable } from './table.mjs';
import { inTemporaryFolder, removedAfter } from './temporary.mjs';
import { inTurns } from './turns.mjs';

const SPAWNS = 15;
const READS = 200;
const EDITS = 60;
const SEARCHES = 5;
const ANSWER_ONCE = `process.stdin.once('data', () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n')); process.stdin.on('end', () => process.exit())`;
const BARE_NODE = {
  name: 'bare Node',
  command: process.execPath,
  args: () => ['--input-type=module', '-e', ANSWER_ONCE],
};

/** The table of those servers that can also write. */
export async function measureWork(vault, { pathOf, count }, servers) {
  const able = servers.filter(({ write }) => write);
  return inTemporaryFolder(async (homes) => {
    const start = await measureStart(vault, able, homes);
    const work = await measureCalls(vault, { pathOf, count }, able, homes);
    const names = [BARE_NODE, ...able].map(({ name }) => name);
    return tableOf(count, names, { ...start, ...work });
  });
}

async function measureStart(vault, servers, homes) {
  const starts = await inTurns([BARE_NODE, ...servers], { rounds: SPAWNS }, async (server) => {
    const { client, milliseconds } = await launch(server, vault, homes);
    try {
      if (server === BARE_NODE) return { milliseconds };
      await client.request('tools/list', {});
      return { milliseconds, memory: client.memory() };
    } finally {
      await client.stop(server.stopMs);
    }
  });
  return { start: pluck(starts, 'milliseconds'), memory: pluck(starts, 'memory') };
}

function measureCalls(vault, { pathOf, count }, servers, homes) {
  const edited = ({ name }) => `edited by ${name}.md`;
  const leavings = servers.map((server) => join(vault, edited(server)));
  const measure = async (running) => {
    const able = (what) => running.filter((server) => server[what]);
    await inTurns(running, { rounds: 1 }, (server) =>
      server.client.call(server.write(edited(server), textWithMark(0), vault)),
    );
    return {
      read: await inTurns(running, { rounds: READS }, ({ client, read }, round) =>
        client.call(read(pathOf(Math.floor((round * count) / READS)), vault)),
      ),
      edit: await inTurns(able('edit'), { rounds: EDITS }, (server, round) =>
        server.client.call(server.edit(edited(server), markLine(round), markLine(round + 1), vault)),
      ),
      search: await inTurns(able('search'), { rounds: SEARCHES }, ({ client, search }) =>
        client.call(search('karo mi')),
      ),
    };
  };
  return removedAfter(leavings, () => withRunning(servers, vault, homes, measure));
}

const markLine = (at) => `MARK ${at} end`;

function textWithMark(at) {
  return `# Edited\n\n${markLine(at)}\n\n${'Some more text that does not change.\n'.repeat(500)}`;
}

function pluck(results, field) {
  const values = (list) => list.map((result) => result[field]).filter((value) => value !== undefined);
  return new Map([...results].map(([name, list]) => [name, values(list)]));
}

function tableOf(count, names, { start, memory, read, edit, search }) {
  const medianIn = (results) => (name) => median(results.get(name) ?? []);
  return ratioTable(`${count.toLocaleString('en')} notes`, names, [
    ['spawn to `initialize`, ms', medianIn(start)],
    ['memory after start, MB', medianIn(memory)],
    ['read a note, ms', medianIn(read)],
    ['edit a 19 KB note, ms', medianIn(edit)],
    ['search, ms', medianIn(search)],
  ]);
}
