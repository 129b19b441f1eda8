/** Nothing secret reaches a log line. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSecretName, redact, redactText, summarizeArguments } from '../../src/shared/redact.ts';
import { cases } from '../kit/cases.ts';
import { processorTime } from '../kit/processor-time.ts';

const line = (fields: Record<string, unknown>) => JSON.stringify(redact(fields));
const SECRET = 'hunter2-5f3a9c';

describe('a field named like a secret', () => {
  test.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'Set-Cookie',
    'token',
    'access_token',
    'refreshToken',
    'X-Trilium-Token',
    'id_token',
    'password',
    'passwd',
    'Passphrase',
    'client_secret',
    'secret',
    'api_key',
    'apiKey',
    'API-KEY',
    'x-api-key',
    'private_key',
    'credentials',
    'client_assertion',
    'code_verifier',
    'csrf',
    'mcp-session-id',
    'sessionId',
    'jwt',
  ])('%s has no value in the line, at any depth and in any form', (name) => {
    expect(isSecretName(name)).toBe(true);
    for (const value of [SECRET, [SECRET], { deep: SECRET }, [[{ x: SECRET }]], new Map([['x', SECRET]])]) {
      expect(line({ [name]: value })).not.toContain(SECRET);
      expect(line({ a: { b: [{ [name]: value }] } })).not.toContain(SECRET);
    }
    expect(line({ headers: new Map([[name, SECRET]]) })).not.toContain(SECRET);
    expect(line({ headers: new Headers({ [name]: SECRET }) })).not.toContain(SECRET);
    expect(line({ query: new URLSearchParams({ [name]: SECRET }) })).not.toContain(SECRET);
    expect(line({ rawHeaders: ['Accept', '*/*', name, SECRET, 'Host', 'a'] })).not.toContain(SECRET);
    expect(line({ headers: [[name, SECRET]] })).not.toContain(SECRET);
    expect(line({ url: `https://a.example/x?a=1&${name}=${SECRET}#x` })).not.toContain(SECRET);
    expect(line({ err: `bad answer {"a":1,"${name}":"${SECRET}"}` })).not.toContain(SECRET);
    expect(line({ err: `bad request\r\n${name}: ${SECRET}\r\nhost: a` })).not.toContain(SECRET);
  });

  test.each(['code', 'status', 'session', 'tool', 'path', 'duration_ms', 'host', 'author', 'principal'])(
    '%s is not one',
    (name) => {
      expect(isSecretName(name)).toBe(false);
      expect(redact({ [name]: 'kept' })).toEqual({ [name]: 'kept' });
    },
  );

  test('keeps no value, whatever stands around it (property)', () => {
    const secretName = fc
      .tuple(
        fc.string({ maxLength: 8 }),
        fc.constantFrom('token', 'Password', 'SECRET', 'authorization', 'cookie', 'api-key', 'credential'),
        fc.string({ maxLength: 8 }),
      )
      .map((parts) => parts.join(''));
    const marked = fc.letrec<{ value: unknown; secret: unknown; tree: unknown }>((tie) => ({
      value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant(undefined)),
      secret: fc.oneof(
        fc.constant(SECRET),
        fc.array(fc.constant(SECRET), { minLength: 1, maxLength: 3 }),
        fc.constant({ inner: SECRET }),
      ),
      tree: fc.oneof(
        { maxDepth: 6 },
        tie('value'),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4 }),
        fc.dictionary(secretName, tie('secret'), { minKeys: 1, maxKeys: 3 }),
      ),
    })).tree;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), marked), (fields) => {
        expect(line(fields)).not.toContain(SECRET);
        expect(JSON.stringify(summarizeArguments(fields))).not.toContain(SECRET);
      }),
      { numRuns: cases(500) },
    );
  });
});

