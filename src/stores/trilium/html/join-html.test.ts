import { describe, expect, it } from 'vitest';
import { appendedHtml } from './conversions.ts';
import { toHtml } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
const append = (before: string, addition: string) => appendedHtml(toHtml(before), toHtml(addition));

describe('a text appended to another', () => {
  it('comes in front of the footnotes', () => {
    expect(append('a[^1]\n\n[^1]: one', 'later')).toBe(toHtml('a[^1]\n\nlater\n\n[^1]: one'));
  });

  it('brings footnotes of its own, under labels that are free', () => {
    const html = append('a[^1] b[^2]\n\n[^1]: one\n[^2]: two', 'c[^1] d[^1]\n\n[^1]: other');
    expect(html).toBe(toHtml('a[^1] b[^2]\n\nc[^3] d[^3]\n\n[^1]: one\n[^2]: two\n[^3]: other'));
    expect(toMarkdown(html)).toBe('a[^1] b[^2]\n\nc[^3] d[^3]\n\n[^1]: one\n[^2]: two\n[^3]: other');
  });

  it.each([
    ['x[^n]\n\n[^n]: one', 'y[^n] z[^n-2]\n\n[^n]: two\n[^n-2]: three'],
    ['x[^1]\n\n[^1]: one', 'y[^1] z[^2]\n\n[^1]: two\n[^2]: three'],
    ['x[^ä]\n\n[^ä]: one', 'y[^ä]\n\n[^ä]: two'],
    ['x[^1]\n\n[^1]: one', 'y\n\n[^1]: nobody refers to it'],
    ['x', 'y[^1]\n\n[^1]: two'],
  ])('never has an id twice: %j and %j', (before, addition) => {
    const once = append(before, addition);
    const twice = appendedHtml(once, toHtml(addition));
    for (const html of [once, twice]) {
      expect(new Set(idsOf(html)).size).toBe(idsOf(html).length);
      const targets = [...html.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id!);
      for (const target of targets) expect(idsOf(html)).toContain(target);
      expect(toMarkdown(html)).not.toContain('<section');
      expect(toHtml(toMarkdown(html))).toBe(html);
    }
  });

  it('stays behind footnotes that do not end the text, and collides with none', () => {
    const before = `${toHtml('a[^1]\n\n[^1]: one')}<p>after</p>`;
    const html = appendedHtml(before, toHtml('b[^1]\n\n[^1]: two'));
    expect(html.startsWith(before)).toBe(true);
    expect(idsOf(html).filter((id) => id !== 'footnote-label')).toHaveLength(4);
    expect(new Set(idsOf(html)).size).toBe(5);
  });

  it('without footnotes is put as it stands', () => {
    expect(appendedHtml('<p>a</p>\n', '<p>b</p>')).toBe('<p>a</p>\n<p>b</p>');
  });
});
