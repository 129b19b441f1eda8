import type { Span } from '../types.ts';
import { BLANK } from './stretches.ts';

/** The block's text as people read it: with its code. */
export function shownText(
  note: string,
  { text, span }: { readonly text: string; readonly span: Span },
): string {
  if (!text.includes(BLANK)) return text;
  const around = text.split(new RegExp(`(${BLANK}+)`));
  let at = span.start;
  return around
    .map((part) => {
      const shown = part.startsWith(BLANK) ? note.slice(at, at + part.length).replace(/\s/g, ' ') : part;
      at += part.length;
      return shown;
    })
    .join('');
}
