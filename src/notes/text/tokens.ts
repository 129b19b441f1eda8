/**
 * Cuts folded text into the pieces that are indexed: runs of letters and digits, and each character alone in
 * scripts without spaces and among symbols, so that `日本`, `→` and `🚀` can be looked up too. ASCII
 * punctuation separates and is not indexed; a query that holds some is checked against the text itself.
 */

/**
 * The UTF-16 units of a text, and a zero behind them: a loop over numbers is several times faster than one over a
 * string. They are put into `buffer` where it is large enough; what follows the zero is old.
 */
export function unitsOf(text: string, buffer?: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  const units = buffer && buffer.length > text.length ? buffer : new Uint16Array(text.length + 1);
  if (text.length > SHORT) Buffer.from(units.buffer).write(text, 'utf16le');
  else for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  units[text.length] = 0;
  return units;
}

/** Most words are shorter: for them alone a buffer takes longer than a loop. */
const SHORT = 32;

const UNKNOWN = 255;
const SEPARATOR = 0;
const WORD = 1;
const ALONE = 2;
/** Alone, and part of a word of several such characters. */
const PAIRED = 3;

/** By UTF-16 unit: a constant of Unicode, filled in as units are met, because all of it at once would delay the start. */
const classes = new Uint8Array(65536).fill(UNKNOWN);
for (let code = 0; code < 128; code++) classes[code] = isAsciiWord(code) ? WORD : SEPARATOR;

/** Longer runs (hashes, base64) are not words: their beginning is indexed, and the note is marked. */
export const MAX_TOKEN = 256;

/** Indexed for a note with such a run: any query may match the part that is not indexed. */
export const LONG_RUN_MARK = '\u0001';

/** Goes from token to token of a folded text. A loop of its own, without a call per token, is what indexing spends its time in. */
export class TokenScanner {
  readonly units: Uint16Array;
  readonly #length: number;
  #at = 0;
  start = 0;
  end = 0;
  hash = 0;

  constructor(folded: string, units: Uint16Array = unitsOf(folded)) {
    this.units = units;
    this.#length = folded.length;
  }

  /** False when there is no other token. */
  next(): boolean {
    const { units } = this;
    const length = this.#length;
    for (let at = this.#at; at < length; at++) {
      let unit = units[at]!;
      let kind = classes[unit]!;
      if (kind === SEPARATOR) continue;
      if (kind === UNKNOWN) kind = classify(unit);
      if (kind === SEPARATOR) continue;
      this.start = at;
      if (kind === WORD) {
        let hash = HASH_START;
        do {
          hash = Math.imul(hash ^ unit, HASH_STEP);
          // The zero behind the text is a separator.
          unit = units[++at]!;
        } while (classes[unit] === WORD || (classes[unit] === UNKNOWN && classify(unit) === WORD));
        this.#at = at;
        if (at - this.start > MAX_TOKEN) return this.#found(this.start + MAX_TOKEN);
        this.end = at;
        this.hash = hash;
        return true;
      }
      this.#at = isHighSurrogate(unit) && at + 1 < length ? at + 2 : at + 1;
      return this.#found(this.#at);
    }
    return false;
  }

  #found(end: number): true {
    this.end = end;
    this.hash = hashOf(this.units, this.start, end);
    return true;
  }
}

const HASH_START = 0x811c9dc5 | 0;
const HASH_STEP = 0x01000193;

/**
 * FNV-1a over UTF-16 units: cheap enough to be made while a token is still being read. Signed, because V8 keeps whole
 * numbers of 32 bits without an object of their own.
 */
export function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = HASH_START;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ units[at]!, HASH_STEP);
  return hash;
}

export function hashOfText(text: string): number {
  let hash = HASH_START;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), HASH_STEP);
  return hash;
}

export function tokensOf(folded: string): string[] {
  const tokens: string[] = [];
  forEachToken(folded, (start, end) => tokens.push(folded.slice(start, end)));
  return tokens;
}

