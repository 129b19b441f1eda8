/** Text notes for property tests: HTML of Trilium's own vocabulary, and markdown of all its forms, with awkward texts. */
import fc from 'fast-check';

const AWKWARD = [
  'word',
  'two words',
  ' ',
  ' lead',
  'trail ',
  'a_b_c',
  '_x_',
  '*x*',
  '**',
  '2 * 3',
  '`tick',
  '``',
  '[x]',
  '[ ] a',
  '[x](y)',
  '[[wiki]]',
  '[^1]',
  '[^1]: n',
  '[!NOTE]',
  '![',
  'wow!',
  '<b>',
  'a < b',
  '</p>',
  '&amp;',
  '&',
  'AT&T;',
  '~~s~~',
  '~',
  '==h==',
  'x=1',
  '$5 and $6',
  '$x$',
  '$$',
  '| a | b |',
  '|',
  '# h',
  '#',
  'C#',
  '> q',
  '- i',
  '+',
  '1. n',
  '1986) n',
  '---',
  '===',
  '***',
  '```',
  '~~~',
  'https://a.example/x_y?z=1&w',
  'mailto:a@b.c',
  'C:\\dir\\',
  '\\',
  '\\*',
  'ü',
  '日本語',
  '🐞',
  '“quoted”',
  '.',
  ')',
  '\u00a0',
  'a\u00a0b',
  '\u2003',
  'line\nbreak',
  '\t',
  ':::',
  '{x}',
  "it's",
  '"q"',
];

export const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...AWKWARD) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom(...'ab 1_*`[]()<>&~=$|!#-+.\\:"\'\n\u00a0'),
      maxLength: 12,
    }),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
);

const escapeHtml = (raw: string) => raw.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const tag = (name: string, inside: fc.Arbitrary<string>, attributes = '') =>
  inside.map((html) => `<${name}${attributes === '' ? '' : ` ${attributes}`}>${html}</${name}>`);
const several = (part: fc.Arbitrary<string>, minLength: number, maxLength: number) =>
  fc.array(part, { minLength, maxLength }).map((parts) => parts.join(''));

const url = fc.constantFrom(
  'https://example.com',
  '#root/abc123DEF456',
  'api/attachments/abc123/image/a%20b.png',
  'with space.png',
  'wiki_(x)',
  'odd)(',
  'a&amp;b=c',
  '',
);

const plainText = text.map(escapeHtml);

const { inline, inlines } = fc.letrec<{ inline: string; inlines: string }>((tie) => ({
  inlines: fc
    .array(tie('inline'), { maxLength: 4, depthIdentifier: 'inline' })
    .map((parts) => parts.join('')),
  inline: fc.oneof(
    { depthSize: 'small', depthIdentifier: 'inline' },
    { weight: 6, arbitrary: plainText },
    ...['strong', 'em', 'b', 'i', 's', 'del', 'u', 'sub', 'sup', 'kbd', 'span'].map((name) => ({
      weight: 1,
      arbitrary: tag(name, tie('inlines')),
    })),
    tag('mark', tie('inlines'), 'class="marker-yellow"'),
    tag('span', tie('inlines'), 'style="background-color:hsl(60, 75%, 60%);"'),
    tag('span', tie('inlines'), 'style="color:hsl(0, 75%, 60%);"'),
    tag('code', plainText, 'spellcheck="false"'),
    tag('code', plainText),
    tag('a', plainText, 'class="reference-link" href="#root/_hidden"'),
    fc.tuple(url, plainText).map(([href, html]) => `<a href="${href}">${html}</a>`),
    fc.tuple(url, plainText).map(([href, html]) => `<a href="${href}" title="t &quot;q&quot;">${html}</a>`),
    url.map((src) => `<img src="${src}">`),
    fc.tuple(url, plainText).map(([src, alt]) => `<img src="${src}" alt="${alt.replace(/"/g, '&quot;')}">`),
    fc.constantFrom(
      '<br>',
      '<img class="image_resized" style="aspect-ratio:1/1;width:50%;" src="a.png" width="1" height="1">',
      '<span class="math-tex">\\(x^2\\)</span>',
      '<span class="math-tex">\\(a_1 | $ \\)</span>',
      '<span class="math-tex">\\[x = y\\]</span>',
      '<span class="footnote-reference" data-footnote-reference="" data-footnote-index="1" data-footnote-id="ab" role="doc-noteref" id="fnrefab"><sup><a href="#fnab">[1]</a></sup></span>',
      '<sup><a id="footnote-ref-1" href="#footnote-1" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup>',
    ),
  ),
}));

