/** Finds text in text as the query wants it compared: both folded, with a way back to the original. */
import { type Folding, fold } from '../notes/fold.ts';
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
  return folding === SEARCH_FOLDING ? searchedOnce(text) : smallHaystackOf(text, folding);
}

function smallHaystackOf(text: string, folding: Folding): Haystack {
  const folded = fold(text, folding);
  /** Whether the query stands there is asked before where, and about each of many texts. */
  let last = { needle: '', place: -1 };
  const firstPlace = (needle: string): number => {
    if (last.needle !== needle) last = { needle, place: folded.text.indexOf(needle) };
    return last.place;
  };
  return {
    holds: (needle) => needle !== '' && firstPlace(needle) >= 0,
    places: (needle, most) => {
      const start = last.needle === needle ? last.place : folded.text.indexOf(needle);
      return needle === '' || start < 0 ? [] : placesIn(folded.text, needle, start, most);
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
