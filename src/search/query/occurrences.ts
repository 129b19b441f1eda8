/**
 * Finds text in texts, both folded as the query wants it, with a way back to the original. Of texts so large that a
 * folded copy of each would fill the memory, plain ASCII is found by the engine's own case-insensitive search, which
 * needs no copy; only what is not found that way is folded.
 */
import { type BodyParts, bodyPartsOf } from '../../notes/markdown/outline.ts';
import {
  type FoldedText,
  type FoldOptions,
  fold,
  isAscii,
  mayHoldFolded,
  SEARCH_FOLDING,
} from '../../notes/text/fold.ts';
import type { NoteIndex } from '../index/note-index.ts';

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
    ...bodyPartsOf(text),
  };
}

/** Finds the needle in text of ASCII, or in folded text. */
export function patternFor(needle: string, { ignoreCase }: FoldOptions): RegExp {
  return new RegExp(needle.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), ignoreCase ? 'gi' : 'g');
}

interface Occurrence {
  /** Offsets in the original text. */
  readonly start: number;
  readonly end: number;
}

/** One text to search. Places are offsets in its folded form; `original` maps them to the text. */
export interface Haystack extends BodyParts {
  /** Not of giant texts. */
  readonly folded?: FoldedText;
  holds(needle: string): boolean;
  /** The first `most` places of the needle, in order. */
  places(needle: string, most: number): readonly number[];
  original(place: number, length: number): Occurrence;
}

/** The places of a needle found so far. */
interface NeedleMatch {
  /** Its first place, or -1. */
  readonly first: number;
  readonly places: readonly number[];
  /** How many places were looked for. */
  readonly most: number;
}

/** Successive searches mostly share their words. */
const CACHED_NEEDLES = 8;

function smallHaystackOf(text: string, folding: FoldOptions): Haystack {
  const folded = fold(text, folding);
  const looked = new Map<string, NeedleMatch>();
  const remember = (needle: string, found: NeedleMatch): NeedleMatch => {
    if (looked.size >= CACHED_NEEDLES) looked.clear();
    looked.set(needle, found);
    return found;
  };
  const lookFor = (needle: string): NeedleMatch =>
    looked.get(needle) ?? remember(needle, { first: folded.text.indexOf(needle), places: [], most: 0 });
  return {
    folded,
    holds: (needle) => needle !== '' && lookFor(needle).first >= 0,
    places: (needle, most) => {
      if (needle === '') return [];
      const known = lookFor(needle);
      if (known.first < 0) return [];
      if (known.most === most || known.places.length < Math.min(most, known.most)) return known.places;
      if (known.most > most) return known.places.slice(0, most);
      const places = placesIn(folded.text, needle, known.first, most);
      return remember(needle, { first: known.first, places, most }).places;
    },
    original: (place, length) => ({
      start: folded.originalOffset(place),
      end: folded.originalOffset(place + length),
    }),
    ...bodyPartsOf(text),
  };
}

function placesIn(text: string, needle: string, start: number, most: number): number[] {
  const places: number[] = [];
  for (let at = start; at >= 0 && places.length < most; at = text.indexOf(needle, at + needle.length))
    places.push(at);
  return places;
}

/** Longer texts are data: they are not folded as a whole. */
export const LARGEST_FOLDED = 1024 * 1024;
const CACHED_CHARACTERS = 4 * 1024 * 1024;
export const LARGEST_CACHED = 256 * 1024;

/** Caches folded texts: searches look into the same few again and again, and folding a text takes longer than that. */
export class HaystackCache {
  readonly #haystacks = new Map<string, Haystack>();
  #numbered = new WeakMap<NoteIndex, Map<number, Haystack>>();
  #characters = 0;

  /** Of notes by their numbers in an index: a search asks for dozens, and to find each by its text takes longer than the look. */
  ofNotes(index: NoteIndex): Map<number, Haystack> {
    const known = this.#numbered.get(index) ?? new Map<number, Haystack>();
    this.#numbered.set(index, known);
    return known;
  }

  get(text: string, folding: FoldOptions): Haystack {
    if (text.length > LARGEST_FOLDED) return giantHaystackOf(text, folding);
    if (folding !== SEARCH_FOLDING || text.length > LARGEST_CACHED) return smallHaystackOf(text, folding);
    const cached = this.#haystacks.get(text);
    if (cached) return cached;
    const haystack = smallHaystackOf(text, folding);
    this.#characters += text.length;
    if (this.#characters > CACHED_CHARACTERS) {
      this.#haystacks.clear();
      this.#numbered = new WeakMap();
      this.#characters = text.length;
    }
    this.#haystacks.set(text, haystack);
    return haystack;
  }

  /** For one of many texts, most of which are looked at once: none is kept, and few are folded. */
  holds(text: string, needle: string, folding: FoldOptions): boolean {
    return (folding === SEARCH_FOLDING ? giantHaystackOf(text, folding) : this.get(text, folding)).holds(
      needle,
    );
  }
}
