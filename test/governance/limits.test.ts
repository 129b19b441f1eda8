/** Limits that hold for all processes on one state folder. */
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { openAudit } from '../../src/governance/audit/audit.ts';
import { createRates } from '../../src/governance/usage.ts';
import { openSharedSemaphore } from '../../src/shared/async/semaphore.ts';
import { openSharedWindow } from '../../src/state/shared-window.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { planeFolder, shop } from './plane-kit.ts';
import { nestedFor, odd, operatorWho, said } from './upstream-kit.ts';

test('calls_per_minute counts the calls of all processes, however they race', async () => {
  const plane = await planeFolder([shop()], { mcp_limits: { calls_per_minute: 3 } });
  const call = () => plane.run('call', 'shop', 'get_note', '--arg', 'path=a.md');
  expect((await call()).code).toBe(0);
  const ended = await Promise.all([call(), call(), call(), call()]);
  expect(ended.map(({ code }) => code).sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual([0, 0, 10, 10]);
  expect((await plane.run('call', 'shop', 'get_note', '--arg', 'path=a.md', '--dry-run')).stdout).toContain(
    'rate_limited',
  );
  expect((await plane.heard()).filter(({ called }) => called === 'get_note')).toHaveLength(3);
  const refused = (await plane.audit()).filter(({ code }) => code === 'rate_limited');
  expect(refused).toHaveLength(2);
});

const decided = (server: string) =>
  ({
    event: 'decided',
    call: 'c',
    server,
    capability: 'x',
    kind: 'tool',
    outcome: 'allow',
    code: 'default',
    rule: 'default',
  }) as const;

test('the count goes on over a log that is rotated, and forgets what is older than a minute', async () => {
  const folder = await temporaryFolder();
  let now = Date.now();
  const opened = (maxBytes: number) => {
    const rates = createRates(40, () => now);
    const follow = { since: rates.since, onLine: rates.note };
    return { rates, audit: openAudit({ folder, quick: true, maxBytes, now: () => now, follow }) };
  };
  const [one, other] = [opened(3_000), opened(3_000)];
  for (let at = 0; at < 20; at++) {
    await one.audit.record(decided('s'));
    await other.audit.record(decided('s'), decided('t'));
  }
  const fresh = opened(3_000);
  for (const { audit, rates } of [one, other]) {
    audit.catchUp();
    expect(rates.problem('s')).toContain('40 calls');
    expect(rates.problem('t')).toBeUndefined();
  }
  // A process that starts later knows the calls of the last two files: with files of the usual size, thousands of calls.
  fresh.audit.catchUp();
  expect(fresh.rates.problem('s')).toBeUndefined();
  now += 61_000;
  for (const { rates } of [one, other]) expect(rates.problem('s')).toBeUndefined();
  await Promise.all([one.audit.flush(), other.audit.flush()]);
  expect(await one.audit.verify()).toMatchObject({ isWhole: true });
});

test('slots are shared, given back, and taken from a process that is gone', async () => {
  const folder = await temporaryFolder();
  const [one, other] = [openSharedSemaphore(folder, 's', 2), openSharedSemaphore(folder, 's', 2)];
  const busy = () => new Error('too long');
  const wait = { waitMs: 10_000, busy };
  let running = 0;
  let most = 0;
  const task = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 30));
    running--;
  };
  await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 ? one : other)(task, wait)));
  expect(most).toBe(2);

  const owner = await one(() => ownerIn(folder), wait);
  const gone = JSON.stringify({ ...owner, pid: 2 ** 22 + 1, mark: 'x' });
  await Promise.all([0, 1].map((at) => writeFile(join(folder, `s-${at}.slot`), gone)));
  await one(task, wait);

  const elsewhere = JSON.stringify({ pid: 1, place: 'elsewhere', mark: 'x' });
  await Promise.all([0, 1].map((at) => writeFile(join(folder, `s-${at}.slot`), elsewhere)));
  await expect(one(task, { waitMs: 100, busy })).rejects.toThrow('too long');
});

