/** The conversion of notes larger than any real one. */
import { describe, expect, it } from 'vitest';
import { cleanHtml } from '../../src/stores/trilium/html/clean.ts';
import { toHtml } from '../../src/stores/trilium/html/to-html.ts';
import { toMarkdown } from '../../src/stores/trilium/html/to-markdown.ts';

const MB = 1_000_000;
const fill = (part: string, size: number) => part.repeat(Math.ceil(size / part.length));

describe('10 MB', () => {
  const paragraph = 'Lorem **ipsum** dolor sit amet, _consectetur_ adipiscing elit. '.repeat(40);

  it('of markdown becomes HTML', () => {
    expect(toHtml(fill(`${paragraph}\n\n`, 10 * MB)).length).toBeGreaterThan(10 * MB);
  });

  it('of HTML becomes markdown', () => {
    const html = fill(`<p>${'Lorem <strong>ipsum</strong> dolor sit amet elit. '.repeat(40)}</p>`, 10 * MB);
    expect(toMarkdown(html).length).toBeGreaterThan(5 * MB);
  });

  it.each(['<div>', '<b>', '</b></p>', 'a', ' ', '<svg><script>'])('of %j is read', (part) => {
    const html = fill(part, 10 * MB);
    expect(typeof toMarkdown(html)).toBe('string');
  });

  it('of attributes is read', () => {
    const names = Array.from({ length: MB }, (_, at) => `a${at}`).join(' ');
    expect(cleanHtml(`<p ${names}>a</p>`)).toBe('<p>a</p>');
  });

  it.each(['- ', '<div>', 'a', '```'])('of %j in markdown is read', (part) => {
    expect(typeof toHtml(fill(part, 10 * MB))).toBe('string');
  });
});
