/** The sealed end of the audit log: who can write the state folder alone can neither cut the log nor rewrite it unseen. */
import { cp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAudit, verifyAuditExport } from '../../src/governance/audit/audit.ts';
import type { Decider } from '../../src/governance/decider.ts';
import { openAnchor } from '../../src/state/chain-anchor.ts';
import { hashOf } from '../../src/state/chain-files.ts';
import { openSeal } from '../../src/state/chain-seal.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { until } from './upstream-kit.ts';

const event = (call: string) =>
  ({ event: 'started', call, server: 's', capability: 'c', kind: 'tool' }) as const;
const ME: Decider = { by: 'cli:me', uid: 1, via: 'terminal' };
const BROKEN = { code: 'forbidden', reason: 'audit_broken', hint: expect.stringContaining('acknowledge') };

async function setUp(options = {}) {
  const home = await temporaryFolder();
  const folder = join(home, 'state');
  const keyFile = join(home, 'config', 'audit.key');
  const opened = (over = {}) =>
    openAudit({ folder, quick: true, seal: () => openSeal(keyFile), ...options, ...over });
  const [log, end] = [join(folder, 'audit.jsonl'), join(folder, 'audit.end')];
  const write = async (audit: ReturnType<typeof opened>, ...names: string[]) => {
    for (const name of names) await audit.record(event(name));
    await audit.flush();
  };
  const lines = async () => (await readFile(log, 'utf8')).trimEnd().split('\n');
  return { home, folder, keyFile, log, end, opened, write, lines };
}

const codes = async (audit: ReturnType<typeof openAudit>) =>
  (await audit.verify()).problems.map(({ code }) => code);

/** An end as somebody without the key can make it. */
const plainEnd = (line: string, seq: number) =>
  `${JSON.stringify({ seq, hash: hashOf(line) }).padEnd(255)}\n`;

describe('a log that was cut', () => {
  it.each([
    ['with its end deleted', 'end_unknown', async (end: string) => rm(end)],
    [
      'with its end rewritten',
      'end_forged',
      async (end: string, line: string, seq: number) => writeFile(end, plainEnd(line, seq)),
    ],
    ['with its end left', 'cut_short', async () => {}],
  ])('%s does not verify, and no call runs', async (_, code, meddle) => {
    const { log, end, opened, write, lines } = await setUp();
    await write(opened(), 'a', 'b', 'c', 'd');
    const all = await lines();
    await writeFile(log, `${all.slice(0, 2).join('\n')}\n`);
    await meddle(end, all[1] ?? '', 2);
    expect(await codes(opened())).toEqual([code]);
    await expect(opened().ready()).rejects.toMatchObject(BROKEN);
    await expect(opened().record(event('e'))).rejects.toMatchObject(BROKEN);
    expect(await lines()).toHaveLength(2);
  });

  it('does not verify either with an end from before, or with nothing left at all', async () => {
    const { home, folder, opened, write } = await setUp();
    await write(opened(), 'a', 'b');
    await cp(folder, join(home, 'before'), { recursive: true });
    await write(opened(), 'c');
    await rm(folder, { recursive: true });
    expect(await codes(opened())).toEqual(['cut_short']);
    await expect(opened().record(event('e'))).rejects.toMatchObject(BROKEN);
    await cp(join(home, 'before'), folder, { recursive: true });
    expect(await codes(opened())).toEqual(['cut_short']);
    await expect(opened().record(event('e'))).rejects.toMatchObject(BROKEN);
  });

  it('is told apart from an end that a crash left behind or tore', async () => {
    const { log, end, opened, write } = await setUp();
    await write(opened(), 'a', 'b');
    const before = await readFile(end);
    await write(opened(), 'c');
    await writeFile(end, before);
    await writeFile(log, '{"seq":4,"ti', { flag: 'a' });
    expect(await opened().verify()).toMatchObject({ isWhole: true, torn: 1 });
    await write(opened(), 'd');
    expect(await opened().verify()).toMatchObject({ isWhole: true, lines: 5, seal: 'sealed' });
  });
});

