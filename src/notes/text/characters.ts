/** Offsets that split no character, as the encoding has it (surrogate pairs) or as a reader sees it (grapheme clusters). */
import { memoize } from '../../shared/memoize.ts';

/** The first segmenter of a process costs tens of milliseconds, so none is made before it is needed. */
export const graphemes = memoize(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

/** In code units; a longer grapheme is split between code points. */
const LONGEST_GRAPHEME = 64;
/** Between two characters of ASCII there is always a boundary, but for CRLF. */
const MAY_JOIN = /[^\u0000-\u000c\u000e-\u007f]/;

/** The offset, or the start of the surrogate pair it would split. */
export function wholeCharacter(text: string, offset: number): number {
  const splits =
    /^[\uDC00-\uDFFF]/.test(text.charAt(offset)) && /[\uD800-\uDBFF]$/.test(text.charAt(offset - 1));
  return splits ? offset - 1 : offset;
}

/** The offset, or the start of the grapheme it would split. */
export function graphemeStart(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return offset;
  if (!MAY_JOIN.test(text.slice(offset - 1, offset + 1))) return offset;
  const from = Math.max(0, offset - LONGEST_GRAPHEME);
  const around = text.slice(from, offset + LONGEST_GRAPHEME);
  const start =
    graphemes()
      .segment(around)
      .containing(offset - from)?.index ?? 0;
  return start === 0 && from > 0 ? wholeCharacter(text, offset) : from + start;
}

/** The end of the last whole grapheme between two offsets; of a part of one where a single one is longer. */
export function graphemeEnd(text: string, from: number, latest: number): number {
  return [graphemeStart(text, latest), wholeCharacter(text, latest)].find((end) => end > from) ?? latest;
}

/** The end of as many whole characters from an offset on as have at most so many bytes in UTF-8. */
export function endWithinBytes(text: string, from: number, bytes: number): number {
  let end = from;
  for (let left = bytes; end < text.length; ) {
    const code = text.codePointAt(end)!;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (left < 0) break;
    end += code < 0x10000 ? 1 : 2;
  }
  return end;
}

/** Bytes of the titles of ten hits together, and of fewer. */
const OF_TITLES = 800;

/** A title among so many hits: one that is a whole sentence would take the room of their texts. */
export function shortTitle(title: string, hits: number): string {
  const most = Math.floor(OF_TITLES / Math.min(10, Math.max(1, hits)));
  if (Buffer.byteLength(title) <= most) return title;
  return `${title.slice(0, endWithinBytes(title, 0, most)).trimEnd()}…`;
}
