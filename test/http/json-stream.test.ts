/** The streaming parser gives the result of JSON.parse, wherever the chunks are cut. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonStream } from '../../src/http/json-stream.ts';

const MB = 1024 ** 2;

/** The value, or 'refused'; in pieces of these sizes, over and over. */
function parseInPieces(bytes: Buffer, sizes: readonly number[]): unknown {
  const stream = new JsonStream({ limitBytes: 64 * MB });
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    stream.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return outcomeOf(() => stream.finish());
}

function parseWhole(bytes: Buffer): unknown {
  return outcomeOf(() => JSON.parse(bytes.toString('utf8')));
}

function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'refused';
  }
}

/** Texts around and beyond the length from which strings are taken out, with all that can be in one. */
const piece = fc.constantFrom(
  ...[
    'QUJD',
    'a b',
    '\\',
    '"',
    '/',
    '\n',
    '\u0001',
    'é',
    '€',
    '😀',
    '\ud83d',
    '\ude00',
    '\u2028',
    '{"',
    '":',
  ],
);
const longText = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 3_000 }))
  .map(([parts, times]) => parts.join('').repeat(times));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string(), longText),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__'), longText), tie('json'), { maxKeys: 4 }),
  ),
}));
const written = fc
  .tuple(json, fc.constantFrom(undefined, 2), fc.boolean())
  .map(([value, indent, isAscii]) => {
    const text = JSON.stringify(value, null, indent);
    return isAscii ? escapeAll(text) : text;
  });
const sizes = fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 5 });

/** JSON as some encoders write it: ASCII only, and slashes escaped with a backslash. */
function escapeAll(text: string): string {
  const code = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[\u0080-\uffff]/g, code).replaceAll('/', '\\/');
}

describe('JSON in pieces', () => {
  test('is the value it is as a whole', () => {
    fc.assert(
      fc.property(written, sizes, (text, cuts) => {
        const bytes = Buffer.from(text);
        expect(parseInPieces(bytes, cuts)).toEqual(parseWhole(bytes));
      }),
      { numRuns: 300 },
    );
  });

  test('is refused exactly when it is no JSON as a whole', () => {
    const damage = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      drop: fc.integer({ min: 0, max: 3 }),
      put: fc.constantFrom('', '"', '\\', '\\u12', '\\q', '\n', '\0', ',', '}', '{', '[', ':', '\u{1F600}'),
    });
    fc.assert(
      fc.property(written, damage, sizes, (text, { at, drop, put }, cuts) => {
        const whole = Buffer.from(text);
        const place = Math.floor(at * whole.length);
        // Cut in bytes: characters are broken, too.
        const bytes = Buffer.concat([
          whole.subarray(0, place),
          Buffer.from(put),
          whole.subarray(place + drop),
        ]);
        expect(parseInPieces(bytes, cuts)).toEqual(parseWhole(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('may be cut at every byte of escapes, characters and quotes', () => {
    const edge = `\\"\\\\\\n\\u00e9\\ud83d\\ude00é€😀\\/`;
    const text = `{"k":"${edge}${'A'.repeat(4_080)}${edge}" , "${'k'.repeat(4_097)}${edge}" :["${edge}"]}`;
    const bytes = Buffer.from(text);
    const whole = parseWhole(bytes);
    expect(whole).not.toBe('refused');
    // Far from all of these, one place is like another.
    const isInRun = (at: number) => /^(?:A+|k+)$/.test(bytes.toString('latin1', at - 32, at + 32));
    for (let cut = 1; cut < bytes.length; cut++)
      if (cut % 61 === 0 || !isInRun(cut))
        expect([cut, parseInPieces(bytes, [cut, bytes.length])]).toEqual([cut, whole]);
    for (const size of [1, 2, 3, 5, 7]) expect(parseInPieces(bytes, [size])).toEqual(whole);
  });

  test.each([
    ['the last of equal keys wins', `{"a":"${'x'.repeat(5_000)}","b":1,"a":"${'y'.repeat(5_000)}"}`],
    ['equal long keys', `{"${'k'.repeat(5_000)}":1,"b":2,"${'k'.repeat(5_000)}":3}`],
    ['a long string alone', `"${'x'.repeat(5_000)}"  `],
    ['two of them', `"${'x'.repeat(5_000)}" "${'x'.repeat(5_000)}"`],
    ['a long string that does not end', `{"a":"${'x'.repeat(5_000)}`],
    ['a line break in a long string', `["${'x'.repeat(5_000)}\n"]`],
    ['a bad escape in a long string', `["${'x'.repeat(5_000)}\\x41"]`],
    ['half an escape at its end', `["${'x'.repeat(5_000)}\\u00"]`],
    ['nothing', ''],
    ['a byte order mark', `\ufeff{}`],
    ['a bad number after a long string', `["${'x'.repeat(5_000)}",01]`],
  ])('%s', (_, text) => {
    const bytes = Buffer.from(text);
    expect(parseInPieces(bytes, [1_000])).toEqual(parseWhole(bytes));
  });

  test('bytes that are no UTF-8 are read as ever', () => {
    for (const bad of [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0x80, 0x80, 0x80]]) {
      const bytes = Buffer.concat([
        Buffer.from(`["${'x'.repeat(5_000)}`),
        Buffer.from(bad),
        Buffer.from('","'),
        Buffer.from(bad),
        Buffer.from('"]'),
      ]);
      expect(parseInPieces(bytes, [1])).toEqual(parseWhole(bytes));
    }
  });

  test('may be nested as deep as it is long, long strings included', () => {
    const depth = 200_000;
    const stream = new JsonStream({ limitBytes: MB });
    stream.push(Buffer.from(`${'['.repeat(depth)}"${'x'.repeat(5_000)}"${']'.repeat(depth)}`));
    let value = stream.finish();
    while (Array.isArray(value)) value = value[0];
    expect(value).toBe('x'.repeat(5_000));
  });

  test('what looks like a placeholder is a text like any other', () => {
    const seen: string[] = [];
    const guess = new JsonStream({ limitBytes: MB, onOutline: (part) => void seen.push(String(part)) });
    guess.push(Buffer.from(`["${'x'.repeat(5_000)}",""]`));
    const [, placeholder] = /"([^"]+)"/.exec(seen.join('')) ?? [];
    expect(placeholder).toMatch(/:0$/);
    const stream = new JsonStream({ limitBytes: MB });
    stream.push(Buffer.from(`["${placeholder}","${'y'.repeat(5_000)}"]`));
    expect(stream.finish()).toEqual([placeholder, 'y'.repeat(5_000)]);
  });

  test('has an outline that long strings do not count for', () => {
    const stream = new JsonStream({ limitBytes: 3 * MB });
    stream.push(Buffer.from(`{"a":"${'x'.repeat(2 * MB)}","b":"c"}`));
    expect(stream.outlineBytes).toBeLessThan(100);
    expect(stream.finish()).toEqual({ a: 'x'.repeat(2 * MB), b: 'c' });
  });
});
