/** Where a text can be cut without hurting it. */

const SENTENCE_END = /[.!?…。！？]["'”’)\]]*\s/g;
/** Of what is allowed, how much must be left by a cut between sentences, or between words. */
const SENTENCE_SHARE = 0.5;
const WORD_SHARE = 0.7;
/** Longer than any character people see as one. */
const LONGEST_CHARACTER = 64;

/** The best end at or before `latest` of what begins at `from`: after a sentence, else a word, else a whole character. */
export function wholeEnd(text: string, from: number, latest: number): number {
  if (latest >= text.length) return text.length;
  const length = latest - from;
  return (
    lastSentenceEnd(text, from + Math.floor(length * SENTENCE_SHARE), latest) ??
    lastSpace(text, from + Math.floor(length * WORD_SHARE), latest) ??
    characterEnd(text, from, latest)
  );
}

function lastSentenceEnd(text: string, from: number, latest: number): number | undefined {
  let end: number | undefined;
  for (const { 0: found, index } of text.slice(from, latest).matchAll(SENTENCE_END))
    end = from + index + found.length;
  return end;
}

function lastSpace(text: string, from: number, latest: number): number | undefined {
  for (let at = latest; at > from; at--) if (/\s/.test(text[at - 1]!)) return at;
  return undefined;
}

/** Never inside a surrogate pair, nor inside what is seen as one character unless that alone is too long. */
export function characterEnd(text: string, from: number, latest: number): number {
  const start = Math.max(from, latest - LONGEST_CHARACTER);
  const safe = isLow(text, start) ? start + 1 : start;
  const around = text.slice(safe, latest + LONGEST_CHARACTER);
  let end = safe;
  for (const { index, segment } of segmenter().segment(around)) {
    if (safe + index + segment.length > latest) break;
    end = safe + index + segment.length;
  }
  if (end > from && end > safe) return end;
  return isLow(text, latest) && latest - 1 > from ? latest - 1 : latest;
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

let shared: Intl.Segmenter | undefined;

function segmenter(): Intl.Segmenter {
  shared ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return shared;
}
