/** Rules on URIs: no spelling of a denied URI gets past a rule, and what is sent is what was judged. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callCapability } from '../../src/governance/call.ts';
import { decide } from '../../src/governance/policy/decide.ts';
import { canonicalUri, readingsOf } from '../../src/governance/policy/uri.ts';
import type { CatalogEntry } from '../../src/governance/types.ts';
import { planeOf, serverOf } from './kit.ts';
import { openedPlane, shop } from './plane-kit.ts';

const server = serverOf({ command: 'x', client_consent: 'approved', trust: 'reviewed' });
const entry = (name: string): CatalogEntry => ({
  server: 'example',
  definition: { kind: 'resource', name },
  fingerprint: '0',
  state: 'approved',
  findings: [],
});
const decided = (uri: string, rules: readonly Record<string, unknown>[], own = server) =>
  decide(
    { server: own, entry: entry(canonicalUri(uri)), rejections: [] },
    planeOf({ mcp_policy: rules }, [{ name: 'example', transport: 'stdio', command: 'x' }]),
  ).outcome;

const SECRET = [{ effect: 'deny', capabilities: ['file:///secret/*'] }];

test.each([
  ['FILE:///A/b', 'file:///A/b'],
  ['file:/a/b', 'file:///a/b'],
  ['file://localhost/a', 'file:///a'],
  ['file:\\\\\\a\\b', 'file:///a/b'],
  ['file:///pub/../secret/x', 'file:///secret/x'],
  ['file:///pub/%2e%2E/secret/x', 'file:///secret/x'],
  ['file:///pub//./x', 'file:///pub/x'],
  ['file:///a%20b/%73', 'file:///a%20b/s'],
  ['HTTPS://Example.COM.:443/a/../b?Q=%7e#f', 'https://example.com/b?Q=~#f'],
  ['https://example.com', 'https://example.com/'],
  ['http://0x7f.1/a', 'http://127.0.0.1/a'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['shop://Items/A%2fb', 'shop://Items/A%2Fb'],
  ['urn:isbn:1', 'urn:isbn:1'],
  ['no uri', 'no uri'],
])('%s is %s', (uri, expected) => {
  expect(canonicalUri(uri)).toBe(expected);
  expect(canonicalUri(expected)).toBe(expected);
});

describe('a denied URI', () => {
  test.each([
    'file:///secret/x',
    'file:///pub/../secret/x',
    'file:///./secret/x',
    'file:////secret/x',
    'file:///secret//x',
    'file:///%73ecret/x',
    'file:///%2573ecret/x',
    'file:///%252573ecret/x',
    'file:///pub/%2e%2e/secret/x',
    'file:///pub/%252e%252e/secret/x',
    'file:///pub/..%2fsecret/x',
    'file:///pub/..%5csecret%5cx',
    'file:///pub\\..\\secret\\x',
    'FILE:///SECRET/x',
    'file://localhost/secret/x',
    'file:/secret/x',
    'file:///secret/x?y',
    'file:///secret/x#y',
    'file:///secret;a=b/x',
    'file:///secret./x',
    'file:///ｓecret/x',
    'file:///%EF%BD%93ecret/x',
  ])('is denied as %s', (uri) => {
    expect(decided(uri, SECRET)).toBe('deny');
  });

  test('is denied however its rule is spelled', () => {
    for (const glob of [
      'FILE:///Secret/*',
      'file:///%73ecret/*',
      'file:///pub/../secret/*',
      'file:/secret/*',
    ])
      expect([glob, decided('file:///secret/x', [{ effect: 'deny', capabilities: [glob] }])]).toEqual([
        glob,
        'deny',
      ]);
  });

  test('cannot be reached over the authority of an unknown scheme', () => {
    const rules = [{ effect: 'deny', capabilities: ['notes://secret/*'] }];
    expect(decided('notes://pub/..%2fsecret/x', rules)).toBe('deny');
    expect(canonicalUri('notes://pub/../secret/x')).toBe('notes://pub/secret/x');
  });

  test('with control characters, or encoded again and again, is refused', () => {
    const often = `file:///${'%25'.repeat(1)}${'25'.repeat(12)}73ecret/x`;
    expect(readingsOf(canonicalUri(often)).problem).toMatch(/too often/);
    for (const uri of ['file:///sec\tret/x', 'file:///secret/x%00.txt', 'file:///a%250ab'])
      expect([uri, decided(uri, [])]).toEqual([uri, 'deny']);
  });

  test('in any spelling that a server could resolve to it is denied', () => {
    // Each is something a server may undo: encoding any number of times, detours, doubled and turned slashes.
    const encoded = (text: string, times: number) => {
      let out = text;
      for (let time = 0; time < times; time++)
        out = [...out]
          .map((one) =>
            /[A-Za-z0-9.%]/.test(one) ? `%${one.charCodeAt(0).toString(16).padStart(2, '0')}` : one,
          )
          .join('');
      return out;
    };
    const slash = fc.constantFrom('/', '//', '/./', '\\', '%2f', '%5C', '/a/../', '/%2e/', '/a/%2e%2e/');
    const segment = fc.tuple(fc.constantFrom('secret', 'SECRET', 'ｓecret'), fc.nat(2));
    const scheme = fc.constantFrom('file://', 'FILE://', 'file://localhost', 'File:');
    const tail = fc.constantFrom('', '?x', '#y', '%3f', '/', '/.');
    fc.assert(
      fc.property(scheme, slash, segment, slash, tail, (start, first, [word, times], second, end) => {
        const uri = `${start}/pub/..${first}${encoded(word, times)}${second}x${end}`;
        expect([uri, decided(uri, SECRET)]).toEqual([uri, 'deny']);
      }),
      { numRuns: 500 },
    );
  });
});

test('an allow covers every reading of a URI, or none', () => {
  const rules = [{ effect: 'allow', capabilities: ['file:///pub/*'] }];
  const untrusted = serverOf({ command: 'x', client_consent: 'approved' });
  expect(decided('file:///pub/a%20b', rules, untrusted)).toBe('allow');
  expect(decided('file:///pub/x/../y?z', rules, untrusted)).toBe('allow');
  expect(decided('file:///pub/..%2fsecret', rules, untrusted)).toBe('ask');
  const within = serverOf({
    command: 'x',
    client_consent: 'approved',
    trust: 'reviewed',
    allow_tools: ['file:///a%20b/*'],
  });
  expect(decided('file:///a%20b/c', [], within)).toBe('allow');
  expect(decided('file:///a b/..%2f..%2fetc', [], within)).toBe('deny');
});

test('what is sent is what was judged', async () => {
  const rule = { effect: 'deny', servers: ['shop'], capabilities: ['shop://items/secret/*'] };
  const { plane } = await openedPlane([shop()], { mcp_policy: [rule] });
  const read = (name: string) =>
    callCapability(plane, { server: 'shop', kind: 'resource', name, args: {}, by: 'me' });
  const textOf = async (name: string) => ((await read(name)).result.contents as { text: string }[])[0]?.text;
  expect(await textOf('shop://items/a/../%62/text')).toBe('text of shop://items/b/text');
  expect(await textOf('SHOP://readme')).toBe('text of shop://readme');
  for (const uri of [
    'secret/text',
    '%73ecret/text',
    '%2573ecret/text',
    'a/../secret/text',
    'a/..%2fsecret/text',
  ])
    await expect(read(`shop://items/${uri}`)).rejects.toMatchObject({ code: 'forbidden', reason: 'policy' });
});
