/**
 * Finds the words of a question in texts, whatever their inflection. Stems are compared as numbers, and only of words
 * that begin as a wanted one does: most words of a text are passed over without making anything of them.
 */
import { type FoldedText, fold, SEARCH_FOLDING } from './fold.ts';
import { forEachTerm, unitsOf } from './tokens.ts';

const VOWEL = /[aeiou]|(?<=[^aeiou])y/;

/**
 * Reduces an English word to the stem it shares with its inflections (after M. F. Porter's algorithm of 1980).
 * Words of other scripts and very short ones come back as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || word.length > 40 || !/^[a-z]+$/.test(word)) return word;
  const whole = step1c(step1b(step1a(word)));
  return step5(step4(replaceEnding(replaceEnding(whole, STEP2), STEP3)));
}

/** Forms that no rule leads back to their word. */
const FORMS: readonly (readonly string[])[] = [
  'choose chose chosen choice',
  'decide decision decisions',
  'write wrote written',
  'take took taken',
  'give gave given',
  'begin began begun',
  'grow grew grown',
  'know knew known',
  'speak spoke spoken',
  'break broke broken',
  'see saw seen',
  'go went gone goes',
  'run ran',
  'meet met',
  'make made',
  'say said',
  'tell told',
  'send sent',
  'spend spent',
  'build built',
  'keep kept',
  'hold held',
  'pay paid',
  'buy bought',
  'sell sold',
  'find found',
  'lead led',
  'become became',
  'think thought',
  'bring brought',
].map((line) => line.split(' '));

const IRREGULAR = new Map(FORMS.flatMap(([first = '', ...forms]) => forms.map((form) => [form, first])));

/** Texts and questions have mostly the same words. */
const MOST_KNOWN = 20_000;
/** V8 makes of a longer piece of a text a reference to the text, which would stay in memory with it. */
const LONGEST_KNOWN = 12;
const knownLemmas = new Map<string, string>();

/** The stem of a folded word, irregular forms included. */
export function lemmaOf(word: string): string {
  if (word.length > LONGEST_KNOWN) return stem(word);
  const known = knownLemmas.get(word);
  if (known !== undefined) return known;
  const lemma = lemmaOfNew(word);
  if (knownLemmas.size === MOST_KNOWN) knownLemmas.clear();
  knownLemmas.set(word, lemma);
  return lemma;
}

/** For a word that is not asked about again. */
export function lemmaOfNew(word: string): string {
  return stem(IRREGULAR.get(word) ?? word);
}

/** In most languages inflection leaves the first letters of a word as they are. */
const COMMON_BEGINNING = 6;

/**
 * What a word shares with its inflections in any language: the first letters of its English stem. Words of other origin
 * can share it too ("internet", "international"), so a term alone counts less than a stem.
 */
export function termOf(word: string): string {
  return beginningOf(lemmaOf(word));
}

/** The term of all words with this lemma. */
export function beginningOf(lemma: string): string {
  return lemma.slice(0, COMMON_BEGINNING);
}

/**
 * What words with the term of `word` begin with, one or the other. Only some last letters of a stem need not be in its
 * words: "city" and "cities" have "citi", "hoping" has "hope", "capability" has "capabl".
 */
export function beginningsOf(word: string): string[] {
  const term = termOf(word);
  const forms = FORMS.filter(([first = '']) => termOf(first) === term).flat();
  return [term.replace(/^([a-z]*)(?:[ie]|(?<=b)l)$/, '$1'), ...forms];
}

/** How many times a vowel run is followed by a consonant run. */
function measure(text: string): number {
  let count = 0;
  let wasVowel = false;
  for (let at = 0; at < text.length; at++) {
    const vowel = isVowel(text, at);
    if (wasVowel && !vowel) count++;
    wasVowel = vowel;
  }
  return count;
}

function isVowel(text: string, at: number): boolean {
  const letter = text[at];
  if (letter === 'y') return at > 0 && !isVowel(text, at - 1);
  return letter === 'a' || letter === 'e' || letter === 'i' || letter === 'o' || letter === 'u';
}

