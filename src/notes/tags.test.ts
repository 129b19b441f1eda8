import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../test/kit/cases.ts';
import { processorTime } from '../../test/kit/processor-time.ts';
import { normalizeTag, sameTag, scanInlineTags, tagProblem } from './tags.ts';

function tagsOf(text: string): string[] {
  return scanInlineTags(text).map(({ tag }) => tag);
}

describe('inline tags', () => {
  test.each([
    ['#a', ['a']],
    ['x #a, #b. (#c)', ['a', 'b']],
    ['x\t#a\r\n#b', ['a', 'b']],
    ['#a/b/c #d/ #e//f', ['a/b/c', 'd', 'e']],
    ['#über #標籤 #тег #🎉 #👩‍💻x #e\u0301t', ['über', '標籤', 'тег', '🎉', '👩‍💻x', 'e\u0301t']],
    ['#1984 #y1984 #2024-01 #_ #a-b_c', ['y1984', '2024-01', '_', 'a-b_c']],
    ['# heading #tag\n## other\n##nothing', ['tag']],
    ['a#b url#frag https://x.y/#z \\#w "#q"', []],
    ['`#a` #b\n\n```\n#c\n```\n\n    #d\n\n<!-- #e --> $$ #f $$', ['b']],
    ['---\ntags: #a\nb: x #c\n---\n#d', ['d']],
    ['\uFEFF#a', ['a']],
    ['[[#a]] [[Note #b]] [[N| #c]] [t](#d) [ #e](https://x.y) [t](a.md " #f ") #g', ['g']],
    ['[![ #a](b)](c) #d', ['d']],
    ['<span style="color: #abcdef" id= #x>#y #z</span>', ['z']],
    ['<style>\n #main { }\n\n #b {}\n</style> #c', ['c']],
    ['a < b #c > d', ['c']],
    ['#fff000 #1a2b3c #09f #0f08 #11aabbcc #facade #fff00 #12', ['facade']],
    ['#include <stdio.h>\n#include "x"\n#include this', ['include']],
    ['- [ ] #todo | #cell |', ['todo', 'cell']],
  ])('%j holds %j', (text, expected) => {
    expect(tagsOf(text)).toEqual(expected);
  });

  test('ranges enclose the sign and the tag', () => {
    const text = 'x #a/b/ y';
    expect(scanInlineTags(text)).toEqual([{ tag: 'a/b', start: 2, end: 6 }]);
  });

  test('whatever is found is lawful and stands where it says', () => {
    const pieces = fc.constantFrom(
      '#',
      'a',
      '1',
      '/',
      '-',
      ' ',
      '\n',
      '`',
      '[[',
      ']]',
      '<b ',
      '>',
      '🎉',
      'é',
      '(',
      ')',
      '"',
      '# ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 50 }), (parts) => {
        const text = parts.join('');
        for (const { tag, start, end } of scanInlineTags(text)) {
          expect(text.slice(start, end)).toBe(`#${tag}`);
          expect(tagProblem(tag)).toBeUndefined();
        }
      }),
      { numRuns: cases(1000) },
    );
  });

  test.each(['#', ' #', ' #a', ' #a/', '<a ', '<a="', '<style>', ' #a `', '[ #'])(
    '%j repeated takes linear time',
    (piece) => {
      const text = piece.repeat(Math.ceil(300_000 / piece.length));
      const spent = processorTime();
      scanInlineTags(text);
      scanInlineTags(`${text} #x`);
      expect(spent()).toBeLessThan(4000);
    },
  );
});

test('a tag given from outside loses its sign and the space around it', () => {
  expect(['#a', ' a ', '# a', ' #a/b '].map(normalizeTag)).toEqual(['a', 'a', 'a', 'a/b']);
});

test.each([
  ['', 'empty'],
  ['a b', 'white space'],
  ['12', 'digits'],
  ['a,b', '","'],
  ['a#b', '"#"'],
  ['a//b', 'empty part'],
  ['/a', 'empty part'],
  ['a/', 'empty part'],
])('the tag %j is refused with a reason', (tag, reason) => {
  expect(tagProblem(tag)).toContain(reason);
});

test.each(['a', 'a/b', '1a', 'a-b_c', 'über', '🎉', '標籤'])('the tag %s is lawful', (tag) => {
  expect(tagProblem(tag)).toBeUndefined();
});

test('letter case and Unicode form make no other tag', () => {
  expect(sameTag('Été', 'e\u0301te\u0301')).toBe(true);
  expect(sameTag('a', 'a/b')).toBe(false);
});
