/** The audit log: nothing happens without its line, and no line can be changed unseen. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it, vi } from 'vitest';
import { type AuditEvent, argumentsOf, openAudit, runAudited } from '../../src/governance/audit/audit.ts';
import { hashOf } from '../../src/state/chain-files.ts';
import { temporaryFolder } from '../kit/temp.ts';

const OF_CALL = { call: 'c1', server: 'mail', capability: 'send', kind: 'tool' } as const;
const STARTED = { event: 'started', ...OF_CALL } as const satisfies AuditEvent;

async function setUp(options = {}) {
  const folder = join(await temporaryFolder(), 'state');
  const audit = openAudit({ folder, ...options });
  const file = join(folder, 'audit.jsonl');
  const write = async (count: number) => {
    for (let n = 0; n < count; n++) await audit.record({ ...STARTED, call: `c${n}` });
  };
  const calls = async () => {
    const seen: string[] = [];
    for await (const event of audit.read()) if ('call' in event) seen.push(event.call);
    return seen;
  };
  return { folder, file, audit, write, calls, text: () => readFile(file, 'utf8') };
}

async function problems(audit: ReturnType<typeof openAudit>) {
  return (await audit.verify()).problems.map(({ code }) => code);
}

describe('the audit log', () => {
  it('says nothing of arguments that are not given', () => {
    expect(argumentsOf({ uri: 'doc://a', title: undefined })).toEqual(argumentsOf({ uri: 'doc://a' }));
    expect(argumentsOf({ uri: 'doc://a', title: undefined }).argsShape).not.toHaveProperty('title');
  });

  it('links each line to the one before and is for its owner alone', async () => {
    const { folder, file, audit, write, text } = await setUp();
    await write(3);
    const lines = (await text()).trim().split('\n');
    const read = lines.map((line) => JSON.parse(line));
    expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(read.map(({ prev }) => prev)).toEqual(['0'.repeat(64), ...lines.slice(0, 2).map(hashOf)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await audit.verify()).toMatchObject({ isWhole: true, lines: 3, problems: [], torn: 0 });
  });

  it('says what arguments look like, never what they say', async () => {
    const { audit, text } = await setUp();
    const args = {
      to: 'alex@example.com',
      nested: { pin: 1234567, flags: [true] },
      'alex@example.com': 'x',
      id_4929123412341234: 1,
    };
    await audit.record({ event: 'proposed', ...OF_CALL, by: 'a', class: 'external', ...argumentsOf(args) });
    const line = await text();
    for (const value of ['alex', '1234567', '4929123412341234', 'true']) expect(line).not.toContain(value);
    expect(JSON.parse(line)).toMatchObject({
      argsShape: { to: 'string', nested: { pin: 'number', flags: 'array' } },
      argsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('finds a single changed byte, wherever it is', async () => {
    const { file, audit, write } = await setUp();
    await write(4);
    const original = await readFile(file);
    for (let at = 0; at < original.length; at += 7) {
      const changed = Buffer.from(original);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(file, changed);
      expect((await audit.verify()).isWhole, `byte ${at}`).toBe(false);
    }
    await writeFile(file, original);
    expect((await audit.verify()).isWhole).toBe(true);
  });

  it.each([0, 1, 2, 3])('finds that line %s was removed', async (index) => {
    const { file, audit, write, text } = await setUp();
    await write(4);
    const lines = (await text()).trim().split('\n');
    await writeFile(file, `${lines.toSpliced(index, 1).join('\n')}\n`);
    expect(await problems(audit)).toContain(
      ['start_missing', 'wrong_number', 'wrong_number', 'cut_short'][index],
    );
  });

  it.each([
    ['at a line', 0],
    ['within a line', 20],
  ])('finds an end that was cut off %s, and adds nothing to it', async (_, more) => {
    const { file, audit, write, text } = await setUp();
    await write(4);
    const end = (await text()).split('\n').slice(0, 2).join('\n').length + 1;
    await truncate(file, end + more);
    expect(await problems(audit)).toEqual(['cut_short']);
    await expect(audit.record(STARTED)).rejects.toMatchObject({
      code: 'forbidden',
      reason: 'audit_broken',
      hint: expect.stringContaining('quire mcp audit acknowledge'),
    });
    expect((await stat(file)).size).toBe(end + more);
  });

  it('finds that the whole file is gone', async () => {
    const { file, audit, write } = await setUp();
    await write(2);
    await rm(file);
    expect(await problems(audit)).toEqual(['cut_short']);
    await expect(audit.record(STARTED)).rejects.toThrow(/cut_short at line 1/);
  });

  it('finds that the note of its end is gone', async () => {
    const { folder, audit, write } = await setUp();
    await write(3);
    await rm(join(folder, 'audit.end'));
    expect(await problems(audit)).toEqual(['end_unknown']);
  });

  it('notes a line that a crash left unfinished, and goes on', async () => {
    const { file, audit, write, text } = await setUp();
    await write(2);
    await appendFile(file, '{"seq":3,"ti');
    expect(await audit.verify()).toMatchObject({ isWhole: true, torn: 1 });
    await write(1);
    const repaired = JSON.parse((await text()).split('\n')[2] ?? '');
    expect(repaired).toMatchObject({ seq: 3, event: 'repaired', bytes: 12, text: '{"seq":3,"ti' });
    expect(await audit.verify()).toMatchObject({ isWhole: true, lines: 4, torn: 1 });
  });

  it('goes on after a crash between the line and the note of it', async () => {
    const { folder, audit, write } = await setUp();
    await write(2);
    const before = await readFile(join(folder, 'audit.end'));
    await write(1);
    await writeFile(join(folder, 'audit.end'), before);
    expect((await audit.verify()).isWhole).toBe(true);
    await write(1);
    expect(await audit.verify()).toMatchObject({ isWhole: true, lines: 4 });
  });

  it('rotates with the chain going on, keeps some parts, and misses one that is removed', async () => {
    const { folder, audit, write, calls } = await setUp({ maxBytes: 600, keepParts: 3 });
    await write(20);
    const parts = (await readdir(folder)).filter((name) => /^audit-\d+\.jsonl$/.test(name)).sort();
    expect(parts).toHaveLength(3);
    expect(await audit.verify()).toMatchObject({ isWhole: true, problems: [] });
    const seen = await calls();
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => `c${n}`).slice(-seen.length));
    await rm(join(folder, parts[1] ?? ''));
    expect(await problems(audit)).toContain('wrong_number');
    await rm(join(folder, parts[0] ?? ''));
    expect(await problems(audit)).toContain('start_missing');
  });

  it('is read from its end too, across its parts and from any record on', async () => {
    const { audit, write, calls } = await setUp({ maxBytes: 600, keepParts: 30 });
    const back = async (before?: number) => {
      const seen: string[] = [];
      for await (const event of audit.readBack({ before })) if ('call' in event) seen.push(event.call);
      return seen;
    };
    expect(await back()).toEqual([]);
    await write(20);
    const forth = await calls();
    expect(await back()).toEqual(forth.toReversed());
    const numbers: number[] = [];
    for await (const { seq } of audit.readBack()) numbers.push(seq);
    for (const [at, seq] of numbers.entries())
      expect(await back(seq)).toEqual(forth.toReversed().slice(at + 1));
    // Rotated while it is being read: nothing is missing, and nothing comes twice.
    const reading = audit.readBack();
    const first = await reading.next();
    await write(20);
    const rest: string[] = [];
    for await (const event of reading) if ('call' in event) rest.push(event.call);
    expect(first.value).toMatchObject({ call: 'c19' });
    expect(rest).toEqual(forth.toReversed().slice(1));
  });

  it('stops a verification that takes too long', async () => {
    const { audit, write } = await setUp();
    await write(3);
    await expect(audit.verify({ signal: AbortSignal.abort() })).rejects.toThrow();
    expect(await audit.verify()).toMatchObject({ isWhole: true });
  });

  it('goes on after a crash in the middle of a rotation', async () => {
    const { folder, file, audit, write } = await setUp();
    await write(3);
    await writeFile(join(folder, 'audit-000000000003.jsonl'), await readFile(file));
    await rm(file);
    await write(1);
    expect(await audit.verify()).toMatchObject({ isWhole: true, lines: 4 });
  });

  it('is read from a time on', async () => {
    const clock = { now: 1_800_000_000_000 };
    const { audit } = await setUp({ now: () => clock.now });
    await audit.record({ ...STARTED, call: 'old' });
    clock.now += 1_000;
    await audit.record({ ...STARTED, call: 'new' });
    const seen: string[] = [];
    for await (const event of audit.read({ since: clock.now })) if ('call' in event) seen.push(event.call);
    expect(seen).toEqual(['new']);
  });

  it('stays one chain when real processes append at once', async () => {
    const { folder, audit, calls } = await setUp({ keepParts: 100 });
    const program = await buildAppender();
    const run = promisify(execFile);
    await Promise.all(
      ['a', 'b'].map((name) => run(process.execPath, [program, folder, name, '30'], { timeout: 50_000 })),
    );
    expect(await audit.verify()).toMatchObject({ isWhole: true });
    const expected = ['a', 'b'].flatMap((name) => Array.from({ length: 30 }, (_, n) => `${name}-${n}`));
    expect((await calls()).sort()).toEqual(expected.sort());
  });
});

async function buildAppender(): Promise<string> {
  const program = join(await temporaryFolder(), 'appender.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('appender.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
  });
  return program;
}

describe('a process that is killed while it appends', () => {
  it('blocks no other process and leaves the hash chain whole', async () => {
    const { folder, audit } = await setUp({ keepParts: 1_000 });
    const program = await buildAppender();
    for (let round = 1; round <= 3; round++) {
      const child = spawn(process.execPath, [program, folder, `k${round}`, '100000'], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await vi.waitUntil(async () => (await audit.verify()).lines > 10 * round, { timeout: 30_000 });
      child.kill('SIGKILL');
      await ended;
      await audit.record({ ...STARTED, call: `after-${round}` });
      expect(await audit.verify()).toMatchObject({ isWhole: true, problems: [] });
    }
  });
});

describe('an audited call', () => {
  const lost: string[] = [];
  const call = (run: () => Promise<string>) => ({
    call: OF_CALL,
    run,
    outcomeOf: () => 'ok' as const,
    outcomeOfError: () => 'timeout' as const,
    log: (_: string, message: string) => void lost.push(message),
  });

  it('runs after its first line is on the disk, and its second says how it ended', async () => {
    const { audit, text } = await setUp();
    let before = '';
    await runAudited(
      audit,
      call(async () => {
        before = await text();
        return 'x';
      }),
    );
    await expect(
      runAudited(
        audit,
        call(async () => Promise.reject(new Error('slow'))),
      ),
    ).rejects.toThrow('slow');
    expect(JSON.parse(before)).toMatchObject({ event: 'started', server: 'mail' });
    const events = (await text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ event, outcome }) => [event, outcome])).toEqual([
      ['started', undefined],
      ['returned', 'ok'],
      ['started', undefined],
      ['returned', 'timeout'],
    ]);
  });

  it('does not run when its line cannot be written', async () => {
    const { folder, audit } = await setUp();
    await mkdir(join(folder, 'audit.jsonl'), { recursive: true });
    let runs = 0;
    await expect(
      runAudited(
        audit,
        call(async () => `${runs++}`),
      ),
    ).rejects.toMatchObject({ code: 'internal', title: expect.stringContaining('does not run') });
    expect(runs).toBe(0);
  });

  it('that ran gives its answer although its end cannot be written', async () => {
    const { folder, audit } = await setUp();
    const run = async () => {
      await rm(join(folder, 'audit.jsonl'));
      return 'answer';
    };
    expect(await runAudited(audit, call(run))).toBe('answer');
    expect(lost).toEqual(['the end of a call could not be written to the audit log']);
  });
});
