/** The words of a finding: what a person would read out, without marks, fields and markup. */
import type { Span } from '../types.ts';
import { BLANK } from './text-spans.ts';

const MAX_WORDS = 500;

/** `text` with `spans` left out, from `from` on. */
export function wordsOf(text: string, from = 0, spans: readonly Span[] = []): string {
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

/** The same for two texts that say the same in other case, spacing or marks. */
export function normalised(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Whether there is anything to read: "none" and "n/a" are nothing. */
export function saysSomething(text: string): boolean {
  return (
    /[\p{L}\p{N}]/u.test(text) &&
    !/^\W*(?:none|nothing|n\/?a|tbd|tba|keine|nichts|-+)(?: yet| so far)?\W*$/iu.test(text)
  );
}

export interface Sentence extends Span {
  readonly text: string;
}

/** An end mark, white space behind it, then a capital, a digit or a mark: "e.g. this" does not end one. */
const SENTENCE_END =
  /[.!?…](?:["'”’)\]*_]{0,3})\s+(?=[\p{Lu}\p{N}"'“‘([*_@\uFFFC\p{Extended_Pictographic}])/gu;

export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  const add = (end: number) => {
    const part = text.slice(start, end).trimEnd();
    if (part !== '') sentences.push({ start, end: start + part.length, text: part });
    start = end;
  };
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END))
    if (
      !/(?:^|\s)(?:e\.g|i\.e|z\.B|vs|Dr|St|approx|ca|No)\.$/iu.test(
        text.slice(Math.max(0, index - 8), index + 1),
      )
    )
      add(index + mark.length);
  add(text.length);
  return sentences;
}

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
