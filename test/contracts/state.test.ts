import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/shared/log.ts';
import { openFileState } from '../../src/state/file.ts';
import { createEntries, openMemoryState, type StateStore } from '../../src/state/memory.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { testStateContract } from './state.ts';

const JOURNAL = 'state.jsonl';
const WRITER = fileURLToPath(new URL('./state-writer.ts', import.meta.url));

/** A program of its own: it has to die without taking the test along. */
async function builtWriter(): Promise<string> {
  const outfile = join(await temporaryFolder(), 'writer.mjs');
  await build({ entryPoints: [WRITER], bundle: true, platform: 'node', format: 'esm', outfile });
  return outfile;
}

async function opened(folder: string, options: { log?: typeof silentLog; now?: () => number } = {}) {
  const state = await openFileState(folder, { log: silentLog, heartbeatMs: 20, ...options });
  onTestFinished(() => state.close().catch(() => {}));
  return state;
}

function recorded() {
  const lines: { level: string; message: string; fields?: Record<string, unknown> }[] = [];
  const log = (level: string, message: string, fields?: Record<string, unknown>) =>
    void lines.push({ level, message, ...(fields && { fields }) });
  return { lines, log };
}

async function contents(state: StateStore): Promise<Record<string, unknown>> {
  const keys = await state.list('');
  return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await state.get(key)] as const)));
}

describe('state in memory', () => {
  testStateContract(async (clock) => openMemoryState({ now: () => clock.now }));

  it('does not keep what has expired, however much comes', () => {
    let now = 0;
    const entries = createEntries(() => now);
    for (let at = 0; at < 5_000; at++) {
      entries.set(`k:${at}`, { text: String(at), expiresAt: now + 1_000 });
      now += 100;
    }
    expect(entries.keys('')).toHaveLength(9);
    expect(entries.size).toBeLessThan(102);
  });
});

