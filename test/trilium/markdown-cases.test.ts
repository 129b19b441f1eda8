/** Cases measured on Trilium 0.105: markdown to HTML and HTML to markdown, byte for byte. */
import { describe, expect, it } from 'vitest';
import { toHtml } from '../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../src/stores/trilium/html/to-markdown.ts';
import reference from '../fixtures/trilium/markdown-cases.json' with { type: 'json' };

/** Deliberate differences of our conversion: Trilium drops underlining, and a round trip through its markdown loses it. */
const OURS: Readonly<Record<string, string>> = {
  html_inline: 'a <u>u</u> alert(1) s',
  'html:u': '<u>under</u> <mark class="marker-yellow">m</mark> <sub>1</sub>',
};

const cases: readonly { name: string; markdown?: string; html: string; markdownBack: string }[] =
  reference.cases;

describe("Trilium's own conversion", () => {
  it('is known from 26 cases, two of which we read back otherwise', () => {
    expect(cases).toHaveLength(26);
    expect(Object.keys(OURS).every((name) => cases.some((known) => known.name === name))).toBe(true);
  });

  it.each(cases.filter(({ markdown }) => markdown !== undefined))('$name, to HTML', ({ markdown, html }) => {
    expect(toHtml(markdown!)).toBe(html);
  });

  it.each(cases)('$name, to markdown', ({ name, html, markdownBack }) => {
    expect(toMarkdown(html)).toBe(OURS[name] ?? markdownBack);
  });

  it.each(cases)('$name, to markdown and back', ({ html }) => {
    const markdown = toMarkdown(html);
    expect(toMarkdown(toHtml(markdown))).toBe(markdown);
  });
});
