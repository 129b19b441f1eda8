/** Servers over stdio, and everything they can do wrong. */
import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createRestarts } from '../../src/upstream/connection.ts';
import { createLineReader } from '../../src/upstream/stdio.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bundled } from './bundle.ts';
import { confinementOf, testServer } from './sandbox-kit.ts';
import { isRunning, LIMITS, odd, processTarget, said, until, upstreamOf } from './upstream-kit.ts';

interface ProcessFacts {
  env: Record<string, string>;
  cwd: string;
  pid: number;
  descriptors: { fd: number; to: string }[];
}

const failing = (reason: string) => expect.objectContaining({ reason });

describe('a server over stdio', () => {
  it('starts nothing before it is needed, however many there are', async () => {
    const target = await processTarget([testServer('odd.mjs')]);
    const many = Array.from({ length: 100 }, (_, at) => upstreamOf({ target, name: `server-${at}` }));
    expect(many.map((one) => one.status().state)).toEqual(many.map(() => 'idle'));
    expect(await readdir(target.workRoot)).toEqual([]);
  });

  it('keeps one process for all requests', async () => {
    const server = await odd();
    const all = await Promise.all(
      [1, 2, 3].map(() => said(server.call('where', {})) as Promise<ProcessFacts>),
    );
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
    expect(server.status()).toMatchObject({ state: 'ready', facts: { era: 'legacy', sandbox: 'process' } });
  });

  it('gives it the environment written down for it, and nothing of ours', async () => {
    const target = await processTarget([testServer('odd.mjs')]);
    const plan = { ...target.plan, env: { API_KEY: 'configured' } };
    const server = upstreamOf({ target: { ...target, plan } });
    const { env, cwd } = (await said(server.call('where', {}))) as ProcessFacts;
    expect(env).toEqual({
      API_KEY: 'configured',
      PATH: expect.stringContaining('/usr/local/bin:/usr/bin:/bin'),
      HOME: cwd,
      TMPDIR: cwd,
      LANG: 'C.UTF-8',
    });
  });

  it('gives it a folder no other user can read, and removes it', async () => {
    const target = await processTarget([testServer('odd.mjs')]);
    const server = upstreamOf({ target });
    const { cwd } = (await said(server.call('where', {}))) as ProcessFacts;
    expect(cwd.startsWith(target.workRoot)).toBe(true);
    expect((await stat(cwd)).mode & 0o777).toBe(0o700);
    await server.close();
    expect(await readdir(target.workRoot)).toEqual([]);
  });

  it('uses a folder that is configured, and leaves it there', async () => {
    const cwd = await temporaryFolder({ 'kept.txt': 'x' });
    const target = await processTarget([testServer('odd.mjs')]);
    const server = upstreamOf({ target: { ...target, confinement: confinementOf('process', { cwd }) } });
    expect(((await said(server.call('where', {}))) as ProcessFacts).cwd).toBe(cwd);
    await server.close();
    expect(await readdir(cwd)).toEqual(['kept.txt']);
  });

  it('hands down no descriptor, not even one that we were started with', { timeout: 120_000 }, async () => {
    const program = await bundled('descriptor-probe.ts');
    const folder = await temporaryFolder();
    // Node closes what it was started with only up to the first gap; 30 is behind one.
    const run = promisify(execFile);
    const script = `exec 30</etc/hostname 7</etc/hostname; exec "$0" "$@"`;
    const args = ['-c', script, process.execPath, program, testServer('odd.mjs'), folder];
    const { stdout } = await run('/bin/bash', args);
    const { descriptors } = JSON.parse(stdout) as ProcessFacts;
    const others = descriptors.filter(({ fd, to }) => fd > 2 && to !== '/dev/null');
    // The patterns are descriptors Node opens for itself in every process.
    expect(others.filter(({ to }) => !/^anon_inode|^pipe:|^\/proc\//.test(to))).toEqual([]);
    expect(descriptors.find(({ fd }) => fd === 30)?.to).toBe('/dev/null');
  });

  it('lists all pages, and not for ever', async () => {
    const names = (await (await odd()).list('tool')).map(({ name }) => name);
    expect(names).toContain('echo');
    expect(names).toContain('pages');
    await expect((await odd(['endless'])).list('tool')).rejects.toThrow(/failed/);
  });

  it('asks old servers in the words of old, also those that leave at a word they do not know', async () => {
    const server = await odd(['leaves-when-probed']);
    expect(await server.connect()).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25' });
  });

  it('is not confused by what is said before the handshake', async () => {
    const server = await odd(['early']);
    expect(await said(server.call('echo', { a: 1 }))).toEqual({ a: 1 });
  });

  it('says that a program cannot be started', async () => {
    const target = await processTarget([]);
    const plan = { ...target.plan, file: '/nowhere/at/all' };
    const server = upstreamOf({ target: { ...target, plan }, restartUnitMs: 1 });
    await expect(server.connect()).rejects.toEqual(failing('launch_failed'));
  });
});

describe('a server that misbehaves', () => {
  const quick = { ...LIMITS, connectTimeoutMs: 700 };

  it('and never answers the handshake is given up', async () => {
    const server = await odd(['silent'], { limits: quick });
    await expect(server.connect()).rejects.toEqual(failing('connect_timeout'));
  });

  it('and answers the handshake too late is given up, and its process ended', async () => {
    const server = await odd(['slow'], { limits: quick });
    await expect(server.connect()).rejects.toEqual(failing('connect_timeout'));
    await server.close();
    expect(server.status().state).toBe('closed');
  });

  it('and floods stdout with what is no message is ended', async () => {
    const server = await odd(['flood'], { restartUnitMs: 60_000 });
    await expect(server.connect()).rejects.toEqual(failing('handshake_invalid'));
  });

  it('and says something else now and then is borne, and counted', async () => {
    const server = await odd();
    expect(await said(server.call('noise', { lines: 9 }))).toBe('done');
    expect(await said(server.call('noise', { lines: 9 }))).toBe('done');
    expect(server.status()).toMatchObject({ state: 'ready', strayLines: 18 });
    await expect(server.call('noise', { lines: 10 })).rejects.toEqual(failing('handshake_invalid'));
  });

  it('and writes a line of 5 MiB is ended', async () => {
    const server = await odd();
    await expect(server.call('long_line', {})).rejects.toEqual(failing('handshake_invalid'));
  });

  it('and exits in mid-call fails that call, and is started again', async () => {
    const server = await odd([], { restartUnitMs: 1 });
    const changes: string[] = [];
    server.onListChanged((kind) => changes.push(kind));
    await expect(server.call('exit', {})).rejects.toMatchObject({
      reason: 'closed',
      hint: expect.stringContaining('exit code 3'),
    });
    expect(await said(server.call('echo', { again: true }))).toEqual({ again: true });
    expect(changes.sort()).toEqual(['prompts', 'resources', 'tools']);
  });

  it('and crashes again and again is left alone in the end', async () => {
    const server = await odd(['crash'], { restartUnitMs: 1 });
    const tries: unknown[] = [];
    for (let at = 0; at < 8; at++) tries.push(await server.connect().catch((error) => error.reason));
    expect(tries).toEqual([...Array(6).fill('closed'), 'restart_limit', 'restart_limit']);
    expect(server.status().state).toBe('error');
  });

  it('and leaves a process behind that holds its pipes: neither is waited for, both are gone', async () => {
    const server = await odd([], { restartUnitMs: 60_000 });
    const file = join(await temporaryFolder(), 'pid');
    await expect(server.call('leave_grandchild', { file })).rejects.toEqual(failing('closed'));
    const pid = Number(await readFile(file, 'utf8'));
    await until(async () => !(await isRunning(pid)));
  });

  it('and does not want to leave is ended, with what it has started', async () => {
    const server = await odd(['deaf']);
    const { pid } = (await said(server.call('where', {}))) as ProcessFacts;
    const grandchild = (await said(server.call('grandchild', {}))) as { pid: number };
    await server.close();
    await until(async () => !(await isRunning(pid)) && !(await isRunning(grandchild.pid)));
  });

  it('and complains without end fills neither memory nor disk', async () => {
    const target = await processTarget([testServer('odd.mjs')]);
    const logFile = join(await temporaryFolder(), 'odd.log');
    const server = upstreamOf({ target: { ...target, logFile } });
    await server.call('complain', { bytes: 6 * 1024 * 1024, end: 'THE END' });
    await until(() => server.status().stderr.endsWith('THE END'));
    expect(server.status().stderr).toHaveLength(64 * 1024);
    await server.close();
    await until(async () => (await stat(logFile)).size === 4 * 1024 * 1024);
    expect((await stat(logFile)).mode & 0o777).toBe(0o600);
  });

  it('and answers with too much is refused, and lives on', async () => {
    const server = await odd([], { limits: { ...LIMITS, maxResultBytes: 1000 } });
    await expect(server.call('big', { bytes: 2000 })).rejects.toEqual(failing('result_too_large'));
    expect(await said(server.call('big', { bytes: 10 }))).toBe('x'.repeat(10));
  });
});

describe('the pieces', () => {
  it('read lines in any pieces', () => {
    const lines: string[] = [];
    const read = createLineReader(10, { line: (text) => lines.push(text), tooLong: () => lines.push('!') });
    for (const piece of ['a', 'b\nc', 'd\n\nü', '\n', '0123456789\n', '01234567890'])
      read(Buffer.from(piece));
    read(Buffer.from('\nmore\n'));
    expect(lines).toEqual(['ab', 'cd', '', 'ü', '0123456789', '!']);
  });

  it('wait 1, 2, 4, 8, 16 seconds between starts, then no more', () => {
    let now = 0;
    const restarts = createRestarts(() => now);
    const waits = Array.from({ length: 6 }, () => {
      restarts.crashed();
      const wait = restarts.wait();
      now += wait ?? 0;
      return wait;
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16000, undefined]);
    restarts.steady();
    expect(restarts.wait()).toBe(0);
  });
});
