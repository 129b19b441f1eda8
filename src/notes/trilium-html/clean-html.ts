/** HTML somebody sends for a note, without scripts and all else that could act. Nothing else of it changes. */
import { parseHtml } from './parse.ts';
import { serialize } from './serialize.ts';

export function cleanHtml(html: string): string {
  return serialize(parseHtml(html));
}
