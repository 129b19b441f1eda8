/** Attacks, judged by a parser that reads as browsers do and by rules written apart from ours. */
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { cleanHtml } from '../../src/stores/trilium/html/clean.ts';
import { toHtml } from '../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../src/stores/trilium/html/to-markdown.ts';

const ATTACKS = [
  '<script>alert(1)</script>',
  '<SCRIPT>alert(1)</SCRIPT>',
  '<ScRiPt src=//evil.example/x.js></sCrIpT>',
  '<script\n>alert(1)</script\n>',
  '<script/x>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>alert(1)//<</script>',
  '<script>document.write("<img src=x onerror=alert(1)>")</script>',
  '<script>',
  '<script src="x"',
  '</script><script>alert(1)</script>',
  '<style><script>alert(1)</script></style>',
  '<style>@import url(//evil.example)</style>',
  '<style></style><img src=x onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<title><img src=x onerror=alert(1)></title>',
  '<textarea></textarea><img src=x onerror=alert(1)>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<template><img src=x onerror=alert(1)></template>',
  '<img src=x onerror=alert(1)>',
  '<img src=x OnErRoR="alert(1)">',
  '<img/src=x/onerror=alert(1)>',
  '<img src=x onerror\u000c=alert(1)>',
  '<img src="x" ="" onerror="alert(1)">',
  '<img """><script>alert(1)</script>">',
  '<img src=`x` onerror=alert(1)>',
  '<p onclick="alert(1)" onmouseover=alert(1)>x</p>',
  '<body onload=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<input autofocus onfocus=alert(1)>',
  '<input type="image" src=x onerror=alert(1)>',
  '<input type="CHECKBOX" formaction="javascript:alert(1)" onclick=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="java&#9;script:alert(1)">x</a>',
  '<a href="java&Tab;script&colon;alert(1)">x</a>',
  '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  '<a href="&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href="blob:https://x/y">x</a><a href="filesystem:x">y</a><a href="view-source:x">z</a>',
  '<a href="x" href="javascript:alert(1)" xlink:href="javascript:alert(1)">x</a>',
  '<a href="javascript:alert(1)" target=_blank ping="//evil.example">x</a>',
  '<img src="data:text/html,<script>alert(1)</script>">',
  '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
  '<img src="data:image/svg+xml;base64,AAAA">',
  '<img src="javascript:alert(1)" lowsrc="javascript:alert(1)" dynsrc="javascript:alert(1)">',
  '<img srcset="javascript:alert(1) 1x">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><script xlink:href="data:,alert(1)"/></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><animate attributeName=href values=javascript:alert(1) />',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<math href="javascript:alert(1)">x</math>',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<IFRAME SRC=//evil.example>text</IFRAME>',
  '<frameset><frame src="javascript:alert(1)"></frameset>',
  '<object data="javascript:alert(1)"></object>',
  '<object data="data:text/html;base64,AAAA"><param name=x value=y></object>',
  '<embed src="javascript:alert(1)">',
  '<applet code=x></applet>',
  '<link rel=stylesheet href="javascript:alert(1)">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<base href="javascript:alert(1)//">',
  '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button></form>',
  '<video src="javascript:alert(1)" poster="javascript:alert(1)"><source src="javascript:alert(1)"></video>',
  '<oembed url="javascript:alert(1)"></oembed>',
  '<q cite="javascript:alert(1)">x</q>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<p style="background-image:url(//evil.example/x)">x</p>',
  '<p style="background:u\\72l(//evil.example)">x</p>',
  '<p style="color:red;background:/**/url(//evil.example)">x</p>',
  '<p style="width:expression(alert(1))">x</p>',
  '<p style="width:EXPR/**/ESSION(alert(1))">x</p>',
  '<p style="behavior:url(x.htc);-moz-binding:url(x)">x</p>',
  '<p style="font-family:\'a;background:url(x)\'">x</p>',
  '<p style="background:image-set(&quot;//evil.example/x&quot; 1x)">x</p>',
  '<p style="position:fixed;top:0;left:0;width:100%;height:100%;z-index:9">x</p>',
  '<p style="color:red}body{background:url(x)">x</p>',
  '<p style="@import \'x\'">x</p>',
  '<!--><script>alert(1)</script>-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<!--[if IE]><script>alert(1)</script><![endif]-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml-stylesheet href="javascript:alert(1)"?><p>x',
  '<!DOCTYPE html [<!ENTITY x "<script>">]>',
  '<a title="--></noscript><script>alert(1)</script>">x</a>',
  '<p title="&quot;><script>alert(1)</script>">x</p>',
  '<b <script>alert(1)</script>0',
  '<div\u0000 onclick=alert(1)>x</div><scr\u0000ipt>alert(1)</script>',
  '<p data-bs-toggle="tooltip" data-bs-html="true" data-bs-title="<script>">x</p>',
  '<marquee onstart=alert(1)>x</marquee><isindex action=javascript:alert(1) type=image>',
  '<x onclick=alert(1)>x</x><custom-element onclick=alert(1)>y</custom-element>',
  '<portal src="javascript:alert(1)"></portal>',
  '<table background="javascript:alert(1)"><td background="javascript:alert(1)">x</td></table>',
  '<picture><source srcset="javascript:alert(1)"><img src=x onerror=alert(1)></picture>',
  '<label for=x onclick=alert(1)><ruby><rt onclick=alert(1)>x',
];

