/** The plain text of an item: without markers, fields and markup. */
import type { Range } from '../../notes/markdown/regions.ts';
import { BLANK } from '../../notes/markdown/text-spans.ts';

const MAX_WORDS = 500;

/** `text` from `from` on, without `spans`. */
export function wordsOf(text: string, from = 0, spans: readonly Range[] = []): string {
  let kept = '';
  let at = from;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start > at) kept += `${text.slice(at, start)} `;
    at = Math.max(at, end);
  }
  return tidy(kept + text.slice(at));
}

export function tidy(text: string): string {
  return cut(
    text
      .replace(/\[\[(?:[^[\]|]{0,200}\|)?([^[\]|]{0,200})\]\]/g, '$1')
      .replace(/!?\[([^[\]]{0,200})\]\([^()]{0,500}\)/g, '$1')
      .replace(/\*\*|__|~~|==/g, '')
      .replace(/(?<![\p{L}\d])[*_]([^*_]{1,200})[*_](?![\p{L}\d])/gu, '$1')
      .replace(/\s\^[\w-]+$/, '')
      .replace(/\s+/g, ' ')
      .replace(/\s+([,;:.!?)])/g, '$1')
      .replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/gu, ''),
  );
}

function cut(text: string): string {
  if (text.length <= MAX_WORDS) return text;
  return `${text.slice(0, MAX_WORDS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Equal for texts that differ only in case, spacing or punctuation. */
export function normalized(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** False for an empty text, and for "none" and "n/a". */
export function saysSomething(text: string): boolean {
  return (
    /[\p{L}\p{N}]/u.test(text) &&
    !/^[^\p{L}]*(?:none|nothing|n\/?a|tbd|tba|keine?|nichts|aucune?|rien|à compléter|ningun[oa]|nada|por definir|nenhum[oa]?|a definir|нет|なし|无|-+)(?: yet| so far)?[^\p{L}]*$/iu.test(
      text,
    )
  );
}

/** The block's text with its inline code, which the scan blanks out. */
export function shownText(
  note: string,
  { text, span }: { readonly text: string; readonly span: Range },
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
