/**
 * Readings of a text: as it looks to a reader, and as it reads once a disguise is undone (look-alike letters, letters
 * with gaps, digits for letters, text backwards). Also the places of a text that a reader is not shown.
 */
import { stripHidden } from './hidden-text.ts';

/** Letters of other scripts that look like Latin ones. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  ['аa', 'еe', 'оo', 'рp', 'сc', 'уy', 'хx', 'іi', 'ѕs', 'јj', 'ԁd', 'һh', 'кk', 'мm', 'нh', 'тt', 'вb', 'ɡg']
    .concat(['αa', 'οo', 'ρp', 'νv', 'ιi', 'υu', 'κk', 'εe', 'τt', 'ѵv', 'ӏl', 'ɩi', 'ոn', 'սu', 'ԛq', 'ԝw'])
    .concat(['ηn', 'χx', 'γy', 'ωw', 'σo', 'ցg', 'օo', 'հh', 'ɑa', 'ғf', 'ԍg'])
    .concat([...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ'].map((letter, n) => letter + 'abcdefghijklmnoprstuvwyz'[n]))
    .map((pair) => [...pair] as [string, string]),
);
const WORD = /[\p{L}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u;
/** Letters in circles, squares and flags, which Unicode does not decompose. */
const PICTURED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu;

const ASCII = /^[\x20-\x7e\s]*$/;

/**
 * The form in which a text is compared with the lexicon: a line for each paragraph. A word of the lexicon is in its own
 * script, also where all its letters look like Latin ones.
 */