const MARKDOWN_ATTACKS = [
  '[x](javascript:alert(1))',
  '[x](<java script:alert(1)>)',
  '[x](JAVASCRIPT&colon;alert(1))',
  '[x](\\javascript:alert(1))',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1))',
  '![x](data:text/html;base64,AAAA)',
  '![x](data:image/svg+xml;base64,AAAA)',
  '[x](data:text/html,x)',
  '[x]\n\n[x]: javascript:alert(1)',
  '[x](y "\\" onclick=alert(1)")',
  '![" onerror="alert(1)](x)',
  '```"><script>alert(1)</script>\nx\n```',
  '```x language-"onclick=alert(1)\nx\n```',
  '$</span><img src=x onerror=alert(1)>$',
  '$$\n</span><script>alert(1)</script>\n$$',
  '[[x" onclick="alert(1)]] ![[x" onerror="alert(1)]] [[javascript:alert(1)]]',
  'a[^"onclick=alert(1)//]\n\n[^"onclick=alert(1)//]: x',
  '> [!NOTE" onclick="alert(1)]\n> x',
  '`<script>alert(1)</script>`',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<div>\n\n<script>\n\nalert(1)\n\n</script>\n\n</div>',
  '<scr**x**ipt>alert(1)</script>',
  '- <script>\n- alert(1)</script>',
];

type Parsed = DefaultTreeAdapterTypes.ChildNode;

const ACTIVE = new Set(
  (
    'script style iframe frame frameset object embed applet svg math link meta base form button select textarea ' +
    'noscript template title xmp plaintext portal marquee isindex body html head'
  ).split(' '),
);

/** The active content a browser would act on, by the rules of this test. */
function dangersOf(html: string): string[] {
  const dangers: string[] = [];
  const look = (nodes: readonly Parsed[]): void => {
    for (const node of nodes) {
      if (node.nodeName === '#comment') dangers.push('a comment');
      if (!('attrs' in node)) continue;
      if (ACTIVE.has(node.tagName) || node.namespaceURI !== 'http://www.w3.org/1999/xhtml')
        dangers.push(node.tagName);
      for (const { name, value } of node.attrs)
        dangers.push(...dangersOfAttribute(node.tagName, name, value));
      look(node.childNodes);
    }
  };
  look(parseFragment(html).childNodes);
  return dangers;
}