const codeText = fc
  .array(
    fc.constantFrom(
      'let a = 1;',
      '',
      '```',
      '  indented',
      '# x',
      '&lt;b&gt;',
      '\ttab',
      '</code'.replace('<', '&lt;'),
    ),
    {
      maxLength: 4,
    },
  )
  .map((lines) => lines.join('\n'));

const cell = inlines;
const table = fc
  .tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 0, max: 2 }),
    fc.array(cell, { minLength: 9, maxLength: 9 }),
  )
  .chain(([width, rows, cells]) =>
    fc
      .array(fc.constantFrom('', ' align="center"', ' align="right"'), { minLength: 3, maxLength: 3 })
      .map((aligns) => {
        const line = (name: string, from: number) =>
          `<tr>${Array.from({ length: width }, (_, at) => `<${name}${aligns[at]}>${cells[from + at]}</${name}>`).join('')}</tr>`;
        const body = Array.from({ length: rows }, (_, row) => line('td', 3 + row * 3)).join('');
        return `<figure class="table"><table><thead>${line('th', 0)}</thead>${rows ? `<tbody>${body}</tbody>` : ''}</table></figure>`;
      }),
  );

const box = fc.constantFrom('', ' checked="checked"');

const { block } = fc.letrec<{ block: string; blocks: string; item: string; loose: string; task: string }>(
  (tie) => ({
    blocks: fc.array(tie('block'), { maxLength: 3, depthIdentifier: 'block' }).map((parts) => parts.join('')),
    item: fc
      .tuple(inlines, fc.option(tie('block'), { nil: '' }))
      .map(([html, more]) => `<li>${html}${more}</li>`),
    loose: fc.tuple(inlines, tie('blocks')).map(([html, more]) => `<li><p>${html}</p>${more}</li>`),
    task: fc
      .tuple(box, inlines, fc.option(tie('block'), { nil: '' }))
      .map(
        ([checked, html, more]) =>
          `<li><label class="todo-list__label"><input type="checkbox"${checked} disabled="disabled"><span class="todo-list__label__description">${html}</span></label>${more}</li>`,
      ),
    block: fc.oneof(
      { depthSize: 'small', depthIdentifier: 'block' },
      { weight: 6, arbitrary: tag('p', inlines) },
      { weight: 2, arbitrary: fc.constantFrom('h1', 'h2', 'h3', 'h6').chain((name) => tag(name, inlines)) },
      { weight: 2, arbitrary: tag('ul', several(tie('item'), 1, 3)) },
      { weight: 2, arbitrary: tag('ol', several(tie('item'), 1, 3)) },
      { weight: 1, arbitrary: tag('ol', several(tie('item'), 1, 2), 'start="9"') },
      { weight: 1, arbitrary: tag('ul', several(tie('loose'), 1, 3)) },
      { weight: 2, arbitrary: tag('ul', several(tie('task'), 1, 3), 'class="todo-list"') },
      { weight: 2, arbitrary: tag('blockquote', tie('blocks')) },
      {
        weight: 2,
        arbitrary: fc
          .constantFrom('note', 'warning', 'other')
          .chain((kind) => tag('aside', tie('blocks'), `class="admonition ${kind}"`)),
      },
      { weight: 2, arbitrary: table },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom(
              ' class="language-text-x-trilium-auto"',
              ' class="language-application-javascript-env-backend"',
              ' class="language-text-x-python"',
              ' class="language-made-up"',
              '',
            ),
            codeText,
          )
          .map(([attribute, code]) => `<pre><code${attribute}>${code}</code></pre>`),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '<hr>',
          '<p>&nbsp;</p>',
          '<p></p>',
          '<span class="math-tex">\\[x = y\\]</span>',
          '<span class="math-tex">\\[\na % b\nc\n\\]</span>',
          '<figure class="image image_resized" style="width:50%;"><img style="aspect-ratio:1/1;" src="api/attachments/a/image/a.png" width="1" height="1"><figcaption>Cap <strong>t</strong></figcaption></figure>',
          '<section class="include-note" data-note-id="abc" data-box-size="small">&nbsp;</section>',
          '<div class="page-break" style="page-break-after:always;"><span style="display:none;">&nbsp;</span></div>',
          '<figure class="media"><oembed url="https://example.com/v"></oembed></figure>',
          '<details><summary>S</summary><p>inside</p><pre><code class="language-text-plain">a\n\nb</code></pre></details>',
          '<figure class="table" style="width:100%;"><table><colgroup><col style="width:50%;"><col></colgroup><tbody><tr><td colspan="2">a</td></tr></tbody></table></figure>',
          '<section class="footnotes" data-footnotes=""><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol><li id="footnote-1"><p>n <a href="#footnote-ref-1" data-footnote-backref="" aria-label="Back to reference 1">↩</a></p></li></ol></section>',
          '<ol class="footnote-section footnotes" data-footnote-section="" role="doc-endnotes"><li class="footnote-item" data-footnote-item="" data-footnote-index="1" data-footnote-id="ab" role="doc-endnote" id="fnab"><span class="footnote-back-link" data-footnote-back-link="" data-footnote-id="ab"><sup><strong><a href="#fnrefab">^</a></strong></sup></span><div class="footnote-content" data-footnote-content=""><p>n</p></div></li></ol>',
        ),
      },
      { weight: 1, arbitrary: inline },
    ),
  }),
);

