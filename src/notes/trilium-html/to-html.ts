/**
 * Markdown to the HTML Trilium stores for a text note, as Trilium's own conversion writes it. Scripts and all else that
 * could act are left out.
 *
 * Loads the markdown parser: reach it through `await import('./to-html.ts')`.
 */
import { fromMarkdown, type MarkdownOptions } from './from-markdown.ts';
import { serialize } from './serialize.ts';

export function toHtml(markdown: string, options: MarkdownOptions = {}): string {
  return serialize(fromMarkdown(markdown, options));
}
