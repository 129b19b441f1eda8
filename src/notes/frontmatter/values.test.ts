import { describe, expect, it } from 'vitest';
import { assertFrontmatterValues } from './values.ts';

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { k: nested(levels - 1) };
}

const circular: Record<string, unknown> = {};
circular.list = [circular];

describe('assertFrontmatterValues', () => {
  it('accepts JSON', () => {
    const data = { a: 'x', b: 1.5, c: true, d: null, e: [1, ['😀'], { f: '' }], 'key with: signs': {} };
    expect(() => assertFrontmatterValues(data)).not.toThrow();
    expect(() => assertFrontmatterValues(Object.assign(Object.create(null), { a: 1 }))).not.toThrow();
    expect(() => assertFrontmatterValues(nested(17))).not.toThrow();
  });

  const refused: [string, unknown, string | RegExp][] = [
    ['a list', [], 'it must be an object of keys and values, not a list'],
    ['null', null, 'not null'],
    ['text', 'a: 1', 'not a string'],
    ['a function', { a: { b: () => 1 } }, /^Invalid frontmatter: a\.b must be .*, not a function$/],
    ['a symbol', { a: [1, Symbol('x')] }, /^Invalid frontmatter: a\[1\] must be .*, not a symbol$/],
    ['a symbol as key', { [Symbol('x')]: 1 }, 'symbol'],
    ['a bigint', { a: 1n }, 'not a bigint'],
    ['undefined', { a: undefined }, 'not undefined'],
    ['a hole', { a: Array(2) }, 'a[0] must be'],
    ['NaN', { a: Number.NaN }, 'a must be a finite number, not NaN'],
    ['Infinity', { a: -Infinity }, 'a must be a finite number'],
    ['a date', { a: new Date(0) }, 'not a Date object'],
    ['a map', { a: new Map() }, 'not a Map object'],
    ['an empty key', { a: { '': 1 } }, 'a holds an empty key'],
    ['a key with a line break', { 'a\nb': 1 }, 'it holds a key with a line break'],
    ['a key with a control character', { 'a\u0007': 1 }, 'control character'],
    ['__proto__', JSON.parse('{"a": {"__proto__": 1}}'), 'a holds the key __proto__'],
    ['a long key', { ['k'.repeat(300)]: 1 }, 'longer than 256'],
    ['deep nesting', nested(18), 'nested more than 16 levels deep'],
    ['itself', circular, 'list[0] holds itself'],
    [
      'too many keys',
      { a: Object.fromEntries([...Array(1000).keys()].map((n) => [`k${n}`, n])) },
      '1000 keys',
    ],
    ['half a character', { a: 'x\uD83D' }, 'a is not valid Unicode text'],
    ['half a character in a key', { '\uDE00': 1 }, 'not valid Unicode'],
  ];
  for (const [name, data, message] of refused)
    it(`refuses ${name}`, () => {
      expect(() => assertFrontmatterValues(data)).toThrow(message);
      expect(() => assertFrontmatterValues(data)).toThrow(/^Invalid frontmatter: /);
    });
});
