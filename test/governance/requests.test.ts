/** The life of a request: time, progress, giving up, turns. */
import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../src/upstream/deadline.ts';
import { LIMITS, odd, said, until } from './upstream-kit.ts';

const failing = (reason: string, rpc: number) =>
  expect.objectContaining({ reason, details: expect.objectContaining({ rpc }) });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Cancellation {
  requestId: number;
  reason: string;
}

describe('a request', () => {
  it('that takes too long is cancelled at the server, and fails with -32001', async () => {
    const server = await odd();
    await expect(server.call('never', {}, { timeoutMs: 100 })).rejects.toEqual(failing('timeout', -32001));
    const [cancellation] = (await said(server.call('cancelled', {}))) as Cancellation[];
    expect(cancellation).toEqual({ requestId: expect.any(Number), reason: 'No answer within 100 ms' });
  });

  it('that is given up is cancelled at the server, and fails with -32800', async () => {
    const server = await odd();
    await server.connect();
    const caller = new AbortController();
    const call = server.call('never', {}, { signal: caller.signal });
    setTimeout(() => caller.abort(), 100);
    await expect(call).rejects.toEqual(failing('cancelled', -32800));
    expect(await said(server.call('cancelled', {}))).toHaveLength(1);
  });

  it('that was given up before it was sent is never sent', async () => {
    const server = await odd();
    await server.connect();
    const call = server.call('never', {}, { signal: AbortSignal.abort() });
    await expect(call).rejects.toEqual(failing('cancelled', -32800));
    expect(await said(server.call('cancelled', {}))).toEqual([]);
  });

  it('that is answered after it was given up: the answer is ignored and counted', async () => {
    const server = await odd(['late']);
    await expect(server.call('never', {}, { timeoutMs: 100 })).rejects.toEqual(failing('timeout', -32001));
    await until(() => server.status().lateAnswers === 1);
    expect(await said(server.call('echo', { still: 'fine' }))).toEqual({ still: 'fine' });
  });

  it('has more time while it makes progress', async () => {
    const server = await odd();
    const seen: number[] = [];
    const call = server.call(
      'progress',
      { times: 4, every: 400, last: 400 },
      { timeoutMs: 1500, onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(await said(call)).toBe('done');
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('has five times its time, whatever progress it makes', async () => {
    const server = await odd();
    const begun = performance.now();
    const call = server.call('progress', { times: 1_000, every: 50, last: 0 }, { timeoutMs: 1_000 });
    await expect(call).rejects.toEqual(failing('timeout', -32001));
    expect(performance.now() - begun).toBeGreaterThan(4_900);
    expect(await said(server.call('cancelled', {}))).toHaveLength(1);
  });

  it('waits for its turn when others are under way', async () => {
    const server = await odd([], { limits: { ...LIMITS, maxConcurrent: 1 } });
    const first = server.call('never', {}, { timeoutMs: 300 }).catch(() => 'given up');
    const order: string[] = [];
    const second = said(server.call('echo', {})).then(() => order.push('second'));
    await first.then(() => order.push('first'));
    await second;
    expect(order).toEqual(['first', 'second']);
  });

  it('is refused when very many wait already', async () => {
    const server = await odd([], { limits: { ...LIMITS, maxConcurrent: 1 } });
    const caller = new AbortController();
    const waiting = Array.from({ length: 256 }, () =>
      server.call('never', {}, { signal: caller.signal }).catch(() => undefined),
    );
    await expect(server.call('echo', {})).rejects.toMatchObject({ reason: 'busy' });
    caller.abort();
    await Promise.all(waiting);
    expect(await said(server.call('echo', { now: 1 }))).toEqual({ now: 1 });
  });

  it('fails with the words of the server, made harmless', async () => {
    const server = await odd();
    await expect(server.call('ask', { method: 'x' }, { timeoutMs: 5000 })).resolves.toBeDefined();
    await expect(server.read('note://x')).rejects.toMatchObject({
      reason: 'rpc_error',
      details: { rpc: -32601 },
      hint: 'Method not found',
    });
  });

  it('measures how fast the server answers', async () => {
    expect(await (await odd()).ping()).toBeGreaterThan(0);
  });

  it('is heard of when the list of tools has changed', async () => {
    const server = await odd();
    const changes: string[] = [];
    server.onListChanged((kind) => changes.push(kind));
    await server.call('changed', {});
    await until(() => changes.length > 0);
    expect(changes).toEqual(['tools']);
  });

  it('of a server that was closed fails', async () => {
    const server = await odd();
    await server.connect();
    await server.close();
    await expect(server.call('echo', {})).rejects.toMatchObject({ reason: 'closed' });
  });
});

describe('a deadline', () => {
  it('stands still while it is paused, and not for ever', async () => {
    const deadline = startDeadline({ timeoutMs: 300, maxPauseMs: 30_000 });
    deadline.pause();
    await sleep(600);
    expect(deadline.verdict()).toBeUndefined();
    deadline.resume();
    await until(() => deadline.verdict() === 'timeout');

    const hostage = startDeadline({ timeoutMs: 60_000, maxPauseMs: 100 });
    hostage.pause();
    await until(() => hostage.verdict() === 'timeout');
  });
});
