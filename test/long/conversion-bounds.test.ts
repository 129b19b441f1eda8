/** Neither size nor nesting nor anything unfinished makes the conversion hang or overflow. */
import { describe, expect, it } from 'vitest';
import { cleanHtml } from '../../src/stores/trilium/html/clean.ts';
import { toHtml } from '../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../src/stores/trilium/html/to-markdown.ts';

const MB = 1_000_000;
const fill = (part: string, size: number) => part.repeat(Math.ceil(size / part.length));
const deep = (open: string, close: string) => `${open.repeat(10_000)}deep${close.repeat(10_000)}`;

describe('nesting of 10,000 levels', () => {
  it.each([
    ['<div>', '</div>'],
    ['<blockquote>', '</blockquote>'],
    ['<ul><li>', '</li></ul>'],
    ['<b>', '</b>'],
    ['<span style="color:red">', '</span>'],
    ['<table><tr><td>', '</td></tr></table>'],
    ['<b><p>', '</p></b>'],
    ['<svg>', ''],
    ['<a href="x">', ''],
  ])('of %s keeps the text', (open, close) => {
    const html = deep(open, close);
    expect(cleanHtml(html)).toContain('deep');
    expect(toHtml(toMarkdown(html))).toContain('deep');
  });

  it.each([
    '>',
    '> ',
    '- ',
    '1. ',
    '* > ',
    '[',
    '![',
    '[a](',
    '**a ',
    '_a *b ',
    '==a ',
    '<div>',
    '<b>',
    '[^1]: ',
  ])('of %j in markdown keeps the text', (open) => {
    expect(toHtml(`${open.repeat(10_000)}deep`)).toContain('deep');
  });
});

describe('what never ends', () => {
  it.each([
    '<',
    '<a ',
    '<a b="',
    "<a b='",
    '<!--',
    '<!x',
    '&',
    '&amp',
    '<b> </b>',
    '<i><b>x</i>',
    '<br>',
    '*',
    '`',
    'a`',
    '$',
  ])('is read in linear time as HTML: %s', (part) => {
    expect(typeof toMarkdown(fill(part, MB / 5))).toBe('string');
  });

  it.each([
    '[',
    '![',
    '](',
    '*a ',
    'a*',
    '_a',
    '`a``',
    '<a ',
    '<!--',
    '&',
    '~~a ',
    '==a ',
    '$a ',
    '$$ a\n',
    '$$\n\n',
    '[[a',
    '[^a',
    '[^a]: x\n',
    'https://a.',
    'a|b\n',
    '\\',
  ])('is read in linear time as markdown: %j', (part) => {
    expect(typeof toHtml(fill(part, MB / 5))).toBe('string');
  });
});
