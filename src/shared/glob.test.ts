import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../test/kit/cases.ts';
import { coversGlob, globsOverlap, matchesGlob } from './glob.ts';

const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 7 });
const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 9 });
const asPattern = (one: string) => new RegExp(`^${one.replaceAll('*', '.*').replaceAll('?', '.')}$`);

describe('matchesGlob', () => {
  it('is for the whole text, as a pattern would be', () => {
    fc.assert(
      fc.property(glob, text, (one, given) => {
        expect(matchesGlob(one, given)).toBe(asPattern(one).test(given));
      }),
    );
  });

  it('takes other signs as they are, and counts characters', () => {
    expect(matchesGlob('a.c', 'abc')).toBe(false);
    expect(matchesGlob('[ab]', 'a')).toBe(false);
    expect(matchesGlob('?', '\u{1f600}')).toBe(true);
    expect(matchesGlob('', '')).toBe(true);
  });

  it('is case-sensitive by default', () => {
    expect(matchesGlob('get*', 'GetX')).toBe(false);
    expect(matchesGlob('get*', 'GetX', { ignoreCase: true })).toBe(true);
    expect(matchesGlob('*delete*', 'ｄelete', { ignoreCase: true })).toBe(true);
  });

  it('ends, whatever is written', () => {
    expect(matchesGlob('*a'.repeat(100), 'a'.repeat(5_000).concat('b'))).toBe(false);
  });
});

describe('globsOverlap', () => {
  it('finds every pair that one text is in', () => {
    fc.assert(
      fc.property(glob, glob, text, (a, b, given) => {
        if (matchesGlob(a, given) && matchesGlob(b, given)) expect(globsOverlap(a, b)).toBe(true);
      }),
    );
  });

  it.each([
    ['list_*', 'delete_*', false],
    ['list_*', '*_mail', true],
    ['a?', 'a', false],
    ['a', 'A', true],
    ['*', '', true],
    ['?*', '', false],
  ])('%s and %s: %s', (a, b, expected) => {
    expect([globsOverlap(a, b), globsOverlap(b, a)]).toEqual([expected, expected]);
  });
});

describe('coversGlob', () => {
  it('claims nothing that a text disproves', () => {
    fc.assert(
      fc.property(glob, glob, text, (wide, narrow, given) => {
        if (coversGlob(wide, narrow) && matchesGlob(narrow, given))
          expect(matchesGlob(wide, given)).toBe(true);
      }),
      { numRuns: cases(3_000) },
    );
  });

  it.each([
    ['*', 'a*b', true],
    ['delete*', 'delete_?', true],
    ['delete_?', 'delete*', false],
    ['?*', '*', false],
    ['a', 'a', true],
  ])('%s of %s: %s', (wide, narrow, expected) => {
    expect(coversGlob(wide, narrow)).toBe(expected);
  });
});
