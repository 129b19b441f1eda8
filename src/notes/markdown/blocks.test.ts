import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/kit/cases.ts';
import { scanBlocks } from './blocks.ts';

interface SetextHeading {
  /** The first word of the heading: where its lines join differs. */
  readonly word: string;
  readonly level: number;
}

function underlinedIn(text: string): SetextHeading[] {
  const found: SetextHeading[] = [];
  let last = '';
  scanBlocks(text, 0, {
    code: () => {},
    inline: (start, end) => {
      last = text.slice(start, end);
    },
    underline: (level) => found.push({ word: wordOf(last), level }),
  });
  return found;
}

const commonmark = new MarkdownIt('commonmark');

function underlinedByCommonMark(text: string): SetextHeading[] {
  return commonmark
    .parse(text, {})
    .flatMap(({ type, markup, tag }, index, tokens) =>
      type === 'heading_open' && !markup.startsWith('#')
        ? [{ word: wordOf(tokens[index + 1]?.content ?? ''), level: Number(tag.slice(1)) }]
        : [],
    );
}

function wordOf(text: string): string {
  return text.trim().split(/\s/)[0] ?? '';
}

describe('a line of = or - makes a heading', () => {
  test.each([
    ['of the paragraph over it', 'Title\n===', [{ word: 'Title', level: 1 }]],
    ['of the second level', 'Title\n-', [{ word: 'Title', level: 2 }]],
    ['of all its lines', 'One\ntwo\n   ===  ', [{ word: 'One', level: 1 }]],
    ['within a quote', '> Title\n> ===', [{ word: 'Title', level: 1 }]],
    ['within an item', '- Title\n  ---', [{ word: 'Title', level: 2 }]],
    ['within a quote in an item', '- a\n\n  > Title\n  > ===', [{ word: 'Title', level: 1 }]],
    ['with windows line ends', 'Title\r\n===\r\n', [{ word: 'Title', level: 1 }]],
    ['but not behind a blank line', 'Title\n\n===', []],
    ['but not behind a rule', '***\n===', []],
    ['but not of a heading', '# Title\n===', []],
    ['but not with four spaces before it', 'Title\n    ===', []],
    ['but not with words behind it', 'Title\n=== x', []],
    ['but not outside of the quote', '> Title\n===', []],
    ['but not outside of the callout', '> [!todo] x\n> quoted\n===\nTODO: mark', []],
    ['but not outside of the item', '- Title\n===', []],
    ['but a rule outside of the quote', '> Title\n---', []],
    ['but text outside of the quote', '> Title\n--', []],
    ['but not of a paragraph that goes on outside of its quote', '> Title\nmore\n===', []],
    ['but not of a paragraph that goes on outside of its item', '1. Title\nmore\n===', []],
    ['but not of a line in the quote within', '> > Title\n> ===', []],
  ])('%s', (_, text, expected) => {
    expect(underlinedIn(text)).toEqual(expected);
    expect(underlinedByCommonMark(text)).toEqual(expected);
  });

  test('just where CommonMark says so', () => {
    const prefix = fc.constantFrom('', '', '> ', '>', '> > ', '- ', '  ', '   ', '1. ', '> - ', '>   ');
    const rest = fc.constantFrom('Word', 'other words', '===', '=', '---', '--', '[!todo] x', '# Hash', '');
    // An empty item right below a paragraph stays an item here, as people write it while they type.
    const line = fc.tuple(prefix, rest).filter(([before, words]) => words !== '' || !/[-.] $/.test(before));
    const lines = fc.array(line, { maxLength: 8 });
    fc.assert(
      fc.property(lines, (all) => {
        // Named by number, so that no two headings are taken for each other.
        const text = all
          .map(([before, words], index) => before + words.replace('ord', `ord${index}`))
          .join('\n');
        expect(underlinedIn(text)).toEqual(underlinedByCommonMark(text));
      }),
      { numRuns: cases(2000) },
    );
  });
});
