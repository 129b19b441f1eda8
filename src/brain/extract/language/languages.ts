/** The vocabularies of all languages joined into one, because notes mix languages. */
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { OTHERS } from './others.ts';
import { PORTUGUESE } from './portuguese.ts';
import { SPANISH } from './spanish.ts';
import type { ColumnKind, PhraseKind, SectionKind, Vocabulary } from './vocabulary.ts';

const LANGUAGES: readonly Vocabulary[] = [ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, OTHERS];
const NEVER = '(?!)';

/** The words of all languages as one alternation; one that matches nothing when there are none. */
export function wordsFor(
  select: (language: Vocabulary) => string | undefined,
  languages: readonly Vocabulary[] = LANGUAGES,
): string {
  const sources = languages.flatMap((language) => select(language) ?? []);
  return sources.length === 0 ? NEVER : sources.map((source) => `(?:${source})`).join('|');
}

export function sectionWords(kind: SectionKind): string {
  return wordsFor(({ sections }) => sections[kind]);
}

export function columnWords(kind: ColumnKind): string {
  return wordsFor(({ columns }) => columns[kind]);
}

/** A word boundary: `\b` knows no accents. */
export const WORD_START = '(?<![\\p{L}\\d])';
export const WORD_END = '(?:(?<![\\p{L}\\d])|(?![\\p{L}\\d]))';

export function phrasePattern(kind: PhraseKind, languages?: readonly Vocabulary[]): RegExp {
  const words = wordsFor(({ phrases }) => phrases[kind], languages);
  return new RegExp(`${WORD_START}(?:${words})${WORD_END}`, 'iu');
}
