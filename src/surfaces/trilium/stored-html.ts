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

/** Of an edit only what it brings is cleaned: what stood there in another form is the user's own. */
export async function editedHtml({ clean }: Conversion, before: string, after: string): Promise<string> {
  return (await clean(before)) === before ? clean(after) : after;
}
