/** Parts of a text that are harmless by themselves and act together; judged by a parser that reads as browsers do. */
import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { cleanFile, cleanHtml, cleanSvg } from '../../src/stores/trilium/html/clean.ts';
import { appendedHtml, editedHtml } from '../../src/stores/trilium/html/conversions.ts';

type Parsed = DefaultTreeAdapterTypes.ChildNode;

const ACTIVE = ['script', 'iframe', 'object', 'embed', 'svg', 'math', 'base', 'meta', 'link', 'style'];

function acts(html: string): boolean {
  const look = (node: Parsed): boolean =>
    'attrs' in node &&
    (ACTIVE.includes(node.tagName) ||
      node.attrs.some(({ name, value }) => /^on/.test(name) || /^\s*(?:javascript|data:text)/i.test(value)) ||
      node.childNodes.some(look));
  const documents: Parsed[] = parse(`<!doctype html><body>${html}`).childNodes;
  return [...parseFragment(html).childNodes, ...documents].some(look);
}

describe('an edit', () => {
  test.each([
    ['<p>a</p><scr', '<p>a</p><script>alert(1)</script>'],
    ['<p a</p>', '<p onclick=alert(1)>a</p>'],
    ["<p class='x'>a</p>", "<p class='x' onclick='alert(1)'>a</p>"],
    ["<a href='x'>a</a>", "<a href='javascript:alert(1)'>a</a>"],
    ['<P>a</P>', '<P>a</P><img src=x onerror=alert(1)>'],
    ["<p class='x'>a <!-- b --> c</p>", "<p class='x'>a <!-- b --!><script>alert(1)</script> c</p>"],
    ["<p class='x'>a</p>", "<p class='x'>a</p><svg/onload=alert(1)>"],
    ["<p class='x'>a</p>", "<p class='x'>a</p><iframe srcdoc='<script>alert(1)</script>'></iframe>"],
    ["<style>a{}</style><p class='x'>", '<style>a{}<p title="</style><img src=x onerror=alert(1)>">'],
    ['<textarea></textarea>', '<textarea><p title="</textarea><img src=x onerror=alert(1)>"></textarea>'],
    ["<p class='x'>a</p>", '<p class=\'x\'>a</p><math><a xlink:href="javascript:alert(1)">x</a></math>'],
    ['<FONT>a</FONT>', '<FONT>a</FONT><FONT formaction="javascript:alert(1)">b</FONT>'],
    ['<p class=x>a <b</p>', '<p class=x>a <b onmouseover=alert(1) x="</p>">'],
  ])('of %j cannot make %j', (before, after) => {
    expect(acts(after)).toBe(true);
    expect(acts(editedHtml(before, after))).toBe(false);
  });

  test.each([
    ["<p class='x'>old</p>", "<p class='x'>new</p>"],
    ['<P>old<BR/></P>', '<P>new<BR/></P>'],
    ['<p>old &copy; &nbsp;</p>', '<p>new &copy; &nbsp;</p>'],
    ['<!-- mine --><p>old</p>', '<!-- mine --><p>new</p>'],
    ['<font color="red">old</font>', '<font color="red">new</font>'],
    ['<p style="position:absolute">old</p>', '<p style="position:absolute">new</p>'],
    ['<p foo=bar>a</p><p>old</p>', '<p>new</p><p foo=bar>a</p>'],
    ['<p>a', '<p>a<p>b'],
  ])('of %j leaves what stood there as it was written: %j', (before, after) => {
    expect(editedHtml(before, after)).toBe(after);
  });

  test('may not bring in what is on no list, nor more of it', () => {
    expect(editedHtml('<p>a</p>', '<font color="red">a</font>')).toBe('a');
    expect(editedHtml('<font>a</font>', '<font>a</font><font>b</font>')).toBe('ab');
  });
});

describe('an append', () => {
  const addition = cleanHtml('<p title="</style></textarea>--><img src=x onerror=alert(1)>">x</p>');

  test.each([
    '<style>',
    '<textarea>',
    '<!-- ',
    '<p title="',
    '<script>',
    '<plaintext></plaintext>',
    '<title>',
  ])('behind %j becomes no part of it', (before) => {
    expect(acts(appendedHtml(before, addition))).toBe(false);
  });

  test('leaves what stood there as it was written, whatever it is', () => {
    const before = "<p class='x'>a</p><iframe src=https://example.com></iframe>";
    expect(appendedHtml(before, addition)).toBe(before + addition);
  });
});

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">';

