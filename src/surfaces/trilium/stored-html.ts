/** What callers send for a text note, as it is stored. */
import type { Conversion } from './backend.ts';

export interface SentText {
  readonly content: string;
  readonly format: 'html' | 'markdown';
  readonly title: string;
}

export async function storedHtml(
  { toHtml, clean }: Conversion,
  { content, format, title }: SentText,
): Promise<string> {
  return format === 'markdown' ? toHtml(content, { title }) : clean(content);
}
