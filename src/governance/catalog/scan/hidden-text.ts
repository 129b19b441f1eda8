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

/** Fast path: most text has no invisible character but tabs and line ends, which are allowed. */
const SUSPECT = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

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

/** What is known of a whole text while its parts are looked at; found out when it is first asked for. */
interface WholeText {
  readonly text: string;
  isRightToLeft?: boolean;
}

export function hasHidden(text: string): boolean {
  return findHidden(text, 1).length > 0;
}

/** Also a run of private-use characters; one alone may be an icon of a font. */
export function firstHidden(text: string): { readonly at: number } | undefined {
  const [hidden] = findHidden(text, 1);
  if (hidden) return hidden;
  const at = text.search(/\p{Co}{4}/u);
  return at < 0 ? undefined : { at };
}

export function findHidden(text: string, limit = Number.POSITIVE_INFINITY): HiddenRun[] {
  return SUSPECT.test(text) ? hiddenWithin({ text }, 0, text.length, limit) : [];
}

function hiddenWithin(whole: WholeText, from: number, to: number, limit: number): HiddenRun[] {
  const { text } = whole;
  const found: HiddenRun[] = [];
  const suspects = new RegExp(SUSPECT, 'gu');
  suspects.lastIndex = from;
  for (let match = suspects.exec(text); match && match.index < to; match = suspects.exec(text)) {
    const { index: at, 0: character } = match;
    const codePoint = character.codePointAt(0) ?? 0;
    if (isHiddenAt(whole, at, codePoint)) found.push({ at, length: character.length, codePoint });
    if (found.length >= limit) break;
  }
  return found;
}

function isHiddenAt(whole: WholeText, at: number, codePoint: number): boolean {
  const { text } = whole;
  const next = at + (codePoint > 0xffff ? 2 : 1);
  // A mark of the byte order at the very start hides nothing.
  if (at === 0 && codePoint === 0xfeff) return false;
  if (codePoint >= 0xe0000 && isInFlag(text, at)) return false;
  return isHidden(codePoint, {
    before: characterBefore(text, at),
    after: firstOf(text.slice(next, next + 2)),
    isRightToLeft: () => {
      whole.isRightToLeft ??= RIGHT_TO_LEFT.test(text);
      return whole.isRightToLeft;
    },
  });
}

function characterBefore(text: string, at: number): string {
  const isPair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at);
}

interface TextContext {
  readonly before: string;
  readonly after: string;
  readonly isRightToLeft: () => boolean;
}

function isHidden(code: number, { before, after, isRightToLeft }: TextContext): boolean {
  if (code === 0x20 || (code > 0x20 && code < 0x7f)) return false;
  if (code === 0x200b) return !(UNSPACED_SCRIPT.test(before) || UNSPACED_SCRIPT.test(after));
  if (code === 0x200c) return !JOINING_SCRIPT.test(before);
  if (code === 0x200d) return !(JOINING_SCRIPT.test(before) || (PICTURE.test(before) && PICTURE.test(after)));
  if (code === 0x200e || code === 0x200f || code === 0x061c || (code >= 0x2066 && code <= 0x2069))
    return !isRightToLeft();
  // A pattern without dots looks like a space; Braille text has it between letters.
  if (code === 0x2800) return !(BRAILLE.test(before) || BRAILLE.test(after));
  // MathML has the operators that are not seen in elements of their own.
  if (code >= 0x2061 && code <= 0x2064) return !(before === '>' && after === '<');
  if (code >= 0xfe00 && code <= 0xfe0f) return !TAKES_SELECTOR.test(before);
  if (code >= 0xe0100 && code <= 0xe01ef) return !HAN.test(before);
  return ALWAYS_HIDDEN.some(([from, to]) => code >= from && code <= to);
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}

/** The length of a flag, in UTF-16 units. */
const FLAG = 14;

function isInFlag(text: string, at: number): boolean {
  const from = Math.max(0, at - FLAG);
  return [...text.slice(from, at + FLAG).matchAll(TAG_FLAG)].some(
    ({ index }) => from + index <= at && at < from + index + FLAG,
  );
}

export function stripHidden(text: string): string {
  return replaceHidden(text, () => '');
}

/** Spells hidden characters out, for a person who has to judge the text. */
export function showHidden(text: string): string {
  return replaceHidden(text, (codePoint) => `\\u{${codePoint.toString(16)}}`);
}

function replaceHidden(text: string, by: (codePoint: number) => string): string {
  return SUSPECT.test(text) ? replacedWithin({ text }, 0, text.length, by).text : text;
}

function replacedWithin(whole: WholeText, first: number, to: number, by: (codePoint: number) => string) {
  const parts: string[] = [];
  let from = first;
  const runs = hiddenWithin(whole, first, to, Number.POSITIVE_INFINITY);
  for (const { at, length, codePoint } of runs) {
    parts.push(whole.text.slice(from, at), by(codePoint));
    from = at + length;
  }
  return { text: parts.join('') + whole.text.slice(from, Math.max(from, to)), count: runs.length };
}

const PART = 4_096;

/** As `stripHidden`, with a pause after each part of the text, and the number of characters that were removed. */
export function* stripSteps(text: string): Generator<undefined, { text: string; count: number }, unknown> {
  if (!SUSPECT.test(text)) return { text, count: 0 };
  const whole: WholeText = { text };
  const parts: string[] = [];
  let count = 0;
  for (let from = 0; from < text.length; ) {
    const isPair = (text.codePointAt(from + PART - 1) ?? 0) > 0xffff;
    const to = Math.min(text.length, from + PART + (isPair ? 1 : 0));
    const part = replacedWithin(whole, from, to, () => '');
    parts.push(part.text);
    count += part.count;
    from = to;
    yield;
  }
  return { text: parts.join(''), count };
}