describe('an SVG', () => {
  test.each([
    '<path d="M0 0h9"/>',
    '<!-- made by hand --><linearGradient id="g"><stop offset="0"/></linearGradient>',
    '<style><![CDATA[ .a > .b { fill: red } ]]></style>',
    '<image href="data:image/png;base64,AAAA"/><use xlink:href="#g"/>',
    '<animate attributeName="x" from="0" to="9"/><text>a &amp; b &#169;</text>',
    '<sodipodi:namedview xmlns:sodipodi="x" id="n" pagecolor="#fff"/>',
  ])('that is harmless stays byte for byte: %s', (inside) => {
    const svg = `<?xml version="1.0"?>\n<!DOCTYPE svg>\n${SVG}${inside}</svg>\n`;
    expect(cleanSvg(svg)).toBe(svg);
  });

  test.each([
    '<script>alert(1)</script>',
    '<script href="data:,alert(1)"/>',
    '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>',
    '<g onload="alert(1)"/>',
    "<g x:OnLoad='alert(1)'/>",
    '<a href="javascript:alert(1)"><text>x</text></a>',
    '<a xlink:href="&#x6a;ava&#10;script:alert(1)"/>',
    '<a><animate attributeName="href" values="x;javascript:alert(1)"/></a>',
    '<set attributeName="xlink:href" to="x"/>',
    '<set attributeName="onclick" to="alert(1)"/>',
    '<use href="data:image/svg+xml,%3Csvg%20onload%3D1%3E#x"/>',
    '<foreignObject><iframe srcdoc="x"/></foreignObject>',
    '<h:meta xmlns:h="http://www.w3.org/1999/xhtml" http-equiv="refresh" content="0"/>',
  ])('loses %s and nothing else', (attack) => {
    const cleaned = cleanSvg(`${SVG}<rect width="9"/>${attack}</svg>`);
    expect(cleaned).toContain(`${SVG}<rect width="9"/>`);
    expect(cleaned).not.toMatch(/alert|script|onload|onclick|data:|srcdoc|meta|attributeName/i);
    expect(cleanSvg(cleaned!)).toBe(cleaned);
  });

  test.each([
    '<!DOCTYPE svg [<!ENTITY x "<script>alert(1)</script>">]><svg>&x;</svg>',
    '<svg><g></svg>',
    '<svg',
    '<svg onload=alert(1)>',
    '<svg><!-- </svg>',
    '<svg><g a="<script>"/></svg>',
  ])('that cannot be understood is not taken: %s', (svg) => {
    expect(cleanSvg(svg)).toBeUndefined();
    expect(() => cleanFile('image/svg+xml; charset=utf-8', Buffer.from(svg))).toThrow(/cannot be cleaned/);
  });

  test('with a stylesheet that makes scripts loses it', () => {
    expect(cleanSvg(`<?xml-stylesheet type="text/xsl" href="x.xsl"?>${SVG}</svg>`)).toBe(`${SVG}</svg>`);
  });

  test('of a megabyte of broken parts is read in linear time', () => {
    for (const part of ['<', '<!--', '<a b="', '<a ', '</', '<![CDATA[', '<a>'])
      expect(cleanSvg(part.repeat(300_000))).toBeUndefined();
    expect(cleanSvg('<a/>'.repeat(300_000))).toBeDefined();
  });
});

test('files of other types are bytes like any other', () => {
  for (const mime of ['text/plain', 'application/pdf', 'text/javascript', 'image/png']) {
    const bytes = Buffer.from('<script>alert(1)</script>');
    expect(cleanFile(mime, bytes)).toBe(bytes);
  }
  const data = Buffer.from('<feed><a script="1"/></feed>');
  expect(cleanFile('application/xml', data)).toBe(data);
  const page = '<x xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></x>';
  expect(Buffer.from(cleanFile('text/xml', Buffer.from(page))).toString()).not.toContain('alert');
  expect(() => cleanFile('text/html', Buffer.of(0xff, 0xfe, 0x3c, 0))).toThrow(/cannot be cleaned/);
});
