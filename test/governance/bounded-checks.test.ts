/** What the SDK's client checks in one go is bounded: pages of definitions, and the parts of an answer. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { boundChecks } from '../../src/upstream/bounded-checks.ts';
import { testServer } from './sandbox-kit.ts';
import { processTarget, upstreamOf } from './upstream-kit.ts';

const many = <T>(count: number, at: (n: number) => T) => Array.from({ length: count }, (_, n) => at(n));
const heavy = async () =>
  upstreamOf({ name: 'heavy', target: await processTarget([testServer('heavy.mjs')]) });

interface Answer {
  readonly result?: { readonly tools: unknown[]; readonly nextCursor?: string };
  readonly error?: { readonly message: string };
}

/** A client's view of a server whose answers are made by `answer`. */
function clientOf(answer: (params: unknown) => unknown) {
  const asked: unknown[] = [];
  const transport = {
    send: async (message: JSONRPCMessage) => {
      const { id, params } = message as { id: number; params?: unknown };
      asked.push(params);
      transport.onmessage?.({ jsonrpc: '2.0', id, result: answer(params) } as JSONRPCMessage);
    },
  } as unknown as Transport;
  boundChecks(transport, 'a');
  const bound = transport.onmessage;
  let id = 0;
  const ask = (method: string, params?: Record<string, unknown>) =>
    new Promise<Answer>((resolve, reject) => {
      transport.onmessage = (message, extra) => {
        bound?.(message, extra);
        resolve(message as unknown as Answer);
      };
      const request = { jsonrpc: '2.0', id: id++, method, params } as JSONRPCMessage;
      transport.send(request).catch(reject);
    });
  return { ask, asked };
}

const tools = (count: number) => many(count, (n) => ({ name: `t${n}`, inputSchema: { type: 'object' } }));

test('a long page is read in short ones, in order, and the server is asked once', async () => {
  const { ask, asked } = clientOf(() => ({ tools: tools(3_000), nextCursor: 'theirs' }));
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const { result } = await ask('tools/list', { cursor });
    expect(result?.tools.length).toBeLessThan(1_000);
    seen.push(...(result?.tools ?? []));
    cursor = result?.nextCursor;
  } while (cursor !== 'theirs');
  expect(seen).toEqual(tools(3_000));
  expect(asked).toHaveLength(1);
});

test('a server with pages without end is given up', async () => {
  const { ask } = clientOf(() => ({ tools: [], nextCursor: 'more' }));
  await ask('tools/list');
  const walk = async () => {
    for (let page = 0; page < 60; page++) await ask('tools/list', { cursor: 'more' });
  };
  await expect(walk()).rejects.toMatchObject({ reason: 'too_many_pages' });
});

const link = (n: number) => ({ type: 'resource_link', uri: `a:${n}`, name: 'a', mimeType: 'text/plain' });

test.each([
  ['texts', { content: many(3_900, (n) => ({ type: 'text', text: `${n}` })) }, true],
  ['links', { content: many(450, link) }, true],
  ['values that are not checked', { content: [], structuredContent: { a: many(20_000, () => 0) } }, true],
  ['faulty blocks', { content: many(2_000, () => ({})) }, false],
  ['texts that are none', { content: many(2_000, () => ({ type: 'text', text: 0 })) }, false],
  ['links that are none', { content: many(450, () => ({ ...link(0), uri: 0 })) }, false],
  ['icons of one link', { content: [{ ...link(0), icons: many(2_000, () => ({})) }] }, false],
  ['messages', { messages: many(2_000, () => ({})) }, false],
])('an answer of many %s', async (_, result, passes) => {
  const { ask } = clientOf(() => result);
  const answer = await ask('tools/call');
  if (passes) expect(answer.result).toEqual(result);
  else expect(answer.error?.message).toBe('The message has too many parts');
});

test('a definition that is too large is refused, and says so', async () => {
  const properties = Object.fromEntries(many(1_500, (n) => [`p${n}`, { a: 1, b: 1, c: 1 }]));
  const { ask } = clientOf(() => ({ tools: [{ name: 'a', inputSchema: { type: 'object', properties } }] }));
  expect((await ask('tools/list')).error?.message).toBe('The message has too many parts');
});

test('a real server: all its definitions are listed, and a faulty answer fails its call alone', async () => {
  const upstream = await heavy();
  await upstream.call('get_heavy', { kind: 'changing' });
  expect(await upstream.list('tool')).toHaveLength(1_502);
  await expect(upstream.call('get_heavy', { kind: 'faulty' })).rejects.toMatchObject({
    reason: 'result_too_large',
    hint: expect.stringContaining('too many parts'),
  });
  const { content } = await upstream.call('get_heavy', { kind: 'links' });
  expect(content).toHaveLength(450);
});

test('a result is not matched by the expressions of its server', async () => {
  const upstream = await heavy();
  await upstream.list('tool');
  const { structuredContent } = await upstream.call('get_matched', {}, { inputSchema: { type: 'object' } });
  expect(structuredContent).toEqual({ a: expect.stringMatching(/^a+!$/) });
});