function dangersOfAttribute(tag: string, name: string, value: string): string[] {
  const dangers: string[] = [];
  // As the URL standard has it: tabs and line breaks go everywhere, other such characters in front.
  const squeezed = value
    .replace(/[\t\n\r]/g, '')
    .replace(/^[\u0000-\u0020]+/, '')
    .toLowerCase();
  if (name.startsWith('on') || /^(?:srcdoc|srcset|formaction|action|ping|background|xlink:href)$/.test(name))
    dangers.push(name);
  if (name.startsWith('data-bs-')) dangers.push(name);
  const isText = ['title', 'alt', 'class', 'aria-label', 'id'].includes(name);
  if (!isText && /^(?:javascript|vbscript|blob|filesystem|view-source):/.test(squeezed))
    dangers.push(`${name}=${value}`);
  if (!isText && /^data:(?!image\/(?:png|jpeg|gif|webp))/.test(squeezed)) dangers.push(`${name}=${value}`);
  if (name === 'href' && squeezed.startsWith('data:')) dangers.push(`${name}=${value}`);
  if (name === 'style' && /url|expression|image-set|binding|behavior|import|position|\\|\/\*/.test(squeezed))
    dangers.push(value);
  if (tag === 'input' && name === 'type' && squeezed !== 'checkbox') dangers.push(`input ${value}`);
  return dangers;
}

describe('what could act is stripped', () => {
  it('the judge sees the attacks', () => {
    expect(ATTACKS.filter((attack) => dangersOf(attack).length > 0).length).toBeGreaterThan(80);
  });

  it.each(ATTACKS)('from HTML: %s', (attack) => {
    const clean = cleanHtml(attack);
    expect(dangersOf(clean)).toEqual([]);
    expect(cleanHtml(clean)).toBe(clean);
  });

  it.each(ATTACKS)('from HTML among other things: %s', (attack) => {
    expect(
      dangersOf(
        cleanHtml(`<p>a ${attack} b</p><ul><li>${attack}</li></ul><a href="x" title='${attack}'>c</a>`),
      ),
    ).toEqual([]);
  });

  it.each([...ATTACKS, ...MARKDOWN_ATTACKS])('from markdown: %s', (attack) => {
    expect(dangersOf(toHtml(attack))).toEqual([]);
    expect(
      dangersOf(toHtml(`text ${attack} text\n\n- ${attack}\n\n> ${attack}\n\n| a |\n| --- |\n| ${attack} |`)),
    ).toEqual([]);
  });

  it.each(ATTACKS)('on the way to markdown: %s', (attack) => {
    const markdown = toMarkdown(`<p>a</p>${attack}<p>b</p>`);
    expect(dangersOf(toHtml(markdown))).toEqual([]);
    expect(toMarkdown(toHtml(markdown))).toBe(markdown);
  });
});

describe('what cannot act stays', () => {
  it.each([
    '<p style="color:hsl(0, 75%, 60%);font-size:1.2em">x</p>',
    '<p><img src="data:image/png;base64,AAAA"></p>',
    '<p><img src="image:0"><a href="file:0">f</a></p>',
    '<p><a href="#root/abc?viewMode=attachments&amp;attachmentId=x" class="reference-link">x</a></p>',
    '<p><a href="obsidian://open?x">x</a><a href="mailto:a@b.c">y</a><a href="../z:w">z</a></p>',
    '<section class="include-note" data-note-id="abc" data-box-size="small">&nbsp;</section>',
    '<ul class="todo-list"><li><label class="todo-list__label"><input type="checkbox" checked="checked" disabled="disabled"><span class="todo-list__label__description">a</span></label></li></ul>',
    '<ol style="list-style-type:lower-latin;"><li value="3">a</li></ol>',
    '<figure class="table" style="width:100%;"><table style="border:1px solid hsl(0, 0%, 0%);"><tbody><tr><td colspan="2" style="padding:3px;">a</td></tr></tbody></table></figure>',
    '<details open=""><summary>s</summary><p>a</p></details>',
  ])('%s', (html) => {
    expect(cleanHtml(html)).toBe(html);
  });

  it('a slip in prose takes nothing else along', () => {
    expect(toHtml('use the <style> tag\n\nnext')).toBe('<p>use the  tag</p><p>next</p>');
    expect(toHtml('a <title> and Vec<T> and <your-token>')).toBe(
      '<p>a &lt;title&gt; and Vec&lt;T&gt; and &lt;your-token&gt;</p>',
    );
    expect(cleanHtml('<p>a <!-- b</p>')).toBe('<p>a &lt;!-- b&lt;/p&gt;</p>');
  });
});
