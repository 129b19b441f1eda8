/** Messages of too many values are told by their bytes, before they are parsed. */
import { describe, expect, it, test } from 'vitest';
import { capEvents } from '../../src/upstream/guarded-fetch.ts';
import { createLineReader } from '../../src/upstream/stdio.ts';
import { hasTooManyValues, idOfUnparsed, MAX_NAMES, MAX_VALUES } from '../../src/upstream/value-count.ts';
import { testServer } from './sandbox-kit.ts';
import { processTarget, upstreamOf } from './upstream-kit.ts';

const isMuch = (value: unknown) => hasTooManyValues(Buffer.from(JSON.stringify(value)));
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 0]));

test.each([
  ['values in a list', Array.from({ length: MAX_VALUES - 10 }, () => 0), false],
  ['too many values in a list', Array.from({ length: MAX_VALUES + 10 }, () => 0), true],
  ['too many empty objects', Array.from({ length: MAX_VALUES / 2 + 10 }, () => ({})), true],
  ['names', named(MAX_NAMES), false],
  ['too many names in one object', [[named(MAX_NAMES + 10)]], true],
  ['names of several objects', Array.from({ length: 5 }, () => named(3_000)), false],
  ['marks within a text', ['",{[]}\\'.repeat(20_000)], false],
  ['a long text', 'x'.repeat(100_000), false],
])('%s', (_, value, expected) => expect(isMuch({ value })).toBe(expected));

describe('the id of a message that is not parsed', () => {
  const filler = 'x'.repeat(1_000);
  it.each([
    [`{"jsonrpc":"2.0","id":17,"result":"${filler}"}`, 17],
    [`{"result":"${filler}","jsonrpc":"2.0","id": "a-b"}`, 'a-b'],
    [`{"method":"notifications/message","params":"${filler}"}`, undefined],
  ])('of %#', (text, id) => expect(idOfUnparsed(Buffer.from(text))).toBe(id));
});

test('a line of too many values is kept from the parser, and the next one is read', () => {
  const seen: string[] = [];
  const read = createLineReader(1_000_000, {
    line: (text) => seen.push(text),
    tooMany: () => seen.push('too many'),
    tooLong: () => seen.push('too long'),
  });
  read(Buffer.from(`${JSON.stringify(named(MAX_NAMES + 10))}\n{}\n`));
  expect(seen).toEqual(['too many', '{}']);
});

test('events over HTTP are counted one by one', () => {
  const check = capEvents(1_000_000);
  const event = Buffer.from(`data: ${JSON.stringify(named(3_000))}\n\n`);
  for (let at = 0; at < 20; at++) check(event);
  const much = Buffer.from(`data: ${JSON.stringify(named(MAX_NAMES + 10))}\n\n`);
  expect(() => {
    for (let at = 0; at < much.length; at += 1_000) check(much.subarray(at, at + 1_000));
  }).toThrow('names in one object');
});

test('a call whose answer has too many values fails with a reason, and the server goes on', async () => {
  const upstream = upstreamOf({ name: 'heavy', target: await processTarget([testServer('heavy.mjs')]) });
  for (const kind of ['too_many_names', 'too_many_values', 'deep'])
    await expect(upstream.call('get_heavy', { kind })).rejects.toMatchObject({
      reason: 'result_too_large',
      hint: expect.stringMatching(/values|levels deep/),
    });
  const long = await upstream.call('get_heavy', { kind: 'long' });
  expect(JSON.stringify(long).length).toBeGreaterThan(1_000_000);
  expect(await upstream.call('get_heavy', { kind: 'none' })).toMatchObject({ content: [{ text: 'done' }] });
});
