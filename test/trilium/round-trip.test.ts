/** A way to markdown and back changes nothing but what `canonical` calls the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../src/stores/trilium/html/canonical.ts';
import { parseHtml } from '../../src/stores/trilium/html/parse.ts';
import { serialize } from '../../src/stores/trilium/html/serialize.ts';
import { toHtml } from '../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../src/stores/trilium/html/to-markdown.ts';
import { cases } from '../kit/cases.ts';
import { noteHtml, noteMarkdown } from '../kit/trilium-html.ts';

const same = (html: string) => serialize(canonical(parseHtml(html)), { sorted: true });

describe('a round trip', () => {
  it("gives HTML of Trilium's vocabulary back", () => {
    fc.assert(
      fc.property(noteHtml, (html) => {
        expect(same(toHtml(toMarkdown(html)))).toBe(same(html));
      }),
      { numRuns: cases(200) },
    );
  });

  it('leaves markdown as it is once it has been through', () => {
    fc.assert(
      fc.property(noteMarkdown, (written) => {
        const markdown = toMarkdown(toHtml(written));
        expect(toMarkdown(toHtml(markdown))).toBe(markdown);
      }),
      { numRuns: cases(200) },
    );
  });

  it('keeps the meaning of markdown', () => {
    fc.assert(
      fc.property(noteMarkdown, (written) => {
        const html = toHtml(written);
        expect(same(toHtml(toMarkdown(html)))).toBe(same(html));
      }),
      { numRuns: cases(100) },
    );
  });

  it('is judged by a form that is its own form', () => {
    fc.assert(
      fc.property(noteHtml, (html) => {
        const once = serialize(canonical(parseHtml(html)));
        expect(serialize(canonical(parseHtml(once)))).toBe(once);
      }),
      { numRuns: cases(100) },
    );
  });

  it('writes HTML that reads as it was meant', () => {
    fc.assert(
      fc.property(noteMarkdown, (written) => {
        const html = toHtml(written);
        expect(serialize(parseHtml(html))).toBe(html);
      }),
      { numRuns: cases(100) },
    );
  });
});

describe('the same HTML', () => {
  it.each([
    ['invisible space', '<p>\n  a\n b </p>\n<p>c</p>', '<p>a b</p><p>c</p>'],
    ['space around line breaks', '<p>a <br> b</p>', '<p>a<br>b</p>'],
    ['blanks at the edge of emphasis', '<p><strong>a </strong>b</p>', '<p><strong>a</strong> b</p>'],
    [
      'old names of emphasis',
      '<p><b>a</b><i>b</i><s>c</s><strike>d</strike></p>',
      '<p><strong>a</strong><em>b</em><del>cd</del></p>',
    ],
    [
      'emphasis cut in two, doubled or empty',
      '<p><em>a</em><em>b</em><em></em><strong><strong>c</strong></strong></p>',
      '<p><em>ab</em><strong>c</strong></p>',
    ],
    ['a span that says nothing', '<p><span>a</span></p>', '<p>a</p>'],
    ['code that may be spell-checked', '<p><code>a</code></p>', '<p><code spellcheck="false">a</code></p>'],
    [
      'code without a language',
      '<pre><code>a</code></pre>',
      '<pre><code class="language-text-x-trilium-auto">a</code></pre>',
    ],
    [
      'a table outside of a figure',
      '<table><tbody><tr><td>a</td></tr></tbody></table>',
      '<figure class="table"><table><tbody><tr><td>a</td></tr></tbody></table></figure>',
    ],
    ['text outside of a paragraph', 'a', '<p>a</p>'],
    [
      'a displayed formula in a paragraph',
      '<p><span class="math-tex">\\[x\\]</span></p>',
      '<span class="math-tex">\\[x\\]</span>',
    ],
    [
      'space at the edges of a formula',
      '<span class="math-tex">\\[\nx\n\\]</span>',
      '<span class="math-tex">\\[ x \\]</span>',
    ],
    [
      'a checkbox checked in short',
      '<p><input type="checkbox" checked></p>',
      '<p><input type="checkbox" checked="checked"></p>',
    ],
    ['an empty description', '<p><img src="a" alt=""></p>', '<p><img src="a"></p>'],
    ['the order of attributes', '<p><img alt="a" src="b"></p>', '<p><img src="b" alt="a"></p>'],
    ['comments', '<p>a<!-- b --></p>', '<p>a</p>'],
  ])('%s', (_, one, other) => {
    expect(same(one)).toBe(same(other));
  });

  it.each([
    ['a heading of another level', '<h1>a</h1>', '<h2>a</h2>'],
    [
      'another kind of script',
      '<pre><code class="language-application-javascript-env-frontend">a</code></pre>',
      '<pre><code class="language-application-javascript-env-backend">a</code></pre>',
    ],
    ['a space in preformatted text', '<pre><code>a b</code></pre>', '<pre><code>a  b</code></pre>'],
    ['an empty paragraph', '<p>a</p>', '<p>a</p><p></p>'],
    ['underlining', '<p><u>a</u></p>', '<p>a</p>'],
    ['the only paragraph of an only item', '<ul><li><p>a</p></li></ul>', '<ul><li>a</li></ul>'],
    ['a colour', '<p><span style="color:red;">a</span></p>', '<p>a</p>'],
  ])('is not: %s', (_, one, other) => {
    expect(same(one)).not.toBe(same(other));
  });
});