/** Calls `visit` for every token, in order, with its offsets in the text. */
export function forEachToken(folded: string, visit: (start: number, end: number) => void): void {
  for (const tokens = new TokenScanner(folded); tokens.next(); ) visit(tokens.start, tokens.end);
}

/**
 * Goes from token to token, and from pair to pair: the pairs of neighbouring characters in scripts without spaces and
 * inside Korean words, which end in particles, are looked up as words are. They follow the token that completes them.
 */
export class TermScanner extends TokenScanner {
  isPair = false;
  /** Where the next pair begins, and where the last one ends; no pair where it is longer than that. */
  #pairStart = 0;
  #pairsEnd = 0;
  #lastAlone = 0;
  #lastAloneEnd = -1;

  override next(): boolean {
    if (this.#pairStart < this.#pairsEnd) return this.#nextPair();
    this.isPair = false;
    if (!super.next()) return false;
    if (this.units[this.start]! >= FIRST_PAIRED) this.#beginPairs();
    return true;
  }

  #nextPair(): true {
    this.isPair = true;
    this.start = this.#pairStart;
    if (isHangul(this.units[this.start]!)) {
      this.end = this.start + 2;
      this.#pairStart = this.end < this.#pairsEnd ? this.start + 1 : this.#pairsEnd;
    } else {
      this.end = this.#pairsEnd;
      this.#pairStart = this.#pairsEnd;
    }
    this.hash = hashOf(this.units, this.start, this.end);
    return true;
  }

  #beginPairs(): void {
    const { start, end } = this;
    const first = this.units[start]!;
    if (isHangul(first)) {
      if (end - start > 2) {
        this.#pairStart = start;
        this.#pairsEnd = end;
      }
    } else if (classes[first] === PAIRED) {
      if (this.#lastAloneEnd === start) {
        this.#pairStart = this.#lastAlone;
        this.#pairsEnd = end;
      }
      this.#lastAlone = start;
      this.#lastAloneEnd = end;
    }
  }
}

/** Calls `visit` for every token and every pair. */
export function forEachTerm(
  folded: string,
  visit: (start: number, end: number, hash: number, isPair: boolean) => void,
  units?: Uint16Array,
): void {
  for (const terms = new TermScanner(folded, units); terms.next(); )
    visit(terms.start, terms.end, terms.hash, terms.isPair);
}

/** The words to look for in texts that were read by `forEachTerm`: pairs in place of the characters and words they are made of. */
export function termsOf(folded: string): string[] {
  const terms: { start: number; end: number; isPair: boolean }[] = [];
  const starts = new Set<number>();
  const ends = new Set<number>();
  forEachTerm(folded, (start, end, _, isPair) => {
    terms.push({ start, end, isPair });
    if (!isPair) return;
    starts.add(start);
    ends.add(end);
  });
  return terms
    .filter(({ start, end, isPair }) => isPair || !(starts.has(start) || ends.has(end)))
    .map(({ start, end }) => folded.slice(start, end));
}

/** Thai, the first of the scripts without spaces. */
const FIRST_PAIRED = 0x0e00;

function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3;
}

/** Whether the character is part of a word that goes on beside it, as letters and digits are. */
export function joinsWords(character: string): boolean {
  return character !== '' && isWordUnit(character.charCodeAt(0));
}

export function isWordUnit(unit: number): boolean {
  return classify(unit) === WORD;
}

/** Whether the unit is a token, or begins one, by itself. */
export function isAloneUnit(unit: number): boolean {
  return classify(unit) >= ALONE;
}

function classify(code: number): number {
  if (classes[code] === UNKNOWN) classes[code] = kindOf(code);
  return classes[code]!;
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function kindOf(code: number): number {
  const character = String.fromCharCode(code);
  if (UNSPACED.test(character)) return PAIRED;
  if (/\p{Cs}/u.test(character)) return ALONE;
  if (/[\p{L}\p{N}\p{M}]/u.test(character)) return WORD;
  return /\p{S}/u.test(character) ? ALONE : SEPARATOR;
}

function isAsciiWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
