/**
 * Foreign text made fit for a terminal: one line, no escape sequences, no invisible characters, no characters that turn
 * the reading direction.
 */

/** Colours, titles, links and the like, whole, so that their parameters do not stay behind as text. */
const ESCAPE_SEQUENCES =
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[\x20-\x2f]*[\x30-\x7e]?/g;
/** The joiners stay: Persian words and families of emoji are made with them. */
const INVISIBLE =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;
const INVISIBLE_IN_LINES = new RegExp(`(?![\\n\\t])(?:${INVISIBLE.source})`, 'gu');
const JOINERS_OF_NOTHING =
  /(?<![\p{L}\p{M}\p{N}\p{Extended_Pictographic}])[\u200c\u200d]+|[\u200c\u200d]{2,}/gu;
/** Accents stacked upon accents leave their line. */
const PILES_OF_MARKS = /(\p{M}{4})\p{M}+/gu;

export function printable(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  // Nothing is shown of what is far beyond the end, so nothing is spent on it.
  const near = text.length > maxLength * 8 + 1_000 ? text.slice(0, maxLength * 8 + 1_000) : text;
  const clean = near
    .toWellFormed()
    .replace(ESCAPE_SEQUENCES, '')
    .replace(/(?:(?!\ufeff)\s)+/g, ' ')
    .replace(INVISIBLE, '')
    .replace(JOINERS_OF_NOTHING, '')
    .replace(PILES_OF_MARKS, '$1')
    .replace(/ {2,}/g, ' ')
    .trim();
  return clean.length > maxLength ? `${[...clean].slice(0, maxLength - 1).join('')}…` : clean;
}

/** Like `printable`, for a text of several lines: lines and indentation stay. */
export function printableText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(ESCAPE_SEQUENCES, '')
    .replace(INVISIBLE_IN_LINES, '')
    .replace(JOINERS_OF_NOTHING, '')
    .replace(PILES_OF_MARKS, '$1');
}

const NOT_PRINTABLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

/** A rejected name for an error message: every character that cannot be printed becomes U+FFFD, so that its place shows. */
export function markUnprintable(text: string, maxLength: number): string {
  const marked = text.toWellFormed().replace(NOT_PRINTABLE, '\uFFFD');
  return marked.length > maxLength ? `${marked.slice(0, maxLength).toWellFormed()}…` : marked;
}
