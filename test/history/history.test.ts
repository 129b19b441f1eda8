import { execFile, spawn } from 'node:child_process';
import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { hashOf } from '../../src/history/text-pack.ts';
import { inspectorOf } from '../../src/stores/wrap/recorded.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { busyDay, bytes, filesOf, historyIn, ORIGIN, openFolder, path, record, undoing } from './kit.ts';

const run = promisify(execFile);
const DAY_MS = 86_400_000;
let writer = '';

beforeAll(async () => {
  const folder = process.env.QUIRE_TEST_CACHES ?? '/tmp';
  writer = join(folder, `history-writer-${process.pid}.mjs`);
  const source = fileURLToPath(new URL('./writer.ts', import.meta.url));
  await build({ entryPoints: [source], bundle: true, platform: 'node', format: 'esm', outfile: writer });
  return () => rm(writer, { force: true });
});

test('its folder and files are for their owner alone, and stay so', async () => {
  const folder = join(await temporaryFolder(), 'state/history');
  const history = historyIn(folder, { segmentBytes: 500 });
  for (let n = 0; n < 5; n++) await record(history, 'a.md', { after: bytes(`${n}`.repeat(200)) });
  await history.close();
  const modeOf = async (file: string) => (await stat(file)).mode & 0o777;
  expect(await modeOf(folder)).toBe(0o700);
  for (const name of await readdir(folder))
    expect([name, await modeOf(join(folder, name))]).toEqual([name, 0o600]);
  await chmod(folder, 0o755);
  const again = historyIn(folder);
  await record(again, 'a.md', { after: bytes('x') });
  expect(await modeOf(folder)).toBe(0o700);
});

test('processes that write one notebook at a time lose no change, and each can be undone', async () => {
  const [notes, folder] = [await temporaryFolder(), await temporaryFolder()];
  const writers = await Promise.all(
    ['a', 'b', 'c'].map((name) => run(process.execPath, [writer, notes, folder, name, '20'])),
  );
  const lines = writers.flatMap(({ stdout }) => stdout.trim().split('\n'));
  expect(lines).toHaveLength(60);
  const acknowledged = lines.filter((line) => !line.startsWith('refused'));
  const history = historyIn(folder);
  const changes = await history.list({}, 500);
  expect(new Set(changes.map(({ id }) => id))).toEqual(new Set(acknowledged));
  const { conflicts } = await undoing(history, await openFolder(notes), changes);
  expect(conflicts).toEqual([]);
  expect((await (await openFolder(notes)).list()).length).toBe(0);
});

test('short processes go on with one segment, and a new one is begun each day', async () => {
  let now = Date.UTC(2026, 0, 1);
  const folder = await temporaryFolder();
  for (let n = 0; n < 20; n++) {
    const history = historyIn(folder, { now: () => now });
    await record(history, `${n}.md`, { after: bytes(`${n}`) });
    await history.close();
    now += 3_600_000;
  }
  expect(filesOf(folder, '.changes').length).toBeLessThanOrEqual(2);
  expect(filesOf(folder, '.lock')).toEqual([]);
  const history = historyIn(folder, { now: () => now });
  expect(await history.list()).toHaveLength(20);
  const segments = new Set<string>();
  for (let day = 0; day < 3; day++, now += DAY_MS + 1) {
    await record(history, 'a.md', { after: bytes(`day ${day}`) });
    for (const file of filesOf(folder, '.changes')) segments.add(file);
  }
  expect(segments.size).toBeGreaterThanOrEqual(3);
});

test('edits of other calls that are open when a segment is full are recorded as well', async () => {
  const history = historyIn(await temporaryFolder(), { segmentBytes: 1_000 });
  const slow = history.record(ORIGIN);
  const edit = await slow.begin({ kind: 'create', path: 'slow.md' }, { after: bytes('slow') });
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => record(history, `${n}.md`, { after: bytes(`${n}`.repeat(300)) })),
  );
  await edit.done();
  expect((await history.change(slow.id!))?.edits[0]).toMatchObject({ state: 'done' });
  const changes = await history.list({}, 100);
  expect(changes).toHaveLength(41);
  for (const { edits } of changes) expect(await history.text(edits[0]!.after!)).toBeDefined();
});

test('a busy day stays within the limit, and what is left of it is whole', () => busyDay(5_000));

test('a limit smaller than a usual segment is kept too', async () => {
  const history = historyIn(await temporaryFolder(), { maxBytes: 200_000 });
  for (let n = 0; n < 300; n++) {
    const noise = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (n * 31 + at * at * 17) % 251));
    await record(history, 'a.md', { after: noise });
  }
  await history.close();
  expect(await history.size()).toBeLessThanOrEqual(200_000);
  expect((await history.list({}, 500)).length).toBeGreaterThan(10);
});

test('a place that cannot be written to refuses the change, before anything is changed', async () => {
  const notes = await temporaryFolder({ 'a.md': 'old', state: 'a file where the folder should be' });
  const history = historyIn(join(notes, 'state/history'));
  await expect(record(history, 'a.md', { before: bytes('old'), after: bytes('new') })).rejects.toMatchObject({
    code: 'internal',
    title: 'The change cannot be recorded, so it was not made',
    hint: expect.stringContaining('history.required'),
  });
  await rm(join(notes, 'state'));
  // There is room again: the next change is recorded.
  expect(await record(history, 'a.md', { before: bytes('old'), after: bytes('new') })).toMatch(/^\w{16}$/);
});

test('a full disk refuses changes and leaves no torn record; with room again all goes on', async () => {
  const [notes, folder] = [await temporaryFolder(), await temporaryFolder()];
  // At most 8 blocks of 1 KB per file: the history is full soon, the notes are small.
  const child = spawn(
    'bash',
    ['-c', `ulimit -f 8; exec "$0" "$@"`, process.execPath, writer, notes, folder, 'w', '300'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await new Promise((resolve) => child.on('exit', resolve));
  const lines = out.trim().split('\n');
  const acknowledged = lines.filter((line) => /^\w{16}$/.test(line));
  const refused = lines.filter((line) => line.startsWith('refused'));
  expect(lines).toHaveLength(300);
  expect(acknowledged.length).toBeGreaterThan(3);
  expect(refused.length).toBeGreaterThan(3);
  for (const line of refused) expect(line).toContain('cannot be recorded, so it was not made');
  const store = await openFolder(notes);
  const history = historyIn(folder);
  await history.recover(inspectorOf(store));
  const changes = await history.list({}, 1_000);
  expect(new Set(changes.map(({ id }) => id))).toEqual(new Set(acknowledged));
  for (const n of [0, 1, 2, 3, 4]) {
    const [last] = await history.list({ path: `w/${n}.md` }, 1);
    expect(last!.edits[0]!.after).toBe(hashOf((await store.read(path(`w/${n}.md`))).bytes));
  }
  const { conflicts } = await undoing(history, store, changes);
  expect(conflicts).toEqual([]);
  expect(await store.list()).toEqual([]);
});

test('no lock or empty file is left by attempts that failed', async () => {
  const folder = await temporaryFolder();
  const history = historyIn(folder);
  // A folder where the pack should be, for whatever name the segment gets, cannot be arranged: take the place away.
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  for (let n = 0; n < 3; n++) await record(history, 'a.md', { after: bytes('x') }).catch(() => {});
  await rm(folder);
  await record(history, 'a.md', { after: bytes('x') });
  await history.close();
  expect((await readdir(folder)).map((name) => name.replace(/^\w+/, '')).sort()).toEqual([
    '.changes',
    '.index',
    '.texts',
  ]);
});