export const noteHtml = several(block, 0, 5);

const lineStart = fc.constantFrom(
  ...['', '', '', '', '> ', '> > ', '- ', '  - ', '* ', '1. ', '   2) ', '    ', '\t', '# ', '## ', '### '],
  ...[
    '> [!NOTE]\n> ',
    '> [!tip] ',
    '- [ ] ',
    '- [x] ',
    '  - [X] ',
    '[^1]: ',
    '[^n]: ',
    '[a]: ',
    '| a | b |\n| --- | :-: |\n| ',
  ],
  ...[
    '```js\n',
    '~~~\n',
    '```python\n',
    '$$\n',
    '<div>\n',
    '</div>\n',
    '<details><summary>',
    '<pre>',
    '<!-- ',
    '---\n',
    '===\n',
  ],
);
const phrase = fc.oneof(
  { weight: 3, arbitrary: text },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '**b**',
        '*i*',
        '_i_',
        '***bi***',
        '~~s~~',
        '`c`',
        '`` ` ``',
        '==h==',
        '$x^2$',
        '$$y$$',
        '[t](u "ti")',
        '![a](b.png)',
      ],
      ...[
        '[^1]',
        '[^n]',
        '[a]',
        '[[w]]',
        '![[p.png]]',
        '<u>u</u>',
        '<kbd>',
        '</kbd>',
        '<b>',
        '</b>',
        '<br>',
        '  \n',
        '\\\n',
        '\n',
      ],
      ...[
        '<https://a.example>',
        '&lt;',
        '&nbsp;',
        '&#36;',
        '<script>x</script>',
        '<T>',
        '**a',
        '_',
        '*',
        '~~',
        '==',
        '$',
        '](',
        ' | ',
      ],
    ),
  },
);
const line = fc
  .tuple(lineStart, fc.array(phrase, { maxLength: 4 }))
  .map(([start, phrases]) => start + phrases.join(''));

export const noteMarkdown = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n\n')), { maxLength: 8 })
  .map((lines) => lines.flat().join(''));
