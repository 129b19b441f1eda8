import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/kit/cases.ts';
import { processorTime } from '../../../test/kit/processor-time.ts';
import { readingsOf } from './link.ts';
import { scanAllLinks, scanLinks } from './scan.ts';

function targetsOf(text: string): string[] {
  return scanLinks(text).map((link) => link.target);
}

describe('wikilinks', () => {
  test.each([
    ['[[Note]]', 'Note', 'Note'],
    ['[[folder/Note]]', 'folder/Note', 'folder/Note'],
    ['[[Note.md]]', 'Note.md', 'Note.md'],
    ['[[Note|alias]]', 'Note', 'Note'],
    ['| [[Note\\|alias]] |', 'Note', 'Note'],
    ['[[Note#Heading]]', 'Note', 'Note#Heading'],
    ['[[Note#^block|x]]', 'Note', 'Note#^block'],
    ['![[Note]]', 'Note', 'Note'],
    ['[[ Note ]]', 'Note', 'Note'],
    ['[[a%20b]]', 'a%20b', 'a%20b'],
    ['[[Q: why?]]', 'Q: why?', 'Q: why?'],
    ['[[[Note]]]', 'Note', 'Note'],
    ['[[open [[Note]]', 'Note', 'Note'],
  ])('%s names %s', (text, target, raw) => {
    const [link, ...others] = scanLinks(text);
    expect(others).toEqual([]);
    expect(link).toMatchObject({ form: 'wiki', target, raw, embed: text.startsWith('!') });
    expect(text.slice(link!.start, link!.end)).toBe(raw);
  });

  test.each([
    '[[#own heading]]',
    '[[]]',
    '[[|x]]',
    '\\[[Note]]',
    '[[a\nb]]',
    '`[[Note]]`',
    '```\n[[Note]]\n```',
    '    [[Note]]',
    '<!-- [[Note]] -->',
    '[[https://a.b/c]]',
    '[[Note]',
  ])('%j holds no link', (text) => {
    expect(targetsOf(text)).toEqual([]);
  });

  test('an alias may hold code', () => {
    expect(targetsOf('[[Note|`x`]] `[[b]]`')).toEqual(['Note']);
  });
});

describe('markdown links', () => {
  test.each([
    ['[t](Note.md)', 'Note.md', 'Note.md'],
    ['[t](a/b%20c.md#h)', 'a/b c.md', 'a/b%20c.md#h'],
    ['[t](<a/b c.md>)', 'a/b c.md', 'a/b c.md'],
    ['[t](<a/b c.md#h> "title")', 'a/b c.md', 'a/b c.md#h'],
    ['[t](Note.md "title")', 'Note.md', 'Note.md'],
    ["[t](Note.md 'title')", 'Note.md', 'Note.md'],
    ['[t](Note.md (title))', 'Note.md', 'Note.md'],
    ['[t]( Note.md\n"title" )', 'Note.md', 'Note.md'],
    ['![t](x.png)', 'x.png', 'x.png'],
    ['[t](a(b(c))d.md)', 'a(b(c))d.md', 'a(b(c))d.md'],
    ['[t](a\\(b.md)', 'a(b.md', 'a\\(b.md'],
    ['[t [u] v](Note.md)', 'Note.md', 'Note.md'],
    ['[t \\] v](Note.md)', 'Note.md', 'Note.md'],
    ['[`]` v](Note.md)', 'Note.md', 'Note.md'],
    ['[[t](Note.md)', 'Note.md', 'Note.md'],
    ['[t](100%.md)', '100%.md', '100%.md'],
    ['[t](%FF%41.md)', '%FF%41.md', '%FF%41.md'],
    ['[t](/a/b.md)', '/a/b.md', '/a/b.md'],
    ['[t](a.md?x=1#h)', 'a.md?x=1', 'a.md?x=1#h'],
    ['[t](<Re: x.md>)', 'Re: x.md', 'Re: x.md'],
    ['[id]: Note.md "title"', 'Note.md', 'Note.md'],
    ['> - [id]: <a b.md>', 'a b.md', 'a b.md'],
    ['[id]:\n  Note.md', 'Note.md', 'Note.md'],
    ['\uFEFF[id]: Note.md', 'Note.md', 'Note.md'],
  ])('%j names %s', (text, target, raw) => {
    const [link, ...others] = scanLinks(text);
    expect(others).toEqual([]);
    expect(link).toMatchObject({ target, raw });
    expect(text.slice(link!.start, link!.end)).toBe(raw);
  });

  test.each([
    '[t](https://a.b/c.md)',
    '[t](mailto:a@b.c)',
    '[t](//host/a.md)',
    '[t](#h)',
    '[t]()',
    '[t](<>)',
    '[t](a b.md)',
    '[t](a.md "x)',
    '[t] (a.md)',
    '\\[t](a.md)',
    '[t]\\(a.md)',
    '[t](a(b.md)',
    '[^1]: Note.md',
    'x [id]: Note.md',
    '[id]: some prose here',
    '[t\n\nu](a.md)',
    '`[t](a.md)`',
    '[]: a.md',
  ])('%j holds no link', (text) => {
    expect(targetsOf(text)).toEqual([]);
  });

  test('an image inside a link gives both, a link inside a link only the inner one', () => {
    expect(targetsOf('[![i](x.png)](b.md)')).toEqual(['x.png', 'b.md']);
    expect(targetsOf('[a [b](c.md) d](e.md) [f](g.md)')).toEqual(['c.md', 'g.md']);
  });

  test('a wikilink in the place of a destination is a wikilink', () => {
    expect(scanLinks('[t]([[Note]])\n\n[Related]: [[Other]]').map((link) => link.raw)).toEqual([
      'Note',
      'Other',
    ]);
  });
});

