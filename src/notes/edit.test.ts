import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceText } from './edit.ts';
import { lineNumberAt } from './markdown/lines.ts';

const replace = (text: string, oldString: string, newString: string, replaceAll = false) =>
  replaceText(text, { oldString, newString, replaceAll });

describe('replacing', () => {
  test.each([
    ['one two', 'one', '1', '1 two'],
    ['a $& b', '$&', '$1', 'a $1 b'],
    ['a.c abc', 'a.c', 'x', 'x abc'],
    ['x', 'x', '', ''],
    ['a\r\nb\r\nc', 'a\nb', 'x\ny', 'x\r\ny\r\nc'],
    ['a\nb', 'a\r\nb', 'x', 'x'],
    ['a\r\nb\r\n', 'b', 'b\nc', 'a\r\nb\r\nc\r\n'],
    ['caf\u00e9', 'cafe\u0301', 'tea', 'tea'],
    ['cafe\u0301', 'caf\u00e9', 'tea', 'tea'],
    ['\uFEFFa', 'a', 'b', '\uFEFFb'],
  ])('%j: %j by %j gives %j', (text, oldString, newString, result) => {
    expect(replace(text, oldString, newString)).toEqual({ text: result, count: 1 });
  });

  test('to the letter comes before alike', () => {
    expect(replace('caf\u00e9 cafe\u0301', 'caf\u00e9', 'x').text).toBe('x cafe\u0301');
  });

  test('part of a character is never replaced', () => {
    expect(() => replace('xe\u0301x', 'xé́', 'y')).toThrow('oldString not found');
    expect(replace('👩‍💻 x', 'x', 'y').text).toBe('👩‍💻 y');
  });

  test('all places are replaced when asked, without looking at what was put in', () => {
    expect(replace('aXbX', 'X', 'XX', true)).toEqual({ text: 'aXXbXX', count: 2 });
    expect(replace('aaaa', 'aa', 'b', true)).toEqual({ text: 'bb', count: 2 });
  });

  test('only the line endings can be changed', () => {
    expect(replace('a\r\nb', 'a\r\nb', 'a\nb').text).toBe('a\nb');
  });
});

describe('refusing', () => {
  test('several places, with their number and lines', () => {
    expect(() => replace('x\nx\n\nx', 'x', 'y')).toThrow(
      /^Found 3 occurrences of oldString \(lines 1, 2, 4\)\. Use replaceAll=true/,
    );
    expect(() => replace('x x', 'x', 'y')).toThrow('(line 1)');
    expect(() => replace('x\n'.repeat(20), 'x', 'y')).toThrow('(lines 1, 2, 3, 4, 5, 6, 7, 8, …)');
    expect(() => replace('aaa', 'aa', 'y')).toThrow('Found 2 occurrences');
  });

  test('no place, with the closest line', () => {
    expect(() => replace('first line\nsecond line\n', 'secnd line', 'x')).toThrow(
      'oldString not found in the note',
    );
    const hint = (text: string, wanted: string) => {
      try {
        replace(text, wanted, 'new');
      } catch (error) {
        return (error as { hint?: string }).hint ?? '';
      }
      return '';
    };
    expect(hint('first line\nsecond line\n', 'secnd line')).toContain('Closest is line 2: "second line"');
    expect(hint('a  b', 'a b')).toContain('white space only');
    expect(hint('Hello World', 'hello world')).toContain('case only');
    expect(hint('abc', 'zzz')).toContain('has nothing similar');
    expect(hint('', 'zzz')).toContain('has nothing similar');
  });

  test('nothing to change', () => {
    expect(() => replace('x', 'x', 'x')).toThrow('the same');
  });
});

test('lines are counted from one', () => {
  expect([0, 1, 2, 3].map((at) => lineNumberAt('a\nb\n', at))).toEqual([1, 1, 2, 2]);
  expect(lineNumberAt('a\r\nb', 3)).toBe(2);
});

const unit = fc.constantFrom(
  'a',
  'b',
  ' ',
  'é',
  'e\u0301',
  '😀',
  '\n',
  '\r\n',
  '$&',
  '\\',
  '---\n',
  '\uFEFF',
  '한',
);
const piece = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));
const MARK = '\u2603';

test('a unique piece replaced, and replaced back, gives the text again and touches nothing around it', () => {
  fc.assert(
    fc.property(piece, piece, piece, piece, (before, middle, after, other) => {
      const oldString = `${MARK}${middle}${MARK}`;
      const newString = `${MARK}${other}!${MARK}`;
      fc.pre(oldString !== newString);
      const text = before + oldString + after;
      const there = replace(text, oldString, newString);
      expect(there.count).toBe(1);
      expect(there.text.startsWith(before)).toBe(true);
      expect(there.text.endsWith(after)).toBe(true);
      const put = there.text.slice(before.length, there.text.length - after.length);
      expect(put.replaceAll('\r\n', '\n')).toBe(newString.replaceAll('\r\n', '\n'));
      const back = replace(there.text, put, oldString);
      expect(back.text.replaceAll('\r\n', '\n')).toBe(text.replaceAll('\r\n', '\n'));
      expect(back.text.startsWith(before)).toBe(true);
      expect(back.text.endsWith(after)).toBe(true);
      const plain = !/\n/.test(oldString + newString);
      if (plain) expect(back.text).toBe(text);
    }),
  );
});

test('in a CRLF or decomposed note, a piece named in LF and composed is replaced, and put back to the byte', () => {
  fc.assert(
    fc.property(
      piece,
      piece,
      piece,
      piece,
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('NFC', 'NFD'),
      (before, middle, after, other, ending, form) => {
        const asked = (text: string) => text.replaceAll('\r\n', '\n').normalize('NFC');
        const stored = (text: string) => asked(text).normalize(form).replaceAll('\n', ending);
        const oldString = asked(`${MARK}${middle}${MARK}`);
        const newString = asked(`${MARK}${other}!${MARK}`);
        fc.pre(oldString !== newString);
        const text = stored(before + oldString + after);
        const there = replace(text, oldString, newString);
        expect(there.text.startsWith(stored(before))).toBe(true);
        expect(there.text.endsWith(stored(after))).toBe(true);
        const back = replace(there.text, newString, stored(oldString));
        expect(back.text).toBe(text);
      },
    ),
  );
});
