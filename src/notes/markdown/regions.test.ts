import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/kit/cases.ts';
import { processorTime } from '../../../test/kit/processor-time.ts';
import { outlineOf } from './outline.ts';
import {
  blocksAtMargin,
  codeBlocks,
  codeRegions,
  createRangeCursor,
  isInside,
  overlapsAny,
} from './regions.ts';

function codeOf(text: string): string[] {
  return codeRegions(text).map(({ start, end }) => text.slice(start, end));
}

describe('fenced code', () => {
  test.each([
    ['backticks', '```js\na\n```\nb', ['```js\na\n```']],
    ['tildes, with backticks in the info string', '~~~ `x`\na\n~~~\nb', ['~~~ `x`\na\n~~~']],
    ['a longer closing fence', '```\na\n`````\nb', ['```\na\n`````']],
    ['a shorter run that does not close', '````\na\n```\nb\n````\nc', ['````\na\n```\nb\n````']],
    ['no closing fence: to the end', 'x\n```\na\n\nb', ['```\na\n\nb']],
    ['a closing fence with words does not close', '```\na\n``` b\n```', ['```\na\n``` b\n```']],
    ['inside a block quote', '> ```\n> a\n> ```\n> b', ['```\n> a\n> ```']],
    ['ended by the end of its block quote', '> ```\n> a\nb [[x]]', ['```\n> a']],
    ['inside a list item', '- x\n  ```\n  a\n\n  b\n  ```\n  c', ['```\n  a\n\n  b\n  ```']],
    ['on the marker line of a list item', '1. ```\n   a\n   ```\nb', ['```\n   a\n   ```']],
    ['inside an item indented by tabs', '- x\n\t```\n\ta\n\t```\n\tb', ['```\n\ta\n\t```']],
    ['inside a quote inside an item', '- > ~~~\n  > a\n  > ~~~\n  > b', ['~~~\n  > a\n  > ~~~']],
    ['with CRLF', '```\r\na\r\n```\r\nb', ['```\r\na\r\n```']],
    ['right after a paragraph', 'p\n```\na\n```', ['```\na\n```']],
  ])('%s', (_name, text, expected) => {
    expect(codeOf(text)).toEqual(expected);
  });

  test('backticks on one line are a span, not a fence', () => {
    expect(codeOf('``` a ``` b\n\nc')).toEqual(['``` a ```']);
  });
});

describe('blocks by their signs alone', () => {
  test.each([
    ['at the start of the line', 'a\n```js\n# b\n```\n# c', ['```js\n# b\n```']],
    ['behind a list', '- a\n- b\n```\n# c\n````\n# d', ['```\n# c\n````']],
    [
      'with others inside',
      '```\n<!--\n~~~\n$$\n``` x\n a ```\n```',
      ['```\n<!--\n~~~\n$$\n``` x\n a ```\n```'],
    ],
    ['with CRLF, to the end', '```\r\n# a\r\n', ['```\r\n# a\r\n']],
    ['comments', '<!--\n```\n--> ```\n# a\n<!-->\n', ['<!--\n```\n-->', '<!-->']],
    ['none in running text', 'a ```\n- b `<!--`, $$ and ~~~\n# c', []],
  ])('%s', (_name, text, expected) => {
    expect(blocksAtMargin(text)?.map(({ start, end }) => text.slice(start, end))).toEqual(expected);
  });

  test.each([
    '- a\n  ```\n  ```',
    '> ```\n',
    '```\n  ```\n# a',
    '~~~\n',
    ' <!--\n```\n-->',
    '$$\n# a\n$$',
    '1. $$\n',
    '``` a ``` b',
  ])('are not sure of %j', (text) => expect(blocksAtMargin(text)).toBeUndefined());

  test('hide the headings that the block scanner hides', () => {
    const piece = fc.constantFrom(
      ...['```', '```', '````', '~~~', '`', '\n', '\n', '\n\n', '\r\n', '# a', '## b\n', '> ', '- ', '1. '],
      ...[
        '  ',
        '    ',
        '\t',
        'word',
        '\u00a0',
        '\r',
        '\n<!--',
        '<!--',
        '-->',
        '$$',
        '---\n',
        '===\n',
        '| a |',
        '---\na: b\n---\n',
        '\ufeff',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const blocks = blocksAtMargin(text);
        if (blocks) expect(outlineOf(text, blocks)).toEqual(outlineOf(text, codeBlocks(text)));
      }),
      { numRuns: cases(5_000) },
    );
  });
});

describe('indented code', () => {
  test.each([
    ['at the start', '    a\n    b\nc', ['    a\n    b']],
    ['after a blank line', 'p\n\n    a\n\n    b\n\nc', ['    a\n\n    b']],
    ['by a tab', 'p\n\n\ta\n', ['\ta']],
    ['not inside a paragraph', 'p\n    a', []],
    ['not inside a list item', '- x\n\n    a\n\n      - b\n', []],
    ['again once the list has ended', '- x\n\np\n\n    a', ['    a']],
    ['inside a block quote', '> p\n>\n>     a', ['    a']],
    ['with CRLF', 'p\r\n\r\n    a\r\n', ['    a']],
  ])('%s', (_name, text, expected) => {
    expect(codeOf(text)).toEqual(expected);
  });
});