describe('a log that was rewritten', () => {
  it('in its middle is found at the start of the next process, and while this one runs', async () => {
    const { log, opened, write } = await setUp();
    const running = opened();
    await write(running, 'a', 'b', 'c');
    const { atime, mtime } = await stat(log);
    await writeFile(log, (await readFile(log, 'utf8')).replace('"b"', '"x"'));
    await utimes(log, atime, mtime);
    await expect(opened().ready()).rejects.toMatchObject(BROKEN);
    await expect(running.record(event('d'))).rejects.toMatchObject(BROKEN);
    await expect(running.ready()).rejects.toThrow(/broken_link at line 3/);
  });

  it('in a rotated part, or without one, is found too', async () => {
    const { folder, opened, write } = await setUp({ maxBytes: 400, keepParts: 9 });
    await write(opened(), 'a', 'b', 'c', 'd', 'e', 'f', 'g');
    await opened().ready();
    const parts = (await readdir(folder)).filter((name) => /^audit-\d+\.jsonl$/.test(name)).sort();
    const part = join(folder, parts[1] ?? '');
    const text = await readFile(part, 'utf8');
    await writeFile(part, text.replace(/"started"(?!.*"started")/s, '"stXrted"'));
    await expect(opened().ready()).rejects.toMatchObject(BROKEN);
    await writeFile(part, text);
    await opened().ready();
    await rm(part);
    await expect(opened().ready()).rejects.toMatchObject(BROKEN);
  });
});

describe('the key', () => {
  it('is made once, for its owner alone; one that others can read is refused', async () => {
    const { folder, keyFile, opened, write } = await setUp();
    await Promise.all([write(opened(), 'a'), write(opened(), 'b')]);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(await opened().verify()).toMatchObject({ isWhole: true, seal: 'sealed' });
    await writeFile(`${keyFile}.open`, 'x'.repeat(32), { mode: 0o644 });
    const open = opened({ seal: () => openSeal(`${keyFile}.open`) });
    await expect(open.record(event('a'))).rejects.toMatchObject({ code: 'forbidden', reason: 'audit_key' });
    await expect(openSeal(join(folder, 'audit.key'), folder)).rejects.toThrow(/inside the state folder/);
  });

  it('that is not here cannot tell, and lets no call run until the log is acknowledged', async () => {
    const { keyFile, opened, write } = await setUp();
    await write(opened(), 'a', 'b');
    const elsewhere = opened({ seal: () => openSeal(`${keyFile}.other`) });
    expect(await elsewhere.verify()).toMatchObject({ isWhole: false, isUntold: true, seal: 'elsewhere' });
    await expect(elsewhere.record(event('c'))).rejects.toThrow(/sealed by a key that is not here/);
    await elsewhere.acknowledge('moved', ME);
    await write(elsewhere, 'c');
    expect(await elsewhere.verify()).toMatchObject({ isWhole: true, lines: 2 });
  });

  it('seals a log of an earlier version with a record that says so, once', async () => {
    const { end, opened, write, lines } = await setUp();
    await write(opened({ seal: undefined }), 'a', 'b');
    expect(await opened().verify()).toMatchObject({ isWhole: true, seal: 'plain' });
    await write(opened(), 'c');
    await write(opened(), 'd');
    const events = (await lines()).map((line) => JSON.parse(line));
    expect(events.map(({ event: one }) => one)).toEqual([
      'started',
      'started',
      'sealed',
      'started',
      'started',
    ]);
    expect(events[2]).toMatchObject({ lines: 2, key: expect.stringMatching(/^[0-9a-f]{16}$/) });
    await writeFile(end, plainEnd((await lines()).at(-1) ?? '', 5));
    expect(await codes(opened())).toEqual(['end_forged']);
  });
});

