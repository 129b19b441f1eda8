import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold, mayHoldFolded } from './text/fold.ts';

const ALL = { ignoreCase: true, ignoreAccents: true, ignoreLineEndings: true };
const FORMS = { ignoreLineEndings: true };

describe('folded text', () => {
  test.each([
    ['Hello', 'hello'],
    ['ÉTUDE', 'etude'],
    ['e\u0301tude', 'etude'],
    ['Ünï 名 😀', 'uni 名 😀'],
    ['a\r\nb\rc\n', 'a\nb\rc\n'],
    ['ﬁn ①', 'fin 1'],
    ['İ', 'i'],
    ['It’s “so” – or—so…', `it's "so" - or-so...`],
    ['«ÿ»', '«y»'],
    ['Größe GROẞE', 'grosse grosse'],
    ['', ''],
  ])('%j is %j when case, accents and line endings are dropped', (text, folded) => {
    expect(fold(text, ALL).text).toBe(folded);
  });

  test('may hold every piece of ASCII that a character becomes', () => {
    const missed: string[] = [];
    for (let code = 0x80; code < 0x20000; code++) {
      const character = String.fromCodePoint(code);
      const { text } = fold(character, ALL);
      for (const becomes of [...text].filter((one) => one >= ' ' && one < '\x7f'))
        if (!mayHoldFolded(character, becomes)) missed.push(`${becomes} of U+${code.toString(16)}`);
    }
    expect(missed).toEqual([]);
    expect(mayHoldFolded('“quoted” — so…', 'c++')).toBe(false);
    expect(mayHoldFolded('名前 ΟΔΟΣ', 'foo.bar')).toBe(false);
  });

  test('only Unicode forms and line endings are made alike when nothing else is asked', () => {
    expect(fold('Cafe\u0301\r\n', FORMS).text).toBe('Caf\u00e9\n');
    expect(fold('a\r\nb', {}).text).toBe('a\r\nb');
    expect(fold('\u1112\u1161\u11ab', FORMS).text).toBe('한');
  });
});

test('an offset leads back to the character it came from', () => {
  const text = 'e\u0301a\r\nﬁx😀y';
  const folded = fold(text, ALL);
  expect(folded.text).toBe('ea\nfix😀y');
  const back = [...folded.text].map((_, at) => text.slice(folded.originalOffset(at)));
  expect(back.slice(0, 3)).toEqual([text, text.slice(2), text.slice(3)]);
  expect(text.slice(folded.originalOffset(folded.text.indexOf('y')))).toBe('y');
  expect(folded.originalOffset(folded.text.length)).toBe(text.length);
});

const unit = fc.constantFrom(
  'a',
  'B',
  'é',
  'e\u0301',
  'ß',
  'İ',
  '\r\n',
  '\n',
  '\r',
  '😀',
  'ﬁ',
  '한',
  '\u1112\u1161',
  '\u0301',
  'Å',
  '’',
  '—',
  '…',
  'z',
  ' ',
);
const text = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));
const folding = fc.record({
  ignoreCase: fc.boolean(),
  ignoreAccents: fc.boolean(),
  ignoreLineEndings: fc.boolean(),
});

test('offsets never go back and stay inside the text', () => {
  fc.assert(
    fc.property(text, folding, (original, how) => {
      const folded = fold(original, how);
      let last = 0;
      for (let at = 0; at <= folded.text.length; at++) {
        const offset = folded.originalOffset(at);
        expect(offset).toBeGreaterThanOrEqual(last);
        expect(offset).toBeLessThanOrEqual(original.length);
        last = offset;
      }
      expect(folded.originalOffset(folded.text.length)).toBe(original.length);
    }),
  );
});

test('a piece of the text, folded, is found in the folded text', () => {
  fc.assert(
    fc.property(text, text, text, folding, (before, piece, after, how) => {
      // Marks at a seam join the letter before it and so are another character.
      const whole = `${before}|${piece}|${after}`;
      expect(fold(whole, how).text).toContain(fold(`|${piece}|`, how).text);
    }),
  );
});

test('the composed and the decomposed form of a text fold alike', () => {
  fc.assert(
    fc.property(text, folding, (original, how) => {
      expect(fold(original.normalize('NFD'), how).text).toBe(fold(original.normalize('NFC'), how).text);
    }),
  );
});
