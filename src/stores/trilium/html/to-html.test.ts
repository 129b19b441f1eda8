import { describe, expect, it } from 'vitest';
import { toHtml } from './to-html.ts';

describe('headings', () => {
  it('all move down by one level if there is a first level', () => {
    expect(toHtml('# A\n\n## B\n\n###### C')).toBe('<h2>A</h2><h3>B</h3><h6>C</h6>');
    expect(toHtml('## B\n\n### C')).toBe('<h2>B</h2><h3>C</h3>');
  });

  it.each(["What's new", 'Node.js and `code`', 'A *b* c', 'A & B'])('drop the title: %s', (title) => {
    expect(toHtml(`# ${title}\n\n## Part\n\ntext`, { title })).toBe('<h2>Part</h2><p>text</p>');
  });

  it('keep a first one that is not the title, and a second one that is', () => {
    expect(toHtml('# Other\n\n# Title', { title: 'Title' })).toBe('<h2>Other</h2><h2>Title</h2>');
    expect(toHtml('text\n\n## Title', { title: 'Title' })).toBe('<p>text</p><h2>Title</h2>');
    expect(toHtml('# Title')).toBe('<h2>Title</h2>');
  });
});

describe('lists', () => {
  it('of tasks hold lists of tasks and other blocks', () => {
    const box = (text: string) =>
      `<label class="todo-list__label"><input type="checkbox" disabled="disabled"><span class="todo-list__label__description">${text}</span></label>`;
    expect(toHtml('- [ ] a **b**\n  - [ ] c\n  - d')).toBe(
      `<ul class="todo-list"><li>${box('a <strong>b</strong>')}<ul class="todo-list"><li>${box('c')}</li><li>d</li></ul></li></ul>`,
    );
  });

  it('are no tasks if they are numbered or the box is escaped', () => {
    expect(toHtml('1. [ ] a')).toBe('<ol><li>[ ] a</li></ol>');
    expect(toHtml('- \\[ ] a')).toBe('<ul><li>[ ] a</li></ul>');
  });

  it('with space between have paragraphs', () => {
    expect(toHtml('- a\n\n- b')).toBe('<ul><li><p>a</p></li><li><p>b</p></li></ul>');
  });
});

describe('formulas', () => {
  it.each([
    ['$x$, $y$.', '<p><span class="math-tex">\\(x\\)</span>, <span class="math-tex">\\(y\\)</span>.</p>'],
    ['$$a$$', '<span class="math-tex">\\[a\\]</span>'],
    ['$$a$$\n\n$$b$$', '<span class="math-tex">\\[a\\]</span><span class="math-tex">\\[b\\]</span>'],
    ['so $$a$$ it is', '<p>so <span class="math-tex">\\[a\\]</span> it is</p>'],
    ['$a_1 *b* `c`$', '<p><span class="math-tex">\\(a_1 *b* `c`\\)</span></p>'],
    ['from $5 to $10', '<p>from $5 to $10</p>'],
    ['\\$x\\$', '<p>$x$</p>'],
    ['`$x$`', '<p><code spellcheck="false">$x$</code></p>'],
    ['$$\na\n\nb\n$$', '<p>$$\na</p><p>b\n$$</p>'],
  ])('%j', (markdown, html) => {
    expect(toHtml(markdown)).toBe(html);
  });
});

describe('footnotes', () => {
  it('go to a section at the end, in the order of their references', () => {
    expect(toHtml('a[^b] c[^1] d[^b]\n\n[^1]: one\n[^b]: two\n    **more**')).toBe(
      '<p>a<sup><a id="footnote-ref-b" href="#footnote-b" data-footnote-ref="">1</a></sup> ' +
        'c<sup><a id="footnote-ref-1" href="#footnote-1" data-footnote-ref="">2</a></sup> ' +
        'd<sup><a id="footnote-ref-b-2" href="#footnote-b" data-footnote-ref="">1</a></sup></p>' +
        '<section class="footnotes" data-footnotes=""><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol>' +
        '<li id="footnote-b"><p>two\n<strong>more</strong> <a href="#footnote-ref-b" data-footnote-backref="">↩</a> ' +
        '<a href="#footnote-ref-b-2" data-footnote-backref="">↩<sup>2</sup></a></p></li>' +
        '<li id="footnote-1"><p>one <a href="#footnote-ref-1" data-footnote-backref="">↩</a></p></li>' +
        '</ol></section>',
    );
  });

  it('have no aria attributes, as in what Trilium imports', () => {
    expect(toHtml('a[^1]\n\n[^1]: one')).not.toContain('aria-');
  });

  it('of one label twice are both kept', () => {
    const html = toHtml('a[^1]\n\n[^1]: one\n\n[^1]: two\n\n[^1-2]: three');
    expect(html.match(/ id="footnote-[^"r][^"]*"/g)).toHaveLength(
      new Set(html.match(/ id="footnote-[^"r][^"]*"/g)).size,
    );
    for (const text of ['one', 'two', 'three']) expect(html).toContain(text);
  });

  it('without a reference are kept, references to none are text', () => {
    expect(toHtml('a[^x]\n\n[^1]: one')).toContain('<p>a[^x]</p>');
    expect(toHtml('a\n\n[^1]: one')).toContain('<li id="footnote-1"><p>one</p></li>');
  });
});