function endsInDouble(text: string): boolean {
  const last = text.length - 1;
  return last > 0 && text[last] === text[last - 1] && !isVowel(text, last);
}

/** consonant, vowel, consonant, the last not w, x or y: "hop". */
function endsShort(text: string): boolean {
  const last = text.length - 1;
  if (last < 2 || isVowel(text, last) || !isVowel(text, last - 1) || isVowel(text, last - 2)) return false;
  return !/[wxy]$/.test(text);
}

function step1a(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function step1b(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  if (ending === 0 || !VOWEL.test(word.slice(0, -ending))) return word;
  const rest = word.slice(0, -ending);
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsInDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function step1c(word: string): string {
  return word.endsWith('y') && VOWEL.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

const STEP2: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const STEP3: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

/** The leftmost match is the longest ending. */
const STEP4 = /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ion|ou|ism|ate|iti|ous|ive|ize)$/;

function replaceEnding(word: string, endings: readonly (readonly [string, string])[]): string {
  for (const [ending, replacement] of endings) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    return measure(rest) > 0 ? rest + replacement : word;
  }
  return word;
}

function step4(word: string): string {
  const ending = STEP4.exec(word)?.[0];
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (measure(rest) < 2 || (ending === 'ion' && !/[st]$/.test(rest))) return word;
  return rest;
}

function step5(word: string): string {
  let result = word;
  if (result.endsWith('e')) {
    const rest = result.slice(0, -1);
    const size = measure(rest);
    if (size > 1 || (size === 1 && !endsShort(rest))) result = rest;
  }
  return result.endsWith('ll') && measure(result) > 1 ? result.slice(0, -1) : result;
}

/**
 * Calls `visit` for every word found, with its place in the list of wanted ones, its offset in the folded text, and how
 * many words stand before it.
 */
export type StemFinder = (
  text: string,
  visit: (wanted: number, start: number, wordsBefore: number) => void,
  folded?: FoldedText,
) => FoldedText;

const BEGINNINGS = 4096;

/** `words` are folded, and no two have the same key: their lemma, unless told otherwise. */
export function createStemFinder(words: readonly string[], keyOf = lemmaOf): StemFinder {
  const places = new Map(words.map((word, at) => [keyOf(word), at]));
  /** The first letters of irregular forms are others than those of their word. */
  const forms = FORMS.filter(([first = '']) => places.has(keyOf(first))).flat();
  /** By hash of the word, -1 for words that are not wanted: the same words come again and again. */
  const known = new Map<number, number>();
  const placeOf = (hash: number, folded: string, start: number, end: number): number => {
    let place = known.get(hash);
    if (place === undefined) {
      place = places.get(keyOf(folded.slice(start, end))) ?? -1;
      known.set(hash, place);
    }
    return place;
  };
  const begins = createBeginnings([...words, ...forms]);
  let units: Uint16Array<ArrayBuffer> | undefined;
  return (text, visit, folded = fold(text, SEARCH_FOLDING)) => {
    const own = unitsOf(folded.text, units);
    units = own;
    let wordsBefore = -1;
    const visitTerm = (start: number, end: number, hash: number, isPair: boolean) => {
      if (!isPair) wordsBefore++;
      if (!beginsSo(begins, own, start, end)) return;
      const place = placeOf(hash, folded.text, start, end);
      if (place >= 0) visit(place, start, wordsBefore);
    };
    forEachTerm(folded.text, visitTerm, own);
    return folded;
  };
}

/** A filter by the first two letters. No ending is so long that a stem would not begin as its word does. */
export function createBeginnings(words: readonly string[]): Uint8Array {
  const begins = new Uint8Array(BEGINNINGS);
  for (const word of words)
    begins[beginning(word.charCodeAt(0), word.length > 1 ? word.charCodeAt(1) : 0)] = 1;
  return begins;
}

/** False for a word at `start` to `end` of `units` that begins as none of the words does. */
export function beginsSo(begins: Uint8Array, units: Uint16Array, start: number, end: number): boolean {
  return begins[beginning(units[start]!, end > start + 1 ? units[start + 1]! : 0)] !== 0;
}

function beginning(first: number, next: number): number {
  return (first * 31 + next) & (BEGINNINGS - 1);
}
