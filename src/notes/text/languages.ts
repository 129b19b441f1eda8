/** A guess at the languages of many notes, by words that hold sentences together, and by scripts. */
import { forEachInSlices } from '../../shared/async/time-slices.ts';

/** Folded, and in no other language of the list. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ['the', 'and', 'with'],
  de: ['und', 'nicht', 'eine'],
  fr: ['les', 'dans', 'une'],
  es: ['los', 'las', 'del'],
  pt: ['nao', 'uma', 'dos'],
  it: ['della', 'che', 'gli'],
  nl: ['het', 'een', 'niet'],
  sv: ['och', 'att', 'inte'],
  pl: ['jest', 'przez', 'oraz'],
  ru: ['что', 'это', 'как'],
  uk: ['що', 'це', 'або'],
};

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['ko', /\p{Script=Hangul}/u],
  ['zh', /\p{Script=Han}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['he', /\p{Script=Hebrew}/u],
  ['el', /\p{Script=Greek}{2}/u],
  ['hi', /\p{Script=Devanagari}/u],
  ['th', /\p{Script=Thai}/u],
];

/** The words to count notes by. */
export const LANGUAGE_WORDS: readonly string[] = Object.values(WORDS).flat();

export interface LanguageShare {
  /** As in ISO 639. */
  readonly language: string;
  /** About how many notes are in it. */
  readonly notes: number;
}

/** Fewer notes than this share of all may be quotations. */
const LEAST_SHARE = 0.02;

/** `holders`: how many notes have each of `LANGUAGE_WORDS`. Titles stand for texts in the scripts of one language. */
export async function guessLanguages(
  holders: readonly number[],
  titles: readonly string[],
): Promise<LanguageShare[]> {
  const count = new Map(LANGUAGE_WORDS.map((word, at) => [word, holders[at] ?? 0]));
  const byWords = Object.entries(WORDS).map(([language, words]): LanguageShare => {
    const [, median = 0] = words.map((word) => count.get(word) ?? 0).sort((a, b) => a - b);
    return { language, notes: median };
  });
  const byScript = new Map<string, number>();
  await forEachInSlices(titles, (title) => {
    const language = SCRIPTS.find(([, script]) => script.test(title))?.[0];
    if (language !== undefined) byScript.set(language, (byScript.get(language) ?? 0) + 1);
  });
  return [...byWords, ...[...byScript].map(([language, notes]) => ({ language, notes }))]
    .filter(({ notes }) => notes > titles.length * LEAST_SHARE)
    .sort((a, b) => b.notes - a.notes);
}
