/**
 * Finds text in text as the query wants it compared. Plain ASCII is looked for with the engine's own
 * case-blind search, which needs no copy of the text; only what is not found that way is folded first.
 */
import { type Folding, fold } from '../notes/fold.ts';

export interface Occurrence {
  /** Offsets in the original text. */
  readonly start: number;
  readonly end: number;
}

/** Answers questions about one text. */
export interface Haystack {
  holds(needle: string): boolean;
  /** The first `most` places of the needle, in order. */
  places(needle: string, most: number): Occurrence[];
}

const patterns = new Map<string, RegExp>();

export function haystackOf(text: string, folding: Folding): Haystack {
  let folded: ReturnType<typeof fold> | undefined;
  const foldedText = () => {
    folded ??= fold(text, folding);
    return folded;
  };
  const placesInFolded = (needle: string, most: number): Occurrence[] => {
    const { text: searched, originalOffset } = foldedText();
    const found: Occurrence[] = [];
    for (
      let at = searched.indexOf(needle);
      at >= 0 && found.length < most;
      at = searched.indexOf(needle, at + needle.length)
    ) {
      found.push({ start: originalOffset(at), end: originalOffset(at + needle.length) });
    }
    return found;
  };
  const places = (needle: string, most: number): Occurrence[] => {
    if (needle === '') return [];
    const pattern = patternFor(needle, folding);
    if (!pattern) return placesInFolded(needle, most);
    const found: Occurrence[] = [];
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match && found.length < most; match = pattern.exec(text)) {
      found.push({ start: match.index, end: match.index + match[0].length });
    }
    if (found.length > 0) return found;
    return folded || mayHoldFolded(text, needle) ? placesInFolded(needle, most) : found;
  };
  return { places, holds: (needle) => places(needle, 1).length > 0 };
}

/** Undefined for needles that only folding can compare. */
function patternFor(needle: string, folding: Folding): RegExp | undefined {
  if (!isAscii(needle) || needle.includes('\n')) return undefined;
  const key = `${folding.ignoreCase ? 'i' : ''}:${needle}`;
  const known = patterns.get(key);
  if (known) return known;
  if (patterns.size > 200) patterns.clear();
  const pattern = new RegExp(
    needle.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'),
    folding.ignoreCase ? 'gi' : 'g',
  );
  patterns.set(key, pattern);
  return pattern;
}

/**
 * Letters with accents, ligatures, full-width and fancy forms: what becomes ASCII letters and digits when folded.
 * Alternatives instead of one class, because marks in a class would join the character before them.
 */
const BECOMES_ASCII =
  /[\u00aa\u00b2\u00b3\u00b9\u00ba\u00c0-\u024f]|[\u0300-\u036f]|[\u1e00-\u1eff\u2070-\u209f\u2100-\u218f\u2460-\u24ff]|[\u3200-\u33ff\ufb00-\ufb06\uff01-\uff5e]|\ud835/;

/** The answers for texts asked about lately: searches ask again and again about the same few. */
const foldable = new Map<string, boolean>();
const REMEMBERED = 500;

/** Whether a text that does not hold the needle as it is may hold it once folded. */
function mayHoldFolded(text: string, needle: string): boolean {
  if (!/^[a-z0-9 ]*$/i.test(needle)) return !isAscii(text);
  const known = foldable.get(text);
  if (known !== undefined) return known;
  if (foldable.size >= REMEMBERED) foldable.clear();
  const answer = !isAscii(text) && BECOMES_ASCII.test(text);
  foldable.set(text, answer);
  return answer;
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text);
}
