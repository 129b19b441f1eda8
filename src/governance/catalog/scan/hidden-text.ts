/**
 * Characters that a reader does not see but a model does: tags, bidirectional controls, zero-width characters, stray
 * variation selectors, blanks, control characters. Those that scripts and emoji need are allowed.
 */

interface HiddenRun {
  /** Index in UTF-16 units. */
  readonly at: number;
  readonly length: number;
  readonly codePoint: number;
}

const ALWAYS_HIDDEN: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x202a, 0x202e],
  [0x2060, 0x2064],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe00ff],
  [0xe01f0, 0xe0fff],
];

/** Fast path: most text has no invisible character. */
const SUSPECT = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

const JOINING_SCRIPT =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]$/u;
const UNSPACED_SCRIPT = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const PICTURE = /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)$/u;
const TAKES_SELECTOR = /^[\p{Extended_Pictographic}\p{Emoji}\p{Script=Han}\p{Sm}\p{So}\p{Po}]$/u;
const BRAILLE = /^[\u2801-\u28ff]$/u;
const HAN = /^\p{Script=Han}$/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** The three flags that are spelled with tags: England, Scotland, Wales. */
const TAG_FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;

export function findHidden(text: string, limit = Number.POSITIVE_INFINITY): HiddenRun[] {
  if (!SUSPECT.test(text)) return [];
  const allowed = flagTags(text);
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  const found: HiddenRun[] = [];
  let before = '';
  for (let at = 0; at < text.length && found.length < limit; ) {
    const codePoint = text.codePointAt(at) ?? 0;
    const length = codePoint > 0xffff ? 2 : 1;
    const after = text.slice(at + length, at + length + 2);
    // A mark of the byte order at the very start hides nothing.
    const isMark = at === 0 && codePoint === 0xfeff;
    const isHere =
      !isMark && !allowed.has(at) && isHidden(codePoint, { before, after: firstOf(after), isRightToLeft });
    if (isHere) found.push({ at, length, codePoint });
    before = text.slice(at, at + length);
    at += length;
  }
  return found;
}

interface TextContext {
  readonly before: string;
  readonly after: string;
  readonly isRightToLeft: boolean;
}

function isHidden(code: number, { before, after, isRightToLeft }: TextContext): boolean {
  if (code === 0x20 || (code > 0x20 && code < 0x7f)) return false;
  if (code === 0x200b) return !(UNSPACED_SCRIPT.test(before) || UNSPACED_SCRIPT.test(after));
  if (code === 0x200c) return !JOINING_SCRIPT.test(before);
  if (code === 0x200d) return !(JOINING_SCRIPT.test(before) || (PICTURE.test(before) && PICTURE.test(after)));
  if (code === 0x200e || code === 0x200f || code === 0x061c || (code >= 0x2066 && code <= 0x2069))
    return !isRightToLeft;
  // A pattern without dots looks like a space; Braille text has it between letters.
  if (code === 0x2800) return !(BRAILLE.test(before) || BRAILLE.test(after));
  if (code >= 0xfe00 && code <= 0xfe0f) return !TAKES_SELECTOR.test(before);
  if (code >= 0xe0100 && code <= 0xe01ef) return !HAN.test(before);
  return ALWAYS_HIDDEN.some(([from, to]) => code >= from && code <= to);
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}

function flagTags(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { index, 0: flag } of text.matchAll(TAG_FLAG))
    for (let at = index; at < index + flag.length; at++) places.add(at);
  return places;
}

export function stripHidden(text: string): string {
  return replaceHidden(text, () => '');
}

/** Spells hidden characters out, for a person who has to judge the text. */
export function showHidden(text: string): string {
  return replaceHidden(text, (codePoint) => `\\u{${codePoint.toString(16)}}`);
}

function replaceHidden(text: string, by: (codePoint: number) => string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, length, codePoint } of findHidden(text)) {
    parts.push(text.slice(from, at), by(codePoint));
    from = at + length;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(from);
}