describe('frontmatter', () => {
  test('links in values are found, with their quoting, and comments are not', () => {
    const text = [
      '---',
      'up: "[[A]]"',
      "down: '[[B|b]]'",
      'list: ["[[C]]", \'[[D]]\']',
      '  - "say \\"x\\" [[E]]"',
      'plain: see [t](F.md) and [[G]]',
      '# [[H]]',
      'x: 1 # [[I]]',
      '---',
      '[[J]]',
    ].join('\r\n');
    expect(scanLinks(text).map((link) => `${link.target} ${link.notation.quoting}`)).toEqual([
      'A double',
      'B single',
      'C double',
      'D single',
      'E double',
      'F.md bare',
      'G bare',
      'J none',
    ]);
  });

  test('quoted characters are read as YAML means them', () => {
    expect(targetsOf('---\na: \'[[Bob\'\'s]]\'\nb: "[[a \\"b\\"]]"\n---\n')).toEqual(["Bob's", 'a "b"']);
  });
});

test('a destination with # or ? has several readings', () => {
  const readings = (text: string) => readingsOf(scanAllLinks(text)[0]!).map((reading) => reading.target);
  expect(readings('[[C# notes#x]]')).toEqual(['C', 'C# notes', 'C# notes#x']);
  expect(readings('[t](a?b.md#c)')).toEqual(['a?b.md', 'a', 'a?b.md#c']);
  expect(readings('[t](a%23b.md#c)')).toEqual(['a#b.md', 'a#b.md#c']);
});

test('links are in order, and each range is what it says', () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    '[[',
    ']]',
    '(',
    ')',
    '<',
    '>',
    '!',
    '\\',
    '|',
    '#',
    ':',
    'a',
    'b.md',
    ' ',
    '\n',
    '\n\n',
    '`',
    '"',
    "'",
    '%20',
    '---\n',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join('');
      let last = -1;
      for (const link of scanLinks(text)) {
        expect(link.start).toBeGreaterThan(last);
        expect(text.slice(link.start, link.end)).toBe(link.raw);
        expect(link.span.start).toBeLessThan(link.start);
        expect(link.span.end).toBeGreaterThanOrEqual(link.end);
        last = link.end;
      }
    }),
    { numRuns: cases(2000) },
  );
});

describe('hostile input takes linear time', () => {
  test.each([
    '[',
    '[[',
    '[[a|',
    '[a](',
    '[a](<',
    '[a](b "',
    "[a](b '",
    '[a](b (',
    '[a]:',
    '![',
    ']',
    '[a](\\(',
    '\\',
    '[a](b)',
    '[ ',
    '[a]( \n',
    '((',
  ])('%j repeated', (piece) => {
    const text = piece.repeat(Math.ceil(300_000 / piece.length));
    const spent = processorTime();
    scanLinks(text);
    scanLinks(`---\n${text}\n---\n`);
    expect(spent()).toBeLessThan(4000);
  });
});