describe('a text', () => {
  test.each([
    [`Authorization: Bearer ${SECRET}`, 'Authorization: [redacted]'],
    [`sent bearer ${SECRET} to a`, 'sent bearer [redacted] to a'],
    ['sent Basic dXNlcjpodW50ZXIy here', 'sent Basic [redacted] here'],
    [`/cb?code=${SECRET}&state=${SECRET}`, '/cb?code=[redacted]&state=[redacted]'],
    [`/x?access_token=${SECRET}`, '/x?access_token=[redacted]'],
    [`/x#access_token=${SECRET}&a=1`, '/x#access_token=[redacted]&a=1'],
    [`client_secret=${SECRET}&grant_type=x`, 'client_secret=[redacted]&grant_type=x'],
    [`https://user:${SECRET}@a.example/x`, 'https://[redacted]@a.example/x'],
    [`redis://:${SECRET}@cache:6379`, 'redis://[redacted]@cache:6379'],
    ['got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln back', 'got [redacted] back'],
    ['anna:$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', 'anna:[redacted]'],
    ['GET /mcp 200', 'GET /mcp 200'],
    ['note a/b.md, code=NOT_FOUND', 'note a/b.md, code=NOT_FOUND'],
    ['mail anna@example.com', 'mail anna@example.com'],
  ])('%j becomes %j', (text, clean) => {
    expect(redactText(text)).toBe(clean);
  });

  test('is cut without cutting a secret in half', () => {
    for (let at = 1_900; at < 2_010; at++) {
      expect(redactText(`${'x'.repeat(at)} Bearer ${SECRET}${SECRET}`)).not.toContain('hunter2');
      expect(redactText(`${'x'.repeat(at)} https://anna:${SECRET}@a.example`)).not.toContain('anna:h');
      expect(redactText(`${'x'.repeat(at)} eyJhbGciOiJIUzI1NiJ9.${'c'.repeat(5_000)}`)).not.toContain('cc');
    }
    expect(redactText('x'.repeat(10_000))).toHaveLength(2_001);
  });

  test.each(['"', '\\"', 'token', 'token=', '":"', 'a://', 'Bearer ', '?code=', '%', 'eyJ.', '$2b$10$'])(
    'of a megabyte of %j takes no time',
    (piece) => {
      const spent = processorTime();
      redactText(piece.repeat(1_000_000 / piece.length));
      expect(spent()).toBeLessThan(400);
    },
  );
});

describe('what notes say', () => {
  test.each([
    'content',
    'text',
    'body',
    'data',
    'attachment',
    'blob',
    'html',
    'markdown',
    'old_string',
    'newText',
  ])('is only measured in %s', (name) => {
    expect(redact({ [name]: 'dear diary' })).toEqual({ [name]: '<string len=10>' });
    expect(redact({ [name]: [1, 2] })).toEqual({ [name]: '<array len=2>' });
    expect(redact({ deep: { [name]: { a: 'dear diary' } } })).toEqual({ deep: { [name]: '<object>' } });
    expect(redact({ [name]: 3 })).toEqual({ [name]: 3 });
  });
});

describe('arguments of a tool', () => {
  test('are shown one level deep and short', () => {
    const args = {
      path: 'a/b.md',
      query: 'q'.repeat(100),
      content: 'dear diary',
      token: SECRET,
      limit: 5,
      tags: ['a', 'b'],
      options: { deep: true },
      on: true,
      nothing: null,
    };
    expect(summarizeArguments(args)).toEqual({
      path: 'a/b.md',
      query: `${'q'.repeat(64)}…`,
      content: '<string len=10>',
      limit: 5,
      tags: '<array len=2>',
      options: '<object>',
      on: true,
      nothing: null,
    });
  });

  test('stay as they are when the line is redacted', () => {
    const args = summarizeArguments({ content: 'x'.repeat(9), images: [{}], text: { deep: 1 } });
    expect(redact({ args })).toEqual({
      args: { content: '<string len=9>', images: '<array len=1>', text: '<object>' },
    });
  });

  test.each([undefined, null, 'text', 3])('%j has none', (args) => {
    expect(summarizeArguments(args)).toEqual({});
  });
});

describe('any value', () => {
  test('becomes plain data', () => {
    const fields = {
      date: new Date(0),
      never: new Date(Number.NaN),
      error: new TypeError(`no ${SECRET} here: Bearer ${SECRET}`),
      url: new URL(`https://u:${SECRET}@a.example/?token=${SECRET}`),
      bytes: Buffer.from(SECRET),
      big: 10n,
      call: () => SECRET,
      symbol: Symbol(SECRET),
      none: undefined,
    };
    expect(redact(fields)).toEqual({
      date: '1970-01-01T00:00:00.000Z',
      never: 'Invalid Date',
      error: expect.stringMatching(/^TypeError: no .* Bearer \[redacted\]$/),
      url: 'https://[redacted]@a.example/?token=[redacted]',
      bytes: '<bytes len=14>',
      big: '10',
      call: '<function>',
      symbol: '<symbol>',
      none: undefined,
    });
  });

  test('has an end: circles, depth, width and length', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    circle.list = [circle, circle];
    expect(line({ circle }).length).toBeLessThan(20_000);
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at]));
    expect(Object.keys(redact({ wide }).wide as object)).toHaveLength(64);
    const bush = (depth: number): unknown => (depth === 0 ? 'leaf' : Array(50).fill(bush(depth - 1)));
    expect(line({ bush: bush(4) }).length).toBeLessThan(60_000);
    expect(line({ ['n'.repeat(5_000)]: 1 }).length).toBeLessThan(200);
  });

  test('that cannot be read is left out', () => {
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error(SECRET);
        },
      },
    );
    const thrower = {
      get a(): string {
        throw new Error(SECRET);
      },
    };
    expect(redact({ trap, thrower, b: 1 })).toEqual({ trap: {}, thrower: {}, b: 1 });
    const polluting = JSON.parse('{"__proto__":{"isAdmin":true}}') as Record<string, unknown>;
    redact({ polluting });
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