describe('state in a folder', () => {
  testStateContract(async (clock) => opened(await temporaryFolder(), { now: () => clock.now }));

  it('is there again after a restart, with what is left of each time', async () => {
    const folder = await temporaryFolder();
    let now = 1_000;
    const first = await opened(folder, { now: () => now });
    await first.put('ever', { a: 1 });
    await first.put('short', 1, 10);
    await first.put('long', 2, 100);
    await first.put('gone', 3);
    await first.delete('gone');
    await first.close();
    now += 20_000;
    expect(await contents(await opened(folder, { now: () => now }))).toEqual({ ever: { a: 1 }, long: 2 });
  });

  it('is readable by its owner alone, also where it was not', async () => {
    const folder = join(await temporaryFolder(), 'made/by/us');
    const first = await opened(folder);
    await first.put('k', 1);
    const modes = async () =>
      Promise.all([folder, join(folder, JOURNAL)].map(async (path) => (await stat(path)).mode & 0o777));
    expect(await modes()).toEqual([0o700, 0o600]);
    expect((await stat(join(folder, 'lock'))).mode & 0o777).toBe(0o600);
    await first.close();
    await chmod(folder, 0o755);
    await chmod(join(folder, JOURNAL), 0o644);
    const { lines, log } = recorded();
    await opened(folder, { log });
    expect(await modes()).toEqual([0o700, 0o600]);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });

  it('refuses a second opener in the same process, in plain words, and lets it in afterwards', async () => {
    const folder = await temporaryFolder();
    const first = await opened(folder);
    await expect(opened(folder)).rejects.toMatchObject({
      code: 'conflict',
      title: 'The state folder is in use',
      subject: `process ${process.pid}`,
    });
    await first.close();
    await opened(folder);
  });

  it('takes over from a process that is gone, or whose process id another one has now', async () => {
    const folder = await temporaryFolder();
    const first = await opened(folder);
    const lock = JSON.parse(await readFile(join(folder, 'lock'), 'utf8')) as Record<string, unknown>;
    await first.close();
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    for (const owner of [
      { ...lock, pid: gone.pid },
      { ...lock, pid: process.pid, mark: 'of an earlier life' },
      ...(process.platform === 'linux' ? [{ ...lock, pid: process.ppid, started: '1' }] : []),
    ]) {
      await writeFile(join(folder, 'lock'), JSON.stringify(owner));
      const state = await opened(folder);
      await state.put('k', 1);
      await state.close();
    }
  });

  it('watches the heartbeat of a lock from another machine', async () => {
    const folder = await temporaryFolder();
    const lock = join(folder, 'lock');
    const elsewhere = JSON.stringify({ pid: 1, place: 'elsewhere', mark: 'm' });
    await writeFile(lock, elsewhere);
    let seconds = 1;
    const beat = setInterval(() => void utimes(lock, ++seconds, seconds).catch(() => {}), 10);
    await expect(opened(folder)).rejects.toMatchObject({ subject: 'another machine or container' });
    clearInterval(beat);
    await sleep(30);
    await opened(folder);
  });

  it('takes over a lock that was never written to its end', async () => {
    const folder = await temporaryFolder({ lock: '{"pid":' });
    await opened(folder);
  });

  it('writes nothing more once another process has taken over', async () => {
    const folder = await temporaryFolder();
    const state = await opened(folder);
    await state.put('k', 1);
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: 1, place: 'elsewhere', mark: 'm' }));
    await expect(state.put('k', 2)).rejects.toMatchObject({ code: 'conflict' });
    expect(await readFile(join(folder, JOURNAL), 'utf8')).not.toContain('"value":2');
  });

  it('drops a last line that a crash cut short, and goes on', async () => {
    const folder = await temporaryFolder();
    const first = await opened(folder);
    await first.put('a', 1);
    await first.put('b', 2);
    await first.close();
    const journal = join(folder, JOURNAL);
    const { size } = await stat(journal);
    for (const cut of [1, 5, 17]) {
      const before = await readFile(journal);
      await truncate(journal, size - cut);
      const { lines, log } = recorded();
      const state = await opened(folder, { log });
      expect(await contents(state)).toEqual({ a: 1 });
      expect(lines).toMatchObject([{ level: 'info', message: expect.stringContaining('cut short') }]);
      await state.put('c', 3);
      await state.close();
      const again = await opened(folder);
      expect(await contents(again)).toEqual({ a: 1, c: 3 });
      await again.close();
      await writeFile(journal, before);
    }
  });

  it('reports lines it cannot read, keeps the rest, and keeps the file as it was found', async () => {
    const folder = await temporaryFolder();
    const first = await opened(folder);
    for (const key of ['a', 'b', 'c']) await first.put(key, key);
    await first.close();
    const journal = join(folder, JOURNAL);
    const lines = (await readFile(journal, 'utf8')).split('\n');
    lines[2] = `${lines[2]!.slice(0, 9)}\u0000\u0000`;
    lines.splice(3, 0, '[]', '{"key":5,"value":1}', 'null', '{"key":"x"}');
    await writeFile(journal, lines.join('\n'));
    const seen = recorded();
    const state = await opened(folder, { log: seen.log });
    expect(await contents(state)).toEqual({ a: 'a', c: 'c' });
    expect(seen.lines).toMatchObject([{ level: 'error', fields: { count: 5, lines: [3, 4, 5, 6, 7] } }]);
    const aside = String(seen.lines[0]?.fields?.keptAs);
    expect(await readFile(join(folder, aside), 'utf8')).toBe(lines.join('\n'));
    await state.close();
    const quiet = recorded();
    await opened(folder, { log: quiet.log });
    expect(quiet.lines).toEqual([]);
  });

  it('refuses a journal of another format and leaves it alone', async () => {
    const text = '{"format":"quire state 9"}\n{"new":"things"}\n';
    const folder = await temporaryFolder({ [JOURNAL]: text });
    await expect(opened(folder)).rejects.toMatchObject({ code: 'unsupported' });
    expect(await readFile(join(folder, JOURNAL), 'utf8')).toBe(text);
    expect(await readdir(folder)).toEqual([JOURNAL]);
  });

  it('makes the file anew when most of it is outdated, and loses nothing by it', async () => {
    const folder = await temporaryFolder();
    const state = await opened(folder);
    await state.put('still', 'here');
    for (let round = 0; round < 30; round++)
      await Promise.all(Array.from({ length: 100 }, (_, at) => state.put(`k:${at % 50}`, round)));
    const lines = (await readFile(join(folder, JOURNAL), 'utf8')).trimEnd().split('\n');
    expect(lines.length).toBeLessThan(1_200);
    await state.close();
    const again = await opened(folder);
    expect(await again.get('still')).toBe('here');
    expect(await again.get('k:49')).toBe(29);
    expect(await again.list('')).toHaveLength(51);
    expect((await readdir(folder)).sort()).toEqual(['lock', JOURNAL]);
  });

  it('removes the new file a crash kept from its place', async () => {
    const folder = await temporaryFolder({ [`${JOURNAL}.abc.new`]: 'half' });
    await opened(folder);
    expect((await readdir(folder)).sort()).toEqual(['lock', JOURNAL]);
  });

  it('says so when the disk refuses, and makes good once it does not', async () => {
    const folder = await temporaryFolder();
    const seen = recorded();
    const state = await opened(folder, { log: seen.log });
    await state.put('a', 1);
    const lock = await readFile(join(folder, 'lock'));
    await writeFile(join(folder, 'lock'), 'x');
    await expect(state.put('b', 2)).rejects.toMatchObject({ code: 'conflict' });
    expect(seen.lines).toMatchObject([{ level: 'error', message: 'the state could not be written' }]);
    await writeFile(join(folder, 'lock'), lock);
    await state.put('c', 3);
    await state.close();
    expect(await contents(await opened(folder))).toEqual({ a: 1, b: 2, c: 3 });
  });

  it('refuses to be used after it was closed', async () => {
    const state = await opened(await temporaryFolder());
    await state.close();
    await expect(state.put('k', 1)).rejects.toMatchObject({ title: 'The state is closed' });
  });

  it('has everything it acknowledged after kill -9, whenever that comes', async () => {
    const folder = await temporaryFolder();
    const program = await builtWriter();
    for (const [round, ms] of [15, 60, 150, 400].entries()) {
      const writer = spawn(process.execPath, [program, folder, `${round}`]);
      const acknowledged: string[] = [];
      const lines = createInterface({ input: writer.stdout });
      lines.on('line', (line) => acknowledged.push(line));
      while (acknowledged.length < 2) await once(lines, 'line');
      await sleep(ms);
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      const state = await opened(folder);
      const keys = new Set(await state.list(''));
      const { length } = acknowledged;
      expect(length).toBeGreaterThan(1);
      // Whole lines only: the kill may cut the last one.
      const lost = acknowledged.slice(0, -1).filter((key) => key.startsWith(`${round}:`) && !keys.has(key));
      expect(lost).toEqual([]);
      await state.close();
    }
  });

  it('is not confused by a crash right after the heading', async () => {
    const folder = await temporaryFolder();
    await (await opened(folder)).close();
    await appendFile(join(folder, JOURNAL), '{"key":"half');
    expect(await contents(await opened(folder))).toEqual({});
  });
});
