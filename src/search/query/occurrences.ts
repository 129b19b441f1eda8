/** Finds text in text as the query wants it compared: both folded, with a way back to the original. */
import { type FoldedText, type FoldOptions, fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';

/**
 * Finds text in texts so large that a folded copy of each would fill the memory. Plain ASCII is looked for with
 * the engine's own case-blind search, which needs no copy; only what is not found that way is folded.
 */

function giantHaystackOf(text: string, folding: FoldOptions): Haystack {
  let folded: FoldedText | undefined;
  const placesInFolded = (needle: string, most: number): number[] => {
    folded ??= fold(text, folding);
    const places: number[] = [];
    for (
      let at = folded.text.indexOf(needle);
      at >= 0 && places.length < most;
      at = folded.text.indexOf(needle, at + needle.length)
    )
      places.push(folded.originalOffset(at));
    return places;
  };
  const places = (needle: string, most: number): number[] => {
    if (needle === '') return [];
    if (!isAscii(needle) || needle.includes('\n')) return placesInFolded(needle, most);
    const found: number[] = [];
    for (const { index } of text.matchAll(patternFor(needle, folding))) {
      found.push(index);
      if (found.length === most) break;
    }
    if (found.length > 0) return found;
    return folded || mayHoldFolded(text, needle) ? placesInFolded(needle, most) : found;
  };
  return {
    places,
    holds: (needle) => places(needle, 1).length > 0,
    original: (place, length) => ({ start: place, end: Math.min(text.length, place + length) }),
  };
}

function patternFor(needle: string, { ignoreCase }: FoldOptions): RegExp {
  return new RegExp(needle.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), ignoreCase ? 'gi' : 'g');
}

/**
 * Letters with accents, ligatures, full-width and fancy forms: what becomes ASCII letters and digits when folded.
 * Alternatives instead of one class, because marks in a class would join the character before them.
 */
const BECOMES_ASCII =
  /[\u00aa\u00b2\u00b3\u00b9\u00ba\u00c0-\u024f]|[\u0300-\u036f]|[\u1e00-\u1eff\u2070-\u209f\u2100-\u218f\u2460-\u24ff]|[\u3200-\u33ff\ufb00-\ufb06\uff01-\uff5e]|\ud835/;

/** Whether a text that does not hold the needle as it is may hold it once folded. */
function mayHoldFolded(text: string, needle: string): boolean {
  if (!/^[a-z0-9 ]*$/i.test(needle)) return !isAscii(text);
  return !isAscii(text) && BECOMES_ASCII.test(text);
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text);
}

interface Occurrence {
  /** Offsets in the original text. */
  readonly start: number;
  readonly end: number;
}

/** Answers questions about one text. Places are offsets of its own; `original` knows what they stand for. */
export interface Haystack {
  holds(needle: string): boolean;
  /** The first `most` places of the needle, in order. */
  places(needle: string, most: number): readonly number[];
  original(place: number, length: number): Occurrence;
}

export function haystackOf(text: string, folding: FoldOptions): Haystack {
  if (text.length > LARGEST_FOLDED) return giantHaystackOf(text, folding);
  return folding === SEARCH_FOLDING ? searchedOnce(text) : smallHaystackOf(text, folding);
}

/** Where a needle stands in a text, as far as it was looked for. */
interface NeedleMatch {
  /** Its first place, or -1. */
  readonly first: number;
  readonly places: readonly number[];
  /** How many places were looked for. */
  readonly most: number;
}

/** Whoever asks again asks with the same words, or one more: and of a text only few are remembered. */
const REMEMBERED_NEEDLES = 8;

function smallHaystackOf(text: string, folding: FoldOptions): Haystack {
  const folded = fold(text, folding);
  const looked = new Map<string, NeedleMatch>();
  const remember = (needle: string, found: NeedleMatch): NeedleMatch => {
    if (looked.size >= REMEMBERED_NEEDLES) looked.clear();
    looked.set(needle, found);
    return found;
  };
  const lookFor = (needle: string): NeedleMatch =>
    looked.get(needle) ?? remember(needle, { first: folded.text.indexOf(needle), places: [], most: 0 });
  return {
    holds: (needle) => needle !== '' && lookFor(needle).first >= 0,
    places: (needle, most) => {
      if (needle === '') return [];
      const known = lookFor(needle);
      if (known.first < 0) return [];
      if (known.most >= most) return known.places.slice(0, most);
      const places = placesIn(folded.text, needle, known.first, most);
      return remember(needle, { first: known.first, places, most }).places;
    },
    original: (place, length) => ({
      start: folded.originalOffset(place),
      end: folded.originalOffset(place + length),
    }),
  };
}

function placesIn(text: string, needle: string, start: number, most: number): number[] {
  const places: number[] = [];
  for (let at = start; at >= 0 && places.length < most; at = text.indexOf(needle, at + needle.length))
    places.push(at);
  return places;
}

/** Searches ask again and again about the same few texts, and folding one takes longer than looking through it. */
const searched = new Map<string, Haystack>();
const REMEMBERED_CHARACTERS = 4 * 1024 * 1024;
const LARGEST_REMEMBERED = 256 * 1024;
const LARGEST_FOLDED = 1024 * 1024;
let rememberedCharacters = 0;

function searchedOnce(text: string): Haystack {
  const known = searched.get(text);
  if (known) return known;
  const haystack = smallHaystackOf(text, SEARCH_FOLDING);
  if (text.length > LARGEST_REMEMBERED) return haystack;
  rememberedCharacters += text.length;
  if (rememberedCharacters > REMEMBERED_CHARACTERS) {
    searched.clear();
    rememberedCharacters = text.length;
  }
  searched.set(text, haystack);
  return haystack;
}
