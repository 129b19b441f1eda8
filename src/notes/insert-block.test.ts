import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countBlock, holdsBlock, type InsertPlace, insertBlock } from './insert-block.ts';

test.each<[before: string, place: InsertPlace, after: string, afterFrontmatter: boolean]>([
  ['# new\n', 'end', '# new\n\nX', false],
  ['no end', 'end', 'no end\n\nX', false],
  ['a\n\n', 'end', 'a\n\nX', false],
  ['a\n\n\n', 'end', 'a\n\n\nX', false],
  ['', 'end', 'X', false],
  ['\uFEFF', 'end', '\uFEFFX', false],
  ['\n', 'end', '\n\nX', false],
  ['a\r\nb\r\n', 'end', 'a\r\nb\r\n\r\nX', false],
  ['---\na: 1\n---', 'end', '---\na: 1\n---\n\nX', false],
  ['---\ntags: x\n---\n# new\n', 'after_frontmatter', '---\ntags: x\n---\n\nX\n# new\n', true],
  ['---\na: 1\n---', 'after_frontmatter', '---\na: 1\n---\n\nX\n', true],
  ['---\na: 1\n---\n', 'after_frontmatter', '---\na: 1\n---\n\nX\n', true],
  ['\uFEFF---\na: 1\n---\ntext', 'after_frontmatter', '\uFEFF---\na: 1\n---\n\nX\ntext', true],
  ['---\r\na: 1\r\n---\r\ntext', 'after_frontmatter', '---\r\na: 1\r\n---\r\n\r\nX\r\ntext', true],
  ['---\r\na: 1\r\n---', 'after_frontmatter', '---\r\na: 1\r\n---\r\n\r\nX\r\n', true],
  ['# T\n', 'after_frontmatter', 'X\n# T\n', false],
  ['\uFEFF# T\n', 'after_frontmatter', '\uFEFFX\n# T\n', false],
  ['', 'after_frontmatter', 'X\n', false],
  ['---\na: 1\n---\ntext', 'top', 'X\n---\na: 1\n---\ntext', false],
  ['\uFEFF---\na: 1\n---\n', 'top', '\uFEFFX\n---\na: 1\n---\n', false],
])('%j, at its %s', (before, place, text, afterFrontmatter) => {
  expect(insertBlock(before, 'X', place)).toEqual({ text, afterFrontmatter });
});

test('the line endings of the page win', () => {
  expect(insertBlock('a\r\n', 'x\ny', 'end').text).toBe('a\r\n\r\nx\r\ny');
  expect(insertBlock('one line', 'x\r\ny', 'end').text).toBe('one line\n\nx\r\ny');
});

test('both texts are literal', () => {
  expect(insertBlock('a $1\n', "$& $' $$", 'end').text).toBe("a $1\n\n$& $' $$");
});

const PLACES: InsertPlace[] = ['end', 'top', 'after_frontmatter'];
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom('---', '\n', '\r\n', 'a: 1', '\uFEFF', 'text', '')).map((parts) => parts.join('')),
);

test.each(PLACES)('at the %s nothing of the page is changed, and the piece is recognised', (place) => {
  fc.assert(
    fc.property(anyText, fc.oneof(fc.string({ minLength: 1 }), anyText), (before, any) => {
      const content = any.replaceAll('\uFEFF', '');
      const { text } = insertBlock(before, content, place);
      if (place === 'end') expect(text.startsWith(before)).toBe(true);
      else {
        const added = text.length - before.length;
        const kept = [...Array(before.length + 1).keys()].some(
          (at) => text.slice(0, at) + text.slice(at + added) === before,
        );
        expect(kept).toBe(true);
      }
      if (content.replace(/[\r\n]/g, '') !== '') expect(holdsBlock(text, content, place)).toBe(true);
    }),
  );
});

test.each<[text: string, place: InsertPlace, holds: boolean]>([
  ['a\n\nX', 'end', true],
  ['X', 'end', true],
  ['aX', 'end', false],
  ['a\n\nX\n', 'end', true],
  ['\uFEFFX', 'end', true],
  ['a\r\n\r\nX', 'end', true],
  ['X\nb', 'end', false],
  ['---\na: 1\n---\n\nX\nrest', 'after_frontmatter', true],
  ['---\na: 1\n---\nX\nrest', 'after_frontmatter', true],
  ['---\na: 1\n---\n\nXrest', 'after_frontmatter', false],
  ['X\nrest', 'top', true],
  ['rest\nX\n', 'top', false],
])('%j, looked at for X at its %s: %s', (text, place, holds) => {
  expect(holdsBlock(text, 'X', place)).toBe(holds);
});

test.each([
  ['', 'x', 0],
  ['x', 'x', 1],
  ['x\nx\nx', 'x', 3],
  ['x\r\n\r\nx\r\n', 'x', 2],
  ['xx\nax', 'x', 0],
  ['a\nb\n\na\nb', 'a\nb', 2],
  ['a\nb', '\na\nb\n\n', 1],
])('in %j, %j stands %i times as lines of its own', (text, piece, count) => {
  expect(countBlock(text, piece)).toBe(count);
});