describe('code', () => {
  it.each([
    ['python', 'language-text-x-python'],
    ['cpp', 'language-text-x-c-src'],
    ['javascript', 'language-application-javascript-env-frontend'],
    ['mermaid', 'language-mermaid'],
    ['sql language-text-x-mysql', 'language-text-x-mysql'],
    ['language-made-up', 'language-made-up'],
    ['js', 'language-text-x-trilium-auto'],
    ['constructor', 'language-text-x-trilium-auto'],
  ])('in %s', (info, className) => {
    expect(toHtml(`\`\`\`${info}\na\n\n\`\`\``)).toBe(`<pre><code class="${className}">a\n</code></pre>`);
  });
});

describe('links', () => {
  it.each([
    ['[[a/b]]', '<p>[[a/b]]</p>'],
    ['![[p q.png]]', '<p><img src="/p q.png"></p>'],
    ['https://a.example/b_c.', '<p><a href="https://a.example/b_c">https://a.example/b_c</a>.</p>'],
    ['www.a.example //b.example c@d.e', '<p>www.a.example //b.example c@d.e</p>'],
    ['[ü](ü%20x "t")', '<p><a href="ü%20x" title="t">ü</a></p>'],
    ['![](image:0)', '<p><img src="image:0"></p>'],
  ])('%s', (markdown, html) => {
    expect(toHtml(markdown)).toBe(html);
  });
});

describe('a link by title', () => {
  const links = new Map([
    ['Plan', 'abc123DEF456'],
    ['A & B', 'xyz'],
  ]);

  it('is a reference link where the note is known', () => {
    expect(toHtml('See [[Plan]] and **[[ A & B ]]**.', { links })).toBe(
      '<p>See <a class="reference-link" href="#root/abc123DEF456">Plan</a> and <strong><a class="reference-link" href="#root/xyz">A &amp; B</a></strong>.</p>',
    );
  });

  it.each(['[[Other]]', '`[[Plan]]`', '\\[[Plan]]', '[[Plan|shown]]', '[[plan]]'])(
    'is none in %s',
    (markdown) => {
      expect(toHtml(markdown, { links })).not.toContain('<a ');
    },
  );
});

describe('admonitions', () => {
  it.each([
    ['> [!IMPORTANT] Title', '<aside class="admonition important"><p><strong>Title</strong></p></aside>'],
    [
      '> [!IMPORTANT] The _title_ & more\n> text\n> goes on',
      '<aside class="admonition important"><p><strong>The <em>title</em> &amp; more</strong></p><p>text\ngoes on</p></aside>',
    ],
    [
      '> [!tip]- Folded\n> \n> - a',
      '<aside class="admonition tip"><p><strong>Folded</strong></p><ul><li>a</li></ul></aside>',
    ],
    ['> [!NOTE]', '<aside class="admonition note">&nbsp;</aside>'],
    ['> [!NOTE]+\n> a', '<aside class="admonition note"><p>a</p></aside>'],
    ['> [!QUESTION] Title\n> a', '<blockquote><p>[!QUESTION] Title\na</p></blockquote>'],
    ['> [!NOTE]x', '<blockquote><p>[!NOTE]x</p></blockquote>'],
  ])('%j', (markdown, html) => {
    expect(toHtml(markdown)).toBe(html);
  });
});

describe('HTML in markdown', () => {
  it.each([
    ['<div>\n\n**a**\n\n</div>', '<div><p><strong>a</strong></p></div>'],
    ['<span style="color:red;">\n\na\n\n</span>', '<p><span style="color:red;">a</span></p>'],
    ['<img src="a.png" width="3">', '<p><img src="a.png" width="3"></p>'],
    ['a <b>b\n\nc', '<p>a <b>b</b></p><p>c</p>'],
    ['> a\n</blockquote>\n\nb', '<blockquote><p>a</p></blockquote><p>b</p>'],
    ['a\u00a0b &nbsp; &lt;', '<p>a&nbsp;b &nbsp; &lt;</p>'],
  ])('%j', (markdown, html) => {
    expect(toHtml(markdown)).toBe(html);
  });
});
