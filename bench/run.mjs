// npm run bench [-- --peers DIR] [--notes 1000,10000] [--write]
// Measures Quire beside bare Node and beside peers installed with npm in DIR, all in one run and in turns,
// so that a busy machine is busy for everyone. --write puts the tables into docs/performance.md.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchClient } from './client.mjs';
import { availableServers } from './servers.mjs';
import { makeVault } from './vault.mjs';

const SPAWNS = 15;
const READS = 200;
const EDITS = 60;
const SEARCHES = 5;
const BARE = `process.stdin.once('data', () => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\\n')); process.stdin.on('end', () => process.exit())`;

const { values: options } = parseArgs({
  options: {
    peers: { type: 'string' },
    notes: { type: 'string', default: '1000,10000' },
    write: { type: 'boolean', default: false },
  },
});
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const servers = availableServers(options.peers);
const tables = [];
for (const count of options.notes.split(',').map(Number)) tables.push(await measure(count));
const report = tables.join('\n\n');
process.stdout.write(`${report}\n`);
if (options.write) await writeReport(report);

async function measure(count) {
  const vault = await mkdtemp(join(tmpdir(), 'quire-bench-'));
  try {
    const { pathOf } = await makeVault(vault, count);
    const start = await measureStart(vault);
    const work = await measureWork(vault, pathOf, count);
    return table(count, start, work);
  } finally {
    await rm(vault, { recursive: true, force: true });
  }
}

async function measureStart(vault) {
  const runs = new Map([['bare Node', []], ...servers.map(({ name }) => [name, []])]);
  const memory = new Map();
  for (let round = 0; round < SPAWNS; round++) {
    const bare = await BenchClient.start(process.execPath, ['--input-type=module', '-e', BARE]);
    runs.get('bare Node').push(bare.milliseconds);
    await bare.client.stop();
    for (const { name, command, script, args } of servers) {
      const { client, milliseconds } = await BenchClient.start(command, [script, ...args(vault)]);
      runs.get(name).push(milliseconds);
      await client.request('tools/list', {});
      memory.set(name, [...(memory.get(name) ?? []), client.memory()]);
      await client.stop();
    }
  }
  return { runs, memory };
}

async function measureWork(vault, pathOf, count) {
  const results = new Map(servers.map(({ name }) => [name, { read: [], edit: [], search: [] }]));
  const running = [];
  for (const server of servers)
    running.push({
      ...server,
      ...(await BenchClient.start(server.command, [server.script, ...server.args(vault)])),
    });
  const text = (at) =>
    `# Edited\n\nMARK ${at} end\n\n${'Some more text that does not change.\n'.repeat(500)}`;
  for (const { name, client, write } of running)
    await client.call(write(`edited by ${name}.md`, text(0), vault));
  for (let at = 0; at < READS; at++) {
    const path = pathOf(Math.floor((at * count) / READS));
    for (const { name, client, read } of running)
      results.get(name).read.push(await client.call(read(path, vault)));
  }
  for (let at = 0; at < EDITS; at++) {
    for (const { name, client, edit } of running) {
      if (edit)
        results
          .get(name)
          .edit.push(
            await client.call(edit(`edited by ${name}.md`, `MARK ${at} end`, `MARK ${at + 1} end`, vault)),
          );
    }
  }
  for (let at = 0; at < SEARCHES; at++) {
    for (const { name, client, search } of running)
      if (search) results.get(name).search.push(await client.call(search('karo mi')));
  }
  for (const { client } of running) await client.stop();
  return results;
}

function table(count, { runs, memory }, work) {
  const quire = (pick) => pick('quire');
  const cell = (value, base) =>
    value === undefined ? '–' : `${value.toFixed(value < 10 ? 2 : 0)} (${(value / base).toFixed(2)}x)`;
  const names = ['bare Node', ...servers.map(({ name }) => name)];
  const rows = [
    ['spawn to `initialize`, ms', (name) => median(runs.get(name))],
    ['memory after start, MB', (name) => (memory.has(name) ? median(memory.get(name)) : undefined)],
    ['read a note, ms', (name) => median(work.get(name)?.read ?? [])],
    ['edit a 19 KB note, ms', (name) => median(work.get(name)?.edit ?? [])],
    ['search, ms', (name) => median(work.get(name)?.search ?? [])],
  ];
  const lines = rows.map(
    ([label, pick]) => `| ${label} | ${names.map((name) => cell(pick(name), quire(pick))).join(' | ')} |`,
  );
  const head = `| ${count.toLocaleString('en')} notes | ${names.join(' | ')} |\n| --- |${' --- |'.repeat(names.length)}`;
  return `${head}\n${lines.join('\n')}`;
}

async function writeReport(text) {
  const file = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
  const page = await readFile(file, 'utf8');
  await writeFile(
    file,
    page.replace(
      /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/,
      (_, open, close) => `${open}${text}\n${close}`,
    ),
  );
}
