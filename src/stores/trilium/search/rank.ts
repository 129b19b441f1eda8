/** Hits of a less strict search, best first: what holds more of the words, and holds them in its title. */
import type { TriliumNote } from '../wire/types.ts';
import { holding } from './prepare.ts';
import { spelled } from './spell.ts';
import { checkQuery } from './validate.ts';

/** Any of the words, anywhere. */
export function anyOf(terms: readonly string[], isFast: boolean): string {
  const query = terms.map((term) => holding(term, isFast)).join(' OR ');
  return spelled(query, checkQuery(query));
}

interface Ranked {
  readonly note: TriliumNote;
  readonly score: number;
  readonly matched: number;
}

export function ranked(notes: readonly TriliumNote[], terms: readonly string[]): TriliumNote[] {
  const words = terms.map(fold);
  return notes
    .map((note) => rate(note, words))
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.matched - a.matched ||
        a.note.title.length - b.note.title.length ||
        compare(b.note.utcDateModified, a.note.utcDateModified) ||
        compare(a.note.noteId, b.note.noteId),
    )
    .map(({ note }) => note);
}

function rate(note: TriliumNote, words: readonly string[]): Ranked {
  const title = fold(note.title);
  const attributes = fold(attributeText(note));
  const inTitle = words.filter((word) => title.includes(word));
  const matched = words.filter((word) => title.includes(word) || attributes.includes(word));
  const score =
    inTitle.length * 10 +
    words.filter((word) => attributes.includes(word)).length * 4 +
    (inTitle.length === words.length ? 15 : 0) +
    (matched.length / words.length) * 20 +
    (words.some((word) => title.startsWith(word)) ? 3 : 0) +
    (title === words.join(' ') ? 5 : 0);
  return { note, score, matched: matched.length };
}

/** How many of the notes hold each word where it can be seen. */
export function countByTerm(notes: readonly TriliumNote[], terms: readonly string[]): Record<string, number> {
  const texts = notes.map((note) => fold(`${note.title} ${attributeText(note)}`));
  return Object.fromEntries(
    terms.map((term) => [term, texts.filter((text) => text.includes(fold(term))).length]),
  );
}

function attributeText({ attributes }: TriliumNote): string {
  return attributes.map(({ name, value, type }) => (type === 'label' ? `${name} ${value}` : name)).join(' ');
}

export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