test('a slot that is lent can be taken by another process, and its lender does not wait to have it back', async () => {
  const folder = await temporaryFolder();
  const [one, other] = [openSharedSemaphore(folder, 's', 1), openSharedSemaphore(folder, 's', 1)];
  const wait = { waitMs: 300, busy: () => new Error('too long') };
  const asking = one(() => one.lend(() => other(async () => 'answered meanwhile', wait)), wait);
  expect(await asking).toBe('answered meanwhile');
  // One is back while the other still has the place: both go on, and then there is one place again.
  let end = () => {};
  const stays = new Promise<void>((resolve) => (end = resolve));
  let lent: Promise<unknown> = Promise.resolve();
  await one(
    () =>
      one.lend(async () => {
        const has = new Promise<void>((resolve) => {
          lent = other(async () => {
            resolve();
            await stays;
          }, wait);
        });
        await has;
      }),
    wait,
  );
  await expect(one(async () => 'too many', wait)).rejects.toThrow('too long');
  end();
  await lent;
  expect(await one(async () => 'free', wait)).toBe('free');
});

async function ownerIn(folder: string): Promise<Record<string, unknown>> {
  const { readFile } = await import('node:fs/promises');
  const name = (await readdir(folder)).find((one) => one.endsWith('.slot')) ?? '';
  return JSON.parse(await readFile(join(folder, name), 'utf8'));
}

test('max_concurrent holds for a server over HTTP, from several processes', async () => {
  const most = { now: 0, ever: 0 };
  const url = await slowServer(most);
  const remote = {
    name: 'slow',
    transport: 'streamable_http',
    url,
    client_consent: 'approved',
    trust: 'trusted',
    first_definitions: 'accept',
  };
  const plane = await planeFolder([remote], { mcp_limits: { max_concurrent: 1 } });
  const ended = await Promise.all(Array.from({ length: 3 }, () => plane.run('call', 'slow', 'get_time')));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(most.ever).toBe(1);
});

/** Remembers how many calls were under way at once. */
async function slowServer(most: { now: number; ever: number }): Promise<string> {
  const results: Record<string, (params: Record<string, unknown>) => unknown> = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'slow', version: '1' },
    }),
    'tools/list': () => ({
      tools: [{ name: 'get_time', description: 'Tells the time', inputSchema: { type: 'object' } }],
    }),
    'tools/call': async () => {
      most.ever = Math.max(most.ever, ++most.now);
      await new Promise((resolve) => setTimeout(resolve, 200));
      most.now--;
      return { content: [{ type: 'text', text: 'noon' }] };
    },
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return void response.writeHead(202).end();
    const answer = results[method];
    const end = answer
      ? { result: await answer(params) }
      : { error: { code: -32601, message: 'Method not found' } };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...end }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('per_hour counts the prompts of all processes, however they race', async () => {
  const folder = await temporaryFolder();
  const outfile = join(folder, 'racer.mjs');
  const entry = fileURLToPath(new URL('prompt-racer.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  const run = () =>
    promisify(execFile)(process.execPath, [outfile, join(folder, 'state', 'prompts.json'), '4', '3']);
  const got = await Promise.all([run(), run(), run(), run()]);
  expect(got.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(4);
});

test('a prompt that is refused is given back, and an hour later all are', async () => {
  const file = join(await temporaryFolder(), 'prompts.json');
  let now = Date.now();
  const [one, other] = [1, 2].map(() => openSharedWindow(file, 3_600_000, () => now));
  const giveBack = await one?.reserve(1);
  expect(await other?.reserve(1)).toBeUndefined();
  await giveBack?.();
  expect(await other?.reserve(1)).toBeDefined();
  now += 3_600_001;
  expect(await one?.reserve(1)).toBeDefined();
});

test('two sessions with a server, as two processes have them, share its prompts', async () => {
  const file = join(await temporaryFolder(), 'prompts.json');
  const provider = async () => ({ model: 'm', text: 't' });
  const opened = () =>
    odd([], {
      nested: nestedFor(operatorWho(), {
        sampling: { maxTokens: 10, perHour: 4, provider },
        prompts: openSharedWindow(file, 3_600_000),
      }),
    });
  const params = { messages: [], maxTokens: 1 };
  const ask = { method: 'sampling/createMessage', params };
  const answers = await Promise.all(
    [await opened(), await opened()].flatMap((upstream) =>
      [1, 2, 3].map(() => said(upstream.call('ask', ask))),
    ),
  );
  expect(answers.filter((answer) => !('error' in (answer as object)))).toHaveLength(4);
});
