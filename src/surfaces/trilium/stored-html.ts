/** What callers send for a text note, as it is stored. */
import type { TriliumClient } from '../../stores/trilium/client.ts';
import { linkedNotes } from '../../stores/trilium/titles.ts';
import type { CallOptions } from '../../stores/trilium/wire/types.ts';
import type { Conversion } from './backend.ts';

export interface SentText {
  readonly content: string;
  readonly format: 'html' | 'markdown';
  readonly title: string;
}

interface Backend {
  readonly client: Pick<TriliumClient, 'search'>;
  readonly conversion: Conversion;
}

export async function storedHtml(
  { client, conversion: { toHtml, clean } }: Backend,
  { content, format, title }: SentText,
  options?: CallOptions,
): Promise<string> {
  if (format === 'html') return clean(content);
  return toHtml(content, { title, links: await linkedNotes(client, content, options) });
}
