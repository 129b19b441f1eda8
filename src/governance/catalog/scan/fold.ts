/** Text as a model reads it, whatever tricks its letters play on a pattern. */
import { stripHidden } from './hidden.ts';

/** Letters of other scripts that look like Latin ones. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  ['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'іi', 'ѕs', 'јj', 'ԁd', 'һh', 'кk', 'мm', 'нh', 'тt', 'вb', 'ɡg']
    .concat(['αa', 'οo', 'ρp', 'νv', 'ιi', 'υu', 'κk', 'εe', 'τt', 'ѵv', 'ӏl', 'ɩi', 'ոn', 'սu', 'ԛq', 'ԝw'])
    .map((pair) => [...pair] as [string, string]),
);
const LOOK_ALIKE = new RegExp(`[${Object.keys(LOOK_ALIKES).join('')}]`, 'g');
const LATIN = /[a-z]/;
const DIGIT_LETTERS: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' };
/** A digit between letters, as no word has it. */
const DIGIT_IN_WORD = /(?<=[a-z])[013457](?=[a-z])/g;
const SPELLED_OUT = /(?:\b[a-z][ .*_-]{1,2}){5,80}[a-z]\b/g;
const MARKS = /[*_`~#>|]+/g;

export function foldText(text: string): string {
  const plain = stripHidden(text).normalize('NFKC').toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  const latin = LATIN.test(plain)
    ? plain.replace(LOOK_ALIKE, (letter) => LOOK_ALIKES[letter] ?? letter)
    : plain;
  return latin
    .replace(DIGIT_IN_WORD, (digit) => DIGIT_LETTERS[digit] ?? digit)
    .replace(/[’‘ʼ]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/\s+/g, ' ');
}

/** Without the marks of markdown, and words that were spelled with gaps closed up. */
export function foldWords(text: string): string {
  const unmarked = foldText(text).replace(MARKS, ' ');
  return unmarked.replace(SPELLED_OUT, (letters) => letters.replace(/[^a-z]/g, '')).replace(/ +/g, ' ');
}

/** What a name looks like; equal for names that can be taken for each other. */
export function lookOf(name: string): string {
  return foldText(name)
    .replace(/[\s_.-]+/g, '_')
    .replace(/[l1|]/g, 'i')
    .replace(/0/g, 'o');
}
