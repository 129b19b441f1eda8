/** Finds text in text as the query wants it compared: both folded, with a way back to the original. */
import { type Folded, type Folding, fold } from '../notes/fold.ts';
import { giantHaystackOf } from './giant-text.ts';
import { SEARCH_FOLDING } from './note-index.ts';

export interface Occurrence {
  /** Offsets in the original text. */
  readonly start: number;
  readonly end: number;
}

/** Answers questions about one text. Places are offsets of its own; `original` knows what they stand for. */
export interface Haystack {
  holds(needle: string): boolean;
  /** The first `most` places of the needle, in order. */
  places(needle: string, most: number): number[];
  original(place: number, length: number): Occurrence;
}

export function haystackOf(text: string, folding: Folding): Haystack {
  if (text.length > LARGEST_FOLDED) return giantHaystackOf(text, folding);
  const folded = folding === SEARCH_FOLDING ? foldedOnce(text) : fold(text, folding);
  return {
    holds: (needle) => needle !== '' && folded.text.includes(needle),
    places: (needle, most) => placesIn(folded.text, needle, most),
    original: (place, length) => ({
      start: folded.originalOffset(place),
      end: folded.originalOffset(place + length),
    }),
  };
}

function placesIn(text: string, needle: string, most: number): number[] {
  const places: number[] = [];
  if (needle === '') return places;
  for (
    let at = text.indexOf(needle);
    at >= 0 && places.length < most;
    at = text.indexOf(needle, at + needle.length)
  )
    places.push(at);
  return places;
}

/** Searches ask again and again about the same few texts, and folding one takes longer than looking through it. */
const foldedTexts = new Map<string, Folded>();
const REMEMBERED_CHARACTERS = 4 * 1024 * 1024;
const LARGEST_REMEMBERED = 256 * 1024;
const LARGEST_FOLDED = 1024 * 1024;
let rememberedCharacters = 0;

function foldedOnce(text: string): Folded {
  const known = foldedTexts.get(text);
  if (known) return known;
  const folded = fold(text, SEARCH_FOLDING);
  if (text.length > LARGEST_REMEMBERED) return folded;
  rememberedCharacters += text.length;
  if (rememberedCharacters > REMEMBERED_CHARACTERS) {
    foldedTexts.clear();
    rememberedCharacters = text.length;
  }
  foldedTexts.set(text, folded);
  return folded;
}
