import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../test/kit/cases.ts';
import {
  destinationOf,
  formActionSource,
  isSameRedirectUri,
  redirectUriProblem,
  withParameters,
} from './redirect-uri.ts';

const REGISTERED = [
  'https://claude.ai/api/mcp/auth_callback',
  'http://localhost:3118/callback',
  'http://127.0.0.1/cb?x=1',
];

/** Addresses near a registered one: cut up, with pieces attackers like. */
const near = fc
  .tuple(
    fc.constantFrom(...REGISTERED),
    fc.array(
      fc.tuple(
        fc.nat(45),
        fc.constantFrom(
          '@',
          ':',
          '/',
          '\\',
          '#',
          '?',
          '.',
          '..',
          '%2f',
          '\t',
          '0',
          ':80',
          'evil.example',
          ';sandbox',
          ',',
          '[::1]',
          '//',
          ' ',
        ),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([uri, cuts]) => cuts.reduce((text, [at, piece]) => text.slice(0, at) + piece + text.slice(at), uri));

describe('isSameRedirectUri', () => {
  it('lets nothing but the port of a loopback address differ', () => {
    fc.assert(
      fc.property(
        fc.oneof(near, fc.webUrl(), fc.string()),
        fc.constantFrom(...REGISTERED),
        (asked, registered) => {
          if (asked === registered || !isSameRedirectUri(asked, registered)) return;
          const [a, b] = [new URL(asked), new URL(registered)];
          expect([a.protocol, a.hostname, a.pathname, a.search, a.hash, a.username]).toEqual([
            'http:',
            b.hostname,
            b.pathname,
            b.search,
            '',
            '',
          ]);
        },
      ),
      { numRuns: cases(3_000) },
    );
  });

  it.each([
    ['http://localhost:1/callback', 'http://localhost/callback', true],
    ['http://localhost:1/callback', 'http://127.0.0.1/callback', false],
    ['http://[::1]:1/callback', 'http://[::1]:2/callback', true],
    ['http://localhost:1', 'http://localhost:2', true],
    ['http://localhost:1?a', 'http://localhost:2?a', true],
    ['http://localhost:1/', 'http://localhost:2', false],
    ['https://localhost:1/callback', 'https://localhost:2/callback', false],
    ['http://localhost:123456/callback', 'http://localhost/callback', false],
  ])('%s and %s: %s', (asked, registered, same) => {
    expect(isSameRedirectUri(asked, registered)).toBe(same);
  });
});

describe('redirectUriProblem', () => {
  it('lets through only what can be answered and shown safely', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          near,
          fc.webUrl(),
          fc.string(),
          fc.webUrl({ validSchemes: ['javascript', 'x-app', 'app.example'] }),
        ),
        (uri) => {
          if (redirectUriProblem(uri) !== undefined) return;
          const url = new URL(uri);
          expect(['javascript:', 'data:', 'file:', 'vbscript:']).not.toContain(url.protocol);
          expect(uri).not.toMatch(/[\s#<>"\\]/);
          const answered = new URL(withParameters(uri, { code: 'c', state: undefined }));
          expect([answered.protocol, answered.host, answered.pathname]).toEqual([
            url.protocol,
            url.host,
            url.pathname,
          ]);
          expect(answered.searchParams.getAll('code')).toEqual(['c']);
          expect(formActionSource(uri)).toMatch(/^[a-z][\w+.-]*:(\/\/[^\s;,'"]+)?$/i);
          expect(destinationOf(uri).host).not.toBe('');
        },
      ),
      { numRuns: cases(3_000) },
    );
  });
});

describe('formActionSource', () => {
  it.each([
    ['https://claude.ai/cb', 'https://claude.ai'],
    ['http://127.0.0.1:4567/cb', 'http://127.0.0.1:4567'],
    ['http://[::1]:4567/cb', 'http:'],
    ['cursor://anysphere.cursor-mcp/cb', 'cursor:'],
  ])('of %s is %s', (uri, source) => {
    expect(formActionSource(uri)).toBe(source);
  });
});
