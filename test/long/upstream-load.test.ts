/** A server that floods us with valid messages: what is passed on is bounded and counted, and other work goes on. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compareSteps } from '../../src/governance/catalog/compare.ts';
import { createScanCache } from '../../src/governance/catalog/scan-cache.ts';
import type { UpstreamLog } from '../../src/upstream/calls.ts';
import { SHIFTING, writePlane } from '../governance/exposed-kit.ts';
import { testServer } from '../governance/sandbox-kit.ts';
import { nestedFor, operatorWho, processTarget, said, upstreamOf } from '../governance/upstream-kit.ts';
import { connectHttp, startHttp } from '../kit/http.ts';

const flooding = async (...args: string[]) =>
  upstreamOf({
    name: 'flood',
    target: await processTarget([testServer('flood.mjs'), ...args]),
    nested: nestedFor(operatorWho(), { roots: [] }),
  });
const flood = (kind: string, count: number) => ['get_flood', { kind, count }] as const;
const heardBy = async (upstream: Awaited<ReturnType<typeof flooding>>) =>
  (await said(upstream.call('get_heard', {}))) as { answers: number; refusals: number };

test('of 5,000 announcements of a changed list few are passed on, the last one too', async () => {
  const upstream = await flooding();
  const told: number[] = [];
  upstream.onListChanged(() => void told.push(performance.now()));
  await upstream.call(...flood('lists', 5_000));
  const over = performance.now();
  await expect.poll(() => told.some((at) => at >= over), { timeout: 5_000 }).toBe(true);
  expect(told.length).toBeLessThan(10);
  expect(upstream.status().load.listChanges).toBeGreaterThan(4_900);
});

test('of 5,000 log messages some are passed on, and one line says how many were left out', async () => {
  const upstream = await flooding();
  const logs: UpstreamLog[] = [];
  await upstream.call(...flood('logs', 5_000), { onLog: (message) => void logs.push(message) });
  const summaries = logs.filter(({ data }) => /messages of flood were left out/.test(String(data)));
  const left = summaries.reduce((sum, { data }) => sum + Number.parseInt(String(data), 10), 0);
  expect(logs.length).toBeLessThan(300);
  expect(left + logs.length - summaries.length).toBe(5_000);
  expect(upstream.status().load.logs).toBe(left);
});

test('progress is joined, and the last of it comes before the answer', async () => {
  const upstream = await flooding();
  const seen: number[] = [];
  await upstream.call(...flood('progress', 2_000), {
    onProgress: ({ progress }) => void seen.push(progress),
  });
  expect(seen.length).toBeLessThan(200);
  expect(seen.at(-1)).toBe(1_999);
});

test('unknown notifications and updates of resources nobody watches are counted and dropped', async () => {
  const upstream = await flooding();
  await upstream.call(...flood('unknown', 1_000));
  await upstream.call(...flood('updated', 1_000));
  expect(upstream.status().load).toMatchObject({ unknown: 1_000, updates: 1_000 });
});

test('requests nobody asked for are bounded: a few are answered, a few refused, the rest dropped', async () => {
  const upstream = await flooding();
  await upstream.call(...flood('roots', 2_000));
  const { answers, refusals } = await heardBy(upstream);
  expect(answers).toBeGreaterThan(0);
  expect(answers + refusals).toBeLessThan(600);
  expect(upstream.status().load.requests).toBeGreaterThan(1_000);
  expect(upstream.nestedCounts.roots).toBe(answers);
});

test.each(['mixed', 'huge'])(
  'a server that never stops (%s) holds up neither another server nor our own work',
  async (kind) => {
    const upstream = await flooding(kind);
    const other = upstreamOf({ target: await processTarget([testServer('odd.mjs')]) });
    await Promise.all([upstream.connect(), other.connect()]);
    const file = fileURLToPath(import.meta.url);
    const times: number[] = [];
    for (let at = 0; at < 12; at++) {
      const begun = performance.now();
      await Promise.all([other.call('echo', { at }), readFile(file), readFile(file)]);
      times.push(performance.now() - begun);
    }
    times.sort((a, b) => a - b);
    // Half of them within the promise; the rest of the bound is for a busy machine.
    expect(times[6]).toBeLessThan(50);
    expect(times.at(-1)).toBeLessThan(1_000);
    // And the server itself is still heard.
    expect(await heardBy(upstream)).toMatchObject({ lists: 0 });
  },
);

test('at our endpoint calls of a notebook go on while a server announces changes without end', async () => {
  const noisy = { ...SHIFTING, name: 'noisy', args: [testServer('flood.mjs'), 'mixed'] };
  const written = await writePlane([noisy]);
  const server = await startHttp(['serve', '--config', written.file]);
  const client = await connectHttp(server.origin);
  const names = async () => (await client.listTools(undefined, { cacheMode: 'refresh' })).tools;
  await expect.poll(async () => (await names()).some(({ name }) => name === 'noisy__get_heard')).toBe(true);
  const times: number[] = [];
  for (let at = 0; at < 12; at++) {
    const begun = performance.now();
    const answer = await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
    expect(answer.isError).toBeFalsy();
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  expect(times[6]).toBeLessThan(100);
  expect(times.at(-1)).toBeLessThan(1_000);
  const heard = await client.callTool({ name: 'noisy__get_heard', arguments: {} });
  const { lists } = JSON.parse((heard.content as { text: string }[])[0]?.text ?? '') as { lists: number };
  const seconds = times.reduce((sum, one) => sum + one, 0) / 1_000;
  expect(lists).toBeLessThan(20 + 3 * seconds);
  await client.close();
  await server.stop();
  const [row] = (await written.audit()).filter(({ event }) => event === 'load');
  expect(row).toMatchObject({ server: 'noisy', logs: expect.any(Number) });
});

test('a listing of very many definitions leaves room for other work, and the same listing is not scanned again', async () => {
  const cache = createScanCache();
  const definitions = Array.from({ length: 300 }, (_, at) => ({
    kind: 'tool' as const,
    name: `tool_${at}`,
    description: `Searches the items of the store and returns what was found for user ${at}. `.repeat(3),
  }));
  const discovered = {
    server: 'many',
    trust: 'reviewed',
    definitions,
    kinds: ['tool'],
    scan: cache,
  } as const;
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  const first = await cache.run('many', compareSteps(discovered, undefined));
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(5);
  const again = await cache.run('many', compareSteps(discovered, undefined));
  for (const [at, { findings }] of again.entries.entries())
    expect(findings).toBe(first.entries[at]?.findings);
});
