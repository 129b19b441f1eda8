import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinBlocks } from './insert-block.ts';

test.each([
  ['one\n', 'two\n', 'one\n\ntwo\n'],
  ['one', 'two', 'one\n\ntwo'],
  ['one\n', 'two', 'one\n\ntwo\n'],
  ['one\n\n\n', '\n\ntwo\n', 'one\n\ntwo\n'],
  ['one\r\n', 'two\nthree', 'one\r\n\r\ntwo\r\nthree\r\n'],
  ['', 'two\n', 'two\n'],
  ['\n', 'two\n', '\ntwo\n'],
  ['one\n', '', 'one\n'],
  ['one\n', '\n\n', 'one\n'],
  ['one\n', '  indented', 'one\n\n  indented\n'],
])('%j followed by %j is %j', (body, addition, result) => {
  expect(joinBlocks(body, addition, 'after')).toBe(result);
});

test.each([
  ['one\n', 'zero\n', 'zero\n\none\n'],
  ['one', 'zero', 'zero\n\none'],
  ['\none\n', 'zero', '\nzero\n\none\n'],
  ['one\r\n', 'a\nb', 'a\r\nb\r\n\r\none\r\n'],
  ['', 'zero\n', 'zero\n'],
  ['one\n', '', 'one\n'],
  ['one\n', '\n\nzero\n\n\n', 'zero\n\none\n'],
])('%j preceded by %j is %j', (body, addition, result) => {
  expect(joinBlocks(body, addition, 'before')).toBe(result);
});

const line = fc.constantFrom('', 'a', 'b c', '  d', '# e');
const lines = fc.array(line, { maxLength: 6 });
const ending = fc.constantFrom('\n', '\r\n');

test('nothing of either part is lost, and exactly one blank line stands between', () => {
  fc.assert(
    fc.property(lines, lines, ending, fc.constantFrom('before', 'after'), (above, below, end, side) => {
      const body = above.join(end);
      const addition = below.join('\n');
      fc.pre(above.some((text) => text !== '') && below.some((text) => text !== ''));
      const joined = joinBlocks(body, addition, side);
      const inOrder = (texts: string[]) => texts.filter((text) => text !== '');
      const expected =
        side === 'after' ? [...inOrder(above), ...inOrder(below)] : [...inOrder(below), ...inOrder(above)];
      expect(inOrder(joined.split(/\r?\n/))).toEqual(expected);
      const first = side === 'after' ? body : addition;
      const last = inOrder(first.split(/\r?\n/)).length;
      const rows = joined.split(/\r?\n/);
      const seam = rows.findIndex((_, at) => inOrder(rows.slice(0, at + 1)).length === last);
      expect(rows[seam + 1]).toBe('');
      expect(rows[seam + 2]).not.toBe('');
    }),
  );
});
