/** A match in bold with some text around it, never cutting what a reader takes for one character. */
import { fold } from '../../notes/fold.ts';
import { once } from '../../shared/once.ts';

export interface Match {
  readonly start: number;
  readonly end: number;
}

const AROUND = 50;
const CUT = '...';
const FOLDING = { ignoreCase: true, ignoreAccents: true };
const graphemes = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** `text` may itself begin and end with the dots of something cut. */
export function snippetOf(text: string, match: Match | undefined): string {
  if (!match || match.start >= match.end) return text;
  const bounds = [...graphemes().segment(text)].map(({ index }) => index).concat(text.length);
  const atOrBefore = (offset: number) => bounds.findLast((bound) => bound <= offset) ?? 0;
  const atOrAfter = (offset: number) => bounds.find((bound) => bound >= offset) ?? text.length;
  const start = atOrBefore(match.start);
  const end = atOrAfter(match.end);
  const from = atOrAfter(start - AROUND);
  const to = atOrBefore(end + AROUND);
  const isWholeBefore = from <= (text.startsWith(CUT) ? CUT.length : 0);
  const isWholeAfter = to >= text.length - (text.endsWith(CUT) ? CUT.length : 0);
  const before = isWholeBefore ? text.slice(0, start) : CUT + text.slice(from, start).trimStart();
  const after = isWholeAfter ? text.slice(end) : text.slice(end, to).trimEnd() + CUT;
  return `${before}**${text.slice(start, end)}**${after}`;
}

/** Where the query stands in a text, or else the first of its words that does. */
export function findQuery(text: string, query: string): Match | undefined {
  const folded = fold(text, FOLDING);
  const needle = needlesOf(query).find((word) => folded.text.includes(word));
  if (needle === undefined) return undefined;
  const at = folded.text.indexOf(needle);
  return { start: folded.originalOffset(at), end: folded.originalOffset(at + needle.length) };
}

/** Whether the query stands in a text as a whole. */
export function holdsQuery(text: string, query: string): boolean {
  const folded = fold(text, FOLDING).text;
  return needlesOf(query)
    .slice(0, 2)
    .some((whole) => folded.includes(whole));
}

/** The query as it stands, without quotes and a tag's `#`, then word by word. */
function needlesOf(query: string): string[] {
  const whole = fold(query.trim(), FOLDING).text;
  const bare = whole
    .replace(/["“”„]/g, ' ')
    .trim()
    .replace(/^#(?=\S)/, '');
  const words = bare.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  return [whole, bare === '' ? whole : bare, ...words];
}
