import { describe, expect, it } from 'vitest';
import { toHtml } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

describe('what markdown can say', () => {
  it.each([
    ['<p>a<br>b</p>', 'a  \nb'],
    ['<p><strong>Note: </strong>x</p>', '**Note:** x'],
    ['<p>un<em>believ</em>able <em><strong>x</strong></em></p>', 'un*believ*able _**x**_'],
    ['<p><del>a</del><s>b</s></p>', '~~ab~~'],
    ['<p><code>a`b</code> <code>`</code></p>', '``a`b`` `` ` ``'],
    ['<ol start="3"><li>a</li><li>b<ul><li>c</li></ul></li></ol>', '3.  a\n4.  b\n    *   c'],
    ['<ul><li><p>a</p></li><li><p>b</p><p>c</p></li></ul>', '*   a\n\n*   b\n\n    c'],
    ['<ul><li>a</li></ul><ul><li>b</li></ul>', '*   a\n\n+   b'],
    ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n> \n> b'],
    ['<aside class="admonition tip"><h2>T</h2><p>a</p></aside>', '> [!TIP]\n> \n> ## T\n> \n> a'],
    ['<span class="math-tex">\\[\na % b\nc\n\\]</span>', '$$\na % b\nc\n$$'],
    ['<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
    ['<pre><code class="language-text-x-sh">```\nx\n</code></pre>', '````sh\n```\nx\n\n````'],
    [
      '<p><a href="a b(c">x</a> <img src="i.png" alt="[a]" title="t"></p>',
      '[x](<a b(c>) ![\\[a\\]](i.png "t")',
    ],
    ['<p>a</p><p>&nbsp;</p><p>b&nbsp;c</p>', 'a\n\n&nbsp;\n\nb\u00a0c'],
  ])('%s', (html, markdown) => {
    expect(toMarkdown(html)).toBe(markdown);
  });

  it('has footnotes that came from markdown', () => {
    const markdown = 'a[^1] b[^x]\n\n[^1]: one\n[^x]: two\n\n    *   list';
    expect(toMarkdown(toHtml(markdown))).toBe(markdown);
  });
});

describe('footnotes read back', () => {
  it.each(['a[^1]\n\n[^1]: one', 'a[^x] b[^x]\n\n[^x]: one _two_', 'a[^1]\n\n[^1]: one\n[^2]: nobody'])(
    '%j',
    (markdown) => {
      const html = toHtml(markdown);
      expect(toMarkdown(html)).toBe(markdown);
      expect(toHtml(toMarkdown(html))).toBe(html);
    },
  );

  it('also those an earlier version wrote', () => {
    const html = toHtml('a[^1]\n\n[^1]: one')
      .replace('data-footnote-ref=""', 'data-footnote-ref="" aria-describedby="footnote-label"')
      .replace('data-footnote-backref=""', 'data-footnote-backref="" aria-label="Back to reference 1"');
    expect(toMarkdown(html)).toBe('a[^1]\n\n[^1]: one');
  });

  it('in a long note with many parts', () => {
    const paragraphs = Array.from(
      { length: 3_000 },
      (_, at) => `Paragraph ${at} with **bold** text[^${at % 50}]`,
    );
    const notes = Array.from({ length: 50 }, (_, at) => `[^${at}]: note ${at}`);
    const markdown = `${paragraphs.join('\n\n')}\n\n${notes.join('\n')}`;
    expect(toMarkdown(toHtml(markdown))).toBe(markdown);
  });

  it('whose section is not at the end stay HTML, and come back', () => {
    const html = `${toHtml('a[^1]\n\n[^1]: one')}<p>later</p>`;
    expect(toHtml(toMarkdown(html))).toBe(html);
  });
});

describe('a link by title that leads nowhere', () => {
  it('reads as it was written', () => {
    expect(toMarkdown(toHtml('See [[Nowhere]].'))).toBe('See [[Nowhere]].');
  });
});

describe('what markdown cannot say stays HTML', () => {
  it.each([
    ['<ul><li><p>a</p></li></ul>'],
    ['<ol><li><p>a <strong>b</strong></p></li></ol>'],
    ['<h1>a</h1>'],
    ['<p></p>'],
    ['<p style="text-align:center;">a</p>'],
    ['<ul><li>a</li><li><p>b</p></li></ul>'],
    ['<ol style="list-style-type:lower-latin;"><li>a</li></ol>'],
    ['<section class="include-note" data-note-id="abc" data-box-size="small">&nbsp;</section>'],
    [
      '<figure class="image image_resized" style="width:50%;"><img src="a.png"><figcaption>A <em>b</em></figcaption></figure>',
    ],
    ['<figure class="table"><table><tbody><tr><td>a</td></tr></tbody></table></figure>'],
    ['<details><summary>a</summary><p>b</p></details>'],
    ['<pre>a\nb</pre>'],
  ])('as a block: %s', (html) => {
    expect(toMarkdown(html)).toBe(html);
    expect(toHtml(html)).toBe(html);
  });

  it.each([
    '<u>a</u>',
    '<sub>1</sub>',
    '<span style="color:hsl(0, 75%, 60%);">a <u>b</u></span>',
    '<a class="reference-link" href="#root/abc">a</a>',
    '<a href="x" target="_blank">a</a>',
    '<img class="image_resized" style="width:50%;" src="a.png" width="3">',
    '<code>a<sub>b</sub></code>',
  ])('inside a line: %s', (html) => {
    const markdown = toMarkdown(`<p>x ${html} y</p>`);
    expect(markdown).toBe(`x ${html.replace('<code>', '<code spellcheck="false">')} y`);
  });

  it('emphasis inside a word that ends in punctuation', () => {
    expect(toMarkdown('<p>a<strong>b!</strong>c</p>')).toBe('a<strong>b!</strong>c');
  });

  it('the type of a code block that shares its name with another', () => {
    const html = '<pre><code class="language-application-javascript-env-backend">a</code></pre>';
    expect(toMarkdown(html)).toBe('```javascript language-application-javascript-env-backend\na\n```');
    expect(toHtml(toMarkdown(html))).toBe(html);
  });

  it('code in a table, on one line', () => {
    const html =
      '<ul><li>x<figure class="table"><table><tbody><tr><td><pre><code class="language-text-plain">a\n\nb</code></pre></td></tr></tbody></table></figure></li></ul>';
    expect(toMarkdown(html)).toContain('a&#10;&#10;b');
    expect(toHtml(toMarkdown(html))).toBe(html);
  });
});

describe('a table of many rows', () => {
  const row = (cell: string) => `<tr><td>${cell}</td><td>b</td></tr>`;
  const table = (rows: readonly string[]) =>
    `<figure class="table"><table><thead><tr><th>A</th><th>B</th></tr></thead><tbody>${rows.join('')}</tbody></table></figure>`;
  const rows = Array.from({ length: 700 }, (_, index) => row(`cell ${index}`));
  const ODD_CELLS = [
    '',
    '<strong>a</strong>|b',
    'a<br>b',
    '| \\| \\',
    '&lt;b&gt; `x` $a$ $$ b',
    '<code spellcheck="false">a|b</code>',
    '<u>a</u> <span class="math-tex">\\(a|b\\)</span>',
    '- a',
    '&gt; a',
    ':---',
    '[a]: b',
    '[^1]: c',
    '<a href="https://a.example/|">https://b.example</a>',
  ];

  it('has one line for each, and one header', () => {
    const markdown = toMarkdown(table(rows));
    const lines = markdown.split('\n');
    expect(lines.slice(0, 3)).toEqual(['| A | B |', '| --- | --- |', '| cell 0 | b |']);
    expect(lines).toHaveLength(702);
    expect(lines[701]).toBe('| cell 699 | b |');
  });

  it('comes back whatever its cells hold, and wherever it stands', () => {
    const odd = rows.map((plain, index) => (index % 7 === 3 ? row(ODD_CELLS[index % 13]!) : plain));
    const html = `<p>before</p>${table(odd)}<p>between</p>${table(rows)}<ul><li>after</li></ul>`;
    const markdown = toMarkdown(html);
    expect(markdown.includes('<table>')).toBe(false);
    expect(toHtml(markdown)).toBe(html);
  });

  it.each([0, 250, 699])('stays HTML as a whole if row %i has no markdown form', (place) => {
    const html = table(rows.with(place, '<tr><td colspan="2">both</td></tr>'));
    expect(toMarkdown(html)).toBe(html);
    expect(toHtml(html)).toBe(html);
  });
});

describe('text that looks like markdown', () => {
  it.each([
    ['snake_case and 2 * 3 < 4 & more [x] $5', 'snake_case and 2 * 3 < 4 & more [x] $5'],
    ['*a* _b_ `c`', '\\*a\\* \\_b\\_ \\`c\\`'],
    ['# a', '\\# a'],
    ['1. a', '1\\. a'],
    ['- a', '\\- a'],
    ['[a](b) [^1] [[c]]', '\\[a](b) \\[^1] \\[\\[c]]'],
    ['<b> &amp;amp;', '\\<b> \\&amp;'],
    ['$5 or $6', '\\$5 or \\$6'],
    ['https://a.example', 'https\\://a.example'],
    ['C:\\dir\\*', 'C:\\dir\\\\\\*'],
    ['==a== ~~b~~', '\\=\\=a\\=\\= \\~\\~b\\~\\~'],
  ])('%s', (text, markdown) => {
    const html = `<p>${text
      .replace(/&(?!amp;)/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')}</p>`;
    expect(toMarkdown(html)).toBe(markdown);
    expect(toHtml(markdown)).toBe(html);
  });
});
