// Calls of a notebook and of another server while a malicious one does its worst, through a real client over stdio.
// node bench/plane-load.mjs [kind...] prints the figures as JSON.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { median } from './median.mjs';
import { serverEntry, UNCONFINED } from './plane-entry.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';

const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url));
const BINARY = fileAt('../dist/quire.cjs');
const [ECHO, HEAVY] = [fileAt('plane-server.mjs'), fileAt('../test/governance/servers/heavy.mjs')];
const MIN_MS = 500;
/** A changed list is announced once in a second. */
const MIN_LIST_MS = 1_200;
const MAX_MS = 8_000;
const MAX_LIST_MS = 30_000;
const COMPARING_MS = 1_500;
const PAUSE_MS = 5;

/** What the malicious server does, in words. */
export const KINDS = {
  hostile: 'a result of 880 KB that is slow to scan',
  hidden: 'a result of 380,000 hidden characters',
  texts: 'a result of 3,900 hostile texts',
  structured: 'a structured result of 16,000 values',
  long: 'a result of 1 MiB',
  escaped: 'a result of 1 MB of escapes',
  too_long: 'a result of 1.9 MiB, refused',
  names: 'a result of 7,800 names',
  too_many_names: 'a result of 100,000 names, refused',
  too_many_values: 'a result of 300,000 values, refused',
  faulty: 'a result of 14,000 faulty parts, refused',
  links: 'a result of 450 links',
  deep: 'a result 400,000 levels deep, refused',
  lists: '25,000 announcements of a changed list',
  logs: '25,000 log messages',
  long_logs: '2,000 hostile log messages of 15 KB',
  long_lines: '500 lines of 64 KB',
  progress: '25,000 messages of progress',
  answers: '10,000 answers nobody asked for',
  requests: '25,000 requests',
  large_tool: 'a definition of 4,500 values',
  changing: '1,500 new definitions',
  hostile_tools: '30 hostile definitions of 50 KB',
  faulty_tools: '7,000 faulty definitions, refused',
  huge_tools: '500 definitions of 100 KB, refused',
};
const COUNTS = { long_logs: 2_000, long_lines: 500, answers: 10_000 };
/** Those that announce a list which is new. */
const NEW_LISTS = ['changing', 'hostile_tools', 'large_tool', 'faulty_tools', 'huge_tools'];

/** A new list is measured in a process of its own: what a server has offered before counts at the next one. */
export async function measureLoad(folder, kinds = Object.keys(KINDS)) {
  const others = kinds.filter((kind) => !NEW_LISTS.includes(kind));
  const first = await measureIn(join(folder, 'others'), others);
  const rows = new Map(first.rows.map((row) => [row.kind, row]));
  for (const kind of kinds.filter((one) => NEW_LISTS.includes(one)))
    for (const row of (await measureIn(join(folder, kind), [kind])).rows) rows.set(kind, row);
  return { idle: first.idle, rows: kinds.map((kind) => rows.get(kind)) };
}

async function measureIn(folder, kinds) {
  const { client, delays, listings } = await started(folder);
  const call = (name, args) => client.callTool({ name, arguments: args }, { timeout: 120_000 });
  const other = () => call('other__get_echo', { text: 'hello' });
  const note = () => call('read_note', { path: 'a.md' });
  try {
    for (let at = 0; at < 100; at++) await Promise.all([other(), note()]);
    const idle = await during(new Promise((resolve) => setTimeout(resolve, MIN_LIST_MS)), {
      other,
      note,
      delays,
    });
    const rows = [];
    for (const kind of kinds) {
      const attack = call('heavy__get_heavy', { kind, count: COUNTS[kind] }).catch((error) => error);
      const pagesRead = NEW_LISTS.includes(kind) ? () => listings(kind) : undefined;
      const leastMs = kind === 'lists' ? MIN_LIST_MS : MIN_MS;
      rows.push({ kind, ...(await during(attack, { other, note, delays, leastMs, pagesRead })) });
      await call('heavy__get_heavy', { kind: 'usual' }).catch(() => undefined);
    }
    return { idle, rows };
  } finally {
    await client.close();
  }
}

/**
 * Calls in turns while the work goes on, and then for a while. A list is read after the call that announced it: it must
 * have been, and is compared in the time after that.
 */
async function during(work, { other, note, delays, leastMs = MIN_MS, pagesRead }) {
  const begun = Date.now();
  let isOver = false;
  let tookMs;
  void work.then(() => {
    isOver = true;
    tookMs = Date.now() - begun;
  });
  const times = { other: [], note: [] };
  const elapsed = () => Date.now() - begun;
  let pages = 0;
  let until = begun + leastMs;
  while (Date.now() < until || (!isOver && elapsed() < MAX_MS)) {
    times.other.push(await timed(other));
    times.note.push(await timed(note));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (!pagesRead || pages > 0 || elapsed() > MAX_LIST_MS) continue;
    pages = await pagesRead();
    until = Date.now() + COMPARING_MS;
  }
  if (pagesRead && pages === 0) throw new Error('the list that was announced was never read');
  await work;
  await new Promise((resolve) => setTimeout(resolve, 150));
  return {
    tookMs,
    pages: await pagesRead?.(),
    heldMs: Math.max(0, ...(await delays(begun))),
    other: summaryOf(times.other),
    note: summaryOf(times.note),
  };
}

function summaryOf(times) {
  return { p50: rounded(median(times)), max: rounded(Math.max(...times)), calls: times.length };
}

const rounded = (value) => Math.round(value * 10) / 10;

async function timed(work) {
  const begun = performance.now();
  const answer = await work();
  if (answer.isError) throw new Error(`a call failed: ${JSON.stringify(answer.content).slice(0, 300)}`);
  return performance.now() - begun;
}

async function started(folder) {
  await mkdir(join(folder, 'notes'), { recursive: true });
  await writeFile(join(folder, 'notes/a.md'), '# A\n\nSome words.\n');
  const serverOf = (name, file) => ({ ...serverEntry(name, file), expose: true });
  const file = join(folder, 'quire.yaml');
  const listed = join(folder, 'listings.txt');
  const plane = {
    mcp_limits: { calls_per_minute: 100_000, request_timeout_ms: 120_000 },
    mcp_sandbox: UNCONFINED,
    mcp_servers: [serverOf('other', ECHO), { ...serverOf('heavy', HEAVY), env: { HEAVY_LISTINGS: listed } }],
  };
  await writeFile(
    file,
    JSON.stringify({ notebooks: { personal: { folder: './notes' } }, control_plane: plane }),
  );
  const log = join(folder, 'delays.txt');
  await writeFile(log, '');
  await writeFile(listed, '');
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--require', fileAt('loop-delay.cjs'), BINARY, '--config', file],
      env: { ...process.env, HOME: folder, LOOP_DELAY_FILE: log },
      stderr: 'ignore',
    }),
  );
  const delays = async (since) =>
    (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
      .filter(([at]) => at >= since)
      .map(([, ms]) => ms);
  /** The pages of a kind of list that were asked for so far. */
  const listings = async (kind) =>
    (await readFile(listed, 'utf8')).split('\n').filter((one) => one === kind).length;
  return { client, delays, listings };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  exitWhenInterrupted();
  const kinds = process.argv.slice(2);
  await inTemporaryFolder(async (folder) => {
    const figures = await measureLoad(folder, kinds.length > 0 ? kinds : undefined);
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  });
}