describe('inline constructs', () => {
  test.each([
    ['a span', 'a `b` c', ['`b`']],
    ['a span with inner runs of another length', 'a ``b ` c`` d', ['``b ` c``']],
    ['an unmatched run', 'a ``b` c', []],
    ['an escaped backtick opens nothing', 'a \\`b` c', []],
    ['a backslash does not protect the closing run', '`a\\` b', ['`a\\`']],
    ['a span over a line break', 'a `b\nc` d', ['`b\nc`']],
    ['no span over a blank line', 'a `b\n\nc` d', []],
    ['no span over a CRLF blank line', 'a `b\r\n\r\nc` d', []],
    ['no span from one list item to the next', '- a `b\n- c` d', []],
    ['no span from a heading into the text below', '# a `b\nc` d', []],
    ['no span from one table row to the next', '| a ` |\n| b ` |', []],
    ['a comment', 'a <!-- b --> c', ['<!-- b -->']],
    ['a comment over blank lines', '<!-- a\n\nb --> c `d`', ['<!-- a\n\nb -->', '`d`']],
    ['an unclosed comment that begins a line', '<!-- a\n\nb', ['<!-- a\n\nb']],
    ['an unclosed comment inside a line is text', 'x <!-- a `b`', ['`b`']],
    ['mathematics in a line', 'a $$b$$ c', ['$$b$$']],
    ['a block of mathematics', '$$\na\n\nb\n$$\nc', ['$$\na\n\nb\n$$']],
    ['a lone pair of dollars', 'costs $$ and `a`\n\n$$ b', ['`a`']],
    ['unclosed mathematics', '$$\na `b`', ['`b`']],
    ['a comment sign inside a fence', '```\n<!--\n```\na `b`', ['```\n<!--\n```', '`b`']],
  ])('%s', (_name, text, expected) => {
    expect(codeOf(text)).toEqual(expected);
  });
});

describe('frontmatter', () => {
  test.each([
    ['is skipped', '---\na: `x`\n    b\n---\n`c`', ['`c`']],
    ['is skipped behind a BOM', '\uFEFF---\na: `x`\n---\n`c`', ['`c`']],
    ['may end in dots', '---\na: `x`\n...\n`c`', ['`c`']],
    ['with CRLF', '---\r\na: `x`\r\n---\r\n`c`', ['`c`']],
    ['does not reach a fence opened in it', '---\na: |\n  ```\n---\n[[x]]', []],
    ['needs its closing line', '---\na: `x`', ['`x`']],
    ['has no language word', '---js\na: `x`\n---\n', ['`x`']],
    ['stands at the very start only', '\n---\na: `x`\n---\n', ['`x`']],
  ])('%s', (_name, text, expected) => {
    expect(codeOf(text)).toEqual(expected);
  });
});

test('regions are sorted and apart, and lookups agree with them', () => {
  const pieces = fc.constantFrom(
    '`',
    '``',
    '```',
    '~~~',
    '\n',
    '\n\n',
    '    ',
    '> ',
    '- ',
    '1. ',
    'a',
    '$$',
    '<!--',
    '-->',
    '\\',
    '---\n',
    '\t',
    '\r\n',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join('');
      const regions = codeRegions(text);
      let last = 0;
      for (const { start, end } of regions) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(text.length);
      const cursor = createRangeCursor(regions);
      for (let at = 0; at < text.length; at++) {
        const inside = regions.some((range) => range.start <= at && at < range.end);
        expect(isInside(regions, at)).toBe(inside);
        expect(cursor(at) !== undefined).toBe(inside);
      }
      expect(overlapsAny(regions, { start: 0, end: text.length })).toBe(regions.length > 0);
    }),
    { numRuns: cases(500) },
  );
});

describe('hostile input takes linear time', () => {
  const many = 300_000;
  test.each([
    [
      'backtick runs of ever new lengths',
      Array.from({ length: 2000 }, (_, i) => '`'.repeat(i + 1)).join(' '),
    ],
    ['single backticks and letters', '`a``b```c'.repeat(many / 5)],
    ['unclosed comments', 'x <!-- '.repeat(many / 4)],
    ['dollars', 'x $$ \n\n'.repeat(many / 4)],
    ['dollar lines', '$$\n'.repeat(many)],
    ['nested quotes', `${'>'.repeat(many)}\n`.repeat(2)],
    ['nested items', `${'- '.repeat(many)}x\n${'\n'.repeat(many)}`],
    ['stars', '* '.repeat(many)],
    ['one long line', 'word '.repeat(many / 2)],
    ['many short lines', 'some text `here`\n\n'.repeat(many)],
  ])('%s', (_name, text) => {
    const spent = processorTime();
    codeRegions(text);
    expect(spent()).toBeLessThan(4000);
  });
});