describe('an acknowledgement', () => {
  it('keeps the changed log, begins a new one with who, how and why, and lets calls run everywhere', async () => {
    const { folder, log, opened, write, lines } = await setUp();
    const running = opened();
    await write(running, 'a', 'b', 'c');
    const [size] = [(await stat(log)).size];
    await truncate(log, Math.floor(size / 2));
    await expect(running.record(event('d'))).rejects.toMatchObject(BROKEN);
    const done = await opened().acknowledge('a backup was restored', ME);
    expect(await readFile(join(folder, done?.kept ?? '', 'audit.jsonl'))).toHaveLength(Math.floor(size / 2));
    await write(running, 'd');
    const [first, second] = (await lines()).map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      seq: 4,
      event: 'acknowledged',
      reason: 'a backup was restored',
      by: 'cli:me',
      uid: 1,
      via: 'terminal',
      problems: ['cut_short 2'],
      kept: done?.kept,
    });
    expect(second).toMatchObject({ seq: 5, call: 'd' });
    expect(await opened().verify()).toMatchObject({ isWhole: true, lines: 2 });
    expect(await opened().acknowledge('again', ME)).toBeUndefined();
    // Nobody can make one without the key.
    await rm(log);
    await rm(join(folder, 'audit.end'));
    await writeFile(log, `${JSON.stringify({ ...first, seq: 9 })}\n`);
    await expect(opened().ready()).rejects.toMatchObject(BROKEN);
  });
});

describe('an anchor', () => {
  const anchorTo = (to: string | readonly string[]) =>
    openAnchor({ to, now: Date.now, onFailure: () => {}, everyMs: 1 });

  it('is a file with a line for each end, which shows a cut also without a key', async () => {
    const { home, folder, opened, write } = await setUp({ seal: undefined });
    const file = join(home, 'anchor.jsonl');
    const anchored = () => opened({ anchor: anchorTo(file) });
    await write(anchored(), 'a', 'b');
    await cp(folder, join(home, 'before'), { recursive: true });
    await write(anchored(), 'c');
    expect(await anchored().verify()).toMatchObject({ isWhole: true });
    await rm(folder, { recursive: true });
    await cp(join(home, 'before'), folder, { recursive: true });
    expect(await codes(opened())).toEqual([]);
    expect(await codes(anchored())).toEqual(['cut_short']);
    await expect(anchored().record(event('d'))).rejects.toMatchObject(BROKEN);
  });

  it('is a program that gets the end on its input', async () => {
    const { home, opened, write, lines } = await setUp();
    const got = join(home, 'got.txt');
    const program = `process.stdin.pipe(require('fs').createWriteStream(${JSON.stringify(got)}))`;
    await write(opened({ anchor: anchorTo([process.execPath, '-e', program]) }), 'a', 'b');
    await until(async () => (await readFile(got, 'utf8').catch(() => '')).includes('"seq":2'));
    expect(JSON.parse(await readFile(got, 'utf8'))).toMatchObject({ hash: hashOf((await lines())[1] ?? '') });
  });
});

describe('an export', () => {
  it('verifies elsewhere with the key, says so without it, and shows a cut or a change', async () => {
    const { home, keyFile, opened, write } = await setUp({ maxBytes: 400, keepParts: 9 });
    await write(opened(), 'a', 'b', 'c', 'd', 'e');
    const exported: string[] = [];
    for await (const line of opened().export()) exported.push(line);
    const file = join(home, 'export.jsonl');
    const verdict = async (lines: readonly string[], key: string | undefined = keyFile) => {
      await writeFile(file, `${lines.join('\n')}\n`);
      return verifyAuditExport(file, key);
    };
    expect(await verdict(exported)).toMatchObject({ isWhole: true, seal: 'sealed' });
    expect(await verdict(exported, `${keyFile}.none`)).toMatchObject({ isWhole: false, isUntold: true });
    expect(await verdict(exported.slice(0, -1))).toMatchObject({ isWhole: false, isUntold: false });
    expect(await verdict(exported.toSpliced(-2, 1))).toMatchObject({ problems: [{ code: 'cut_short' }] });
    expect(await verdict(exported.toSpliced(2, 1))).toMatchObject({ problems: [{ code: 'wrong_number' }] });
    const changed = exported.map((line) => line.replace('"call":"b"', '"call":"x"'));
    expect(await verdict(changed)).toMatchObject({ problems: [{ code: 'broken_link' }] });
    expect(await verdict(['{}', ...exported])).toBeUndefined();
  });
});
