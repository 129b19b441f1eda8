/** Four times the text takes about four times as long, whatever it is; if it took its square, it would be sixteen. */
import { describe, expect, it } from 'vitest';
import { toHtml } from '../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../src/stores/trilium/html/to-markdown.ts';
import { processorTime } from '../kit/processor-time.ts';

const SMALL = 40_000;
const TIMES = 6;
/** In proportion it would be `TIMES`, by the square `TIMES` times that; the rest is for noise. */
const MOST = 3 * TIMES;
/** So short a time says nothing. */
const AT_LEAST_MS = 5;

const fill = (part: string, size: number) => part.repeat(Math.ceil(size / part.length));

const TASK =
  '<li><label class="todo-list__label"><input type="checkbox" disabled="disabled">' +
  '<span class="todo-list__label__description">a</span></label></li>';

const MIXED = `## Heading

Words with **strong**, _other_ and ==seen== marks, [a link](https://example.com/a) and \`code\`[^1].

*   one **item**
*   another

- [ ] to do
- [x] done

| name | value |
| --- | --- |
| some text | 42 |

\`\`\`js
a < b
\`\`\`

> quoted

`;

const MARKDOWN: Readonly<Record<string, (size: number) => string>> = {
  'all there is': (size) => `${fill(MIXED, size)}\n[^1]: A note`,
  paragraphs: (size) => fill('Lorem **ipsum** dolor sit _amet_.\n\n', size),
  lines: (size) => fill('Lorem ipsum\n', size),
  tasks: (size) => fill('- [ ] a\n', size),
  'definitions of one label': (size) => fill('[^a]: x\n', size),
  'a table': (size) => `| a | b |\n| --- | --- |\n${fill('| x | **y** |\n', size)}`,
  'words in brackets': (size) => fill('[a](b "c") ![d](e) ', size),
  'blanks without end': (size) => `a\n${fill(' ', size)}`,
  'signs that mean nothing': (size) => fill('] ! : = $ ', size),
};

const HTML: Readonly<Record<string, (size: number) => string>> = {
  'all there is': (size) => toHtml(MARKDOWN['all there is']!(size)),
  tasks: (size) => `<ul class="todo-list">${fill(TASK, size)}</ul>`,
  'a table': (size) => toHtml(MARKDOWN['a table']!(size / 2)),
  'no-break spaces': (size) => `<p>${fill('\u00a0', size)}</p>`,
  'no-break spaces around words': (size) => `<p>${fill('\u00a0', size)}a${fill('\u00a0', size)}</p>`,
  'other spaces': (size) => `<p>${fill('\u2003', size)}</p>`,
  'line breaks': (size) => `<p>${fill('a<br>', size)}</p>`,
  'blocks in a line': (size) => fill('<b><p>a</p></b>', size),
  'tags with much inside': (size) => fill('<a href="x" title="y > z">b</a>', size),
  'tags that do not end': (size) => `${fill('<a b="c" ', size)}>`,
};

/** The shortest of some runs; the first ones are slow while the engine compiles. */
function timeOf(convert: (text: string) => string, text: string, runs: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const spent = processorTime();
    convert(text);
    shortest = Math.min(shortest, spent());
  }
  return shortest;
}

function expectLinear(convert: (text: string) => string, make: (size: number) => string): void {
  const short = timeOf(convert, make(SMALL), 3);
  const long = timeOf(convert, make(SMALL * TIMES), 2);
  expect(long / Math.max(short, AT_LEAST_MS)).toBeLessThan(MOST);
}

describe('time is linear', () => {
  it.each(Object.entries(MARKDOWN))('in markdown of %s', (_, make) => {
    expectLinear(toHtml, make);
  });

  it.each(Object.entries(HTML))('in HTML of %s', (_, make) => {
    expectLinear(toMarkdown, make);
  });
});

describe('no-break spaces at the edges', () => {
  it.each([1, 2, 99, 100, 101, 5_000])('of a text come back: %i of them', (count) => {
    const space = '&nbsp;'.repeat(count);
    for (const html of [`<p>${space}</p>`, `<p>${space}a${space}</p>`, `<h2>${space}a</h2>`])
      expect(toHtml(toMarkdown(html))).toBe(html);
  });

  it('are written as such where there are few', () => {
    expect(toMarkdown('<p>&nbsp;&nbsp;a&nbsp;</p>')).toBe('&nbsp;&nbsp;a&nbsp;');
  });

  it('are not all written as such where there are many', () => {
    expect(toMarkdown(`<p>${'&nbsp;'.repeat(10_000)}</p>`).length).toBeLessThan(10_100);
  });
});