export function foldText(text: string, { isOwnScript = false } = {}): string {
  const shown = stripHidden(text);
  const plain = ASCII.test(shown)
    ? shown.toLowerCase()
    : (isOwnScript ? String : latinOf)(
        shown
          .normalize('NFKC')
          .replace(PICTURED, letterOf)
          .toLowerCase()
          .normalize('NFD')
          .replace(/\p{M}|ـ/gu, '')
          .replace(/ة/g, 'ه')
          .replace(/ى/g, 'ي'),
      );
  return plain
    .replace(/[’‘ʼ´]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/\bcan't\b/g, 'cannot')
    .replace(/n't\b/g, ' not')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?\n[\s]*/g, '\u2029')
    .replace(/ ?\n ?/g, ' ')
    .replaceAll('\u2029', '\n');
}

function letterOf(picture: string): string {
  const code = picture.codePointAt(0) ?? 0;
  const first = code >= 0x1f1e6 ? 0x1f1e6 : code >= 0x1f170 ? 0x1f170 : 0x1f150;
  return String.fromCharCode(0x61 + code - first);
}

/** Look-alikes are replaced in words that mix scripts, and in all words of a text that has no other Cyrillic or Greek. */
function latinOf(plain: string): string {
  if (!OTHER.test(plain) && !/[ᴀ-ᴢɑɡɩɪ]/.test(plain)) return plain;
  const isReal = (word: string) =>
    !LATIN.test(word) && [...word].some((letter) => OTHER.test(letter) && !LOOK_ALIKES[letter]);
  const hasReal = (plain.match(WORD) ?? []).some(isReal);
  return plain.replace(WORD, (word) =>
    LATIN.test(word) || !hasReal ? [...word].map((letter) => LOOK_ALIKES[letter] ?? letter).join('') : word,
  );
}

/** A word in which letters of another script pass for Latin ones; undefined when there is none. */
export function findMixedScript(text: string): string | undefined {
  if (!OTHER.test(text) || !LATIN.test(text)) return undefined;
  const words = stripHidden(text).normalize('NFKC').match(WORD) ?? [];
  const isForeignText = words.filter((word) => OTHER.test(word) && !LATIN.test(word)).length > 2;
  return words.find((word) => {
    if (word.length < 2 || !OTHER.test(word) || !LATIN.test(word)) return false;
    const letters = [...word.toLowerCase()];
    // An abbreviation with an ending, as `PDFа` in Russian.
    if (isForeignText && /^\p{Script=Latin}+[\p{Script=Cyrillic}\p{Script=Greek}]{1,3}$/u.test(word))
      return false;
    return letters.every((letter) => !OTHER.test(letter) || LOOK_ALIKES[letter] !== undefined);
  });
}

/** Marks a word that was put together, whose own spaces may be lost. */
export const JOINED = '\ue000';
const SPELLED = /(?<![\p{L}\p{N}])[\p{L}\p{N}@$](?:[^\p{L}\p{N}\n]{1,4}[\p{L}\p{N}@$](?![\p{L}\p{N}])){3,}/gu;
const GAP = /[^\p{L}\p{N}@$]+/gu;
const BROKEN = /(\p{L})[-\u2010]\n\s{0,8}(?=\p{L})/gu;
/** More parts than the name of a tool has. */
const LONG_NAME = /[\p{L}\p{N}]{1,40}(?:_[\p{L}\p{N}]{1,40}){4,}/gu;
const MARKS_WITHIN = /(?<=\p{L})[*_`~|^]{1,3}(?=\p{L})/gu;
const DIGIT_LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  '€': 'e',
};
const LEET_WORD = /[a-z0-9@$!|€]{2,40}/g;
/** Two words with a digit or a sign beside a letter. */
const LEET_SIGN =
  /(?:[a-z][0134578@$!|]|[0134578@$!|][a-z])[^\n]{0,80}(?:[a-z][0134578@$!|]|[0134578@$!|][a-z])/;
const LEET = /[0134578@$!|€]/g;

/** Other readings of a text, which no honest text has: what is found in them was disguised. */
export function disguisedReadings(text: string, usual: string): string[] {
  const shown = stripHidden(text).normalize('NFKC');
  const joined = shown.replace(BROKEN, '$1').replace(SPELLED, join);
  const spaced = joined.replace(LONG_NAME, (name) => name.replaceAll('_', ' '));
  const plain = foldText(spaced.replace(MARKS_WITHIN, ''));
  const readings = LEET_SIGN.test(plain) ? [plain, unleet(plain)] : [plain];
  if (/\b(?:eht|dna|uoy|resu|lla)\b/i.test(shown)) readings.push(foldText([...shown].reverse().join('')));
  if (/\b(?:gur|naq|lbh|hfre|nyy|lbhe)\b/i.test(shown))
    readings.push(foldText(shown.replace(/[a-z]/gi, rot13)));
  return [...new Set(readings)].filter((one) => one !== usual);
}

/** Letters with equal gaps are one word or several; a longer gap ends a word. */
function join(spelled: string): string {
  const gaps = spelled.match(GAP) ?? [];
  const shortest = Math.min(...new Set(gaps.map(({ length }) => length)));
  const words = spelled.replace(GAP, (gap) => (gap.length > shortest ? ' ' : ''));
  return words.includes(' ') ? ` ${words} ` : ` ${JOINED}${words} `;
}

function unleet(plain: string): string {
  return plain.replace(LEET_WORD, (word) =>
    /[a-z]/.test(word) || /\d{2}/.test(word)
      ? word.replace(LEET, (sign) => DIGIT_LETTERS[sign] ?? sign)
      : word,
  );
}

function rot13(letter: string): string {
  const code = letter.charCodeAt(0);
  const first = code < 0x61 ? 0x41 : 0x61;
  return String.fromCharCode(((code - first + 13) % 26) + first);
}

const MAX_PLACES = 20;
const MAX_PLACE = 2_000;
const UNSEEN_ELEMENT =
  /<[a-z][\w-]{0,20}[^<>]{0,200}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|opacity\s{0,3}:\s{0,3}0|font-size\s{0,3}:\s{0,3}0|color\s{0,3}:\s{0,3}(?:white|#fff|transparent)|\shidden\b)[^<>]{0,200}>([^<]{1,2000})/gi;
const MARKDOWN_COMMENT = /^\s{0,3}\[[^\]\n]{1,40}\]:\s{0,4}(?:#|<>)\s{0,4}["'(]([^\n]{1,2000})/gm;
const PADDING = /(?:[^\S\n]{120}|(?:\n[^\S\n]{0,20}){25})\s*/g;

/** What a renderer does not show: comments, invisible elements, text far below or beside the rest. */
export function unseenPlaces(text: string): string[] {
  const places: string[] = [];
  for (
    let at = text.indexOf('<!--');
    at >= 0 && places.length < MAX_PLACES;
    at = text.indexOf('<!--', at + 4)
  ) {
    const end = text.indexOf('-->', at + 4);
    places.push(text.slice(at + 4, Math.min(end < 0 ? text.length : end, at + MAX_PLACE)));
    if (end < 0) break;
  }
  for (const form of [UNSEEN_ELEMENT, MARKDOWN_COMMENT])
    for (const match of text.matchAll(form)) if (places.length < MAX_PLACES) places.push(match[1] ?? '');
  for (const match of text.matchAll(PADDING)) {
    if (places.length >= MAX_PLACES) break;
    places.push(text.slice(match.index + match[0].length, match.index + match[0].length + MAX_PLACE));
  }
  return places;
}

/** A skeleton of a name: equal for names that can be confused with each other. */
export function lookOf(name: string): string {
  return foldText(name)
    .replace(/[\s_.-]+/g, '_')
    .replace(/[l1|]/g, 'i')
    .replace(/0/g, 'o');
}
