/**
 * The property of a note that a query asks for: `due: 2026-12-01` for "bookshelf due". The lines with the rarest words
 * mostly stand in the body, and an excerpt of these alone leaves out what was asked for.
 */
import type { Occurrences, TellingPlace } from './telling-places.ts';

/** The most characters of a property that are shown. */
const LONGEST = 60;
/** Characters shown before a word that stands far inside of a long property. */
const AROUND = 20;

interface ShownBeside {
  /** The places that the excerpt shows anyway. */
  readonly places: readonly TellingPlace[];
  readonly bodyStart: number;
  /** Whether a word stands in the path or the title, which every hit shows. */
  readonly isInName: (word: string) => boolean;
}

/**
 * The property with the weightiest words that are asked for; undefined when there is none. A word in its value counts
 * where the body lacks it; one that is its key counts in any case, since the body rather speaks of it than has the value.
 */
export function askedProperty(
  text: string,
  occurrences: Occurrences,
  { places: shown, bodyStart, isInName }: ShownBeside,
): TellingPlace | undefined {
  const { words, at } = occurrences.places;
  const inFrontmatter = countBefore(at, bodyStart);
  if (inFrontmatter === 0) return undefined;
  const asked = new Map<number, { readonly place: TellingPlace; readonly words: Set<number> }>();
  for (let place = 0; place < inFrontmatter; place++) {
    const word = words[place]!;
    const start = at[place]!;
    const end = occurrences.endOf(place);
    const isAsked = isKey(text, start) || words.lastIndexOf(word) < inFrontmatter;
    if (!isAsked || isInName(text.slice(start, end))) continue;
    const property = propertyAround(text, { start, end, firstEnd: end }, bodyStart);
    if (shown.some((one) => isWithin(one.start, property) || isWithin(start, one))) continue;
    const known = asked.get(property.start);
    if (known) known.words.add(word);
    else asked.set(property.start, { place: property, words: new Set([word]) });
  }
  let best: TellingPlace | undefined;
  let greatest = 0;
  for (const { place, words: own } of asked.values()) {
    let weight = 0;
    for (const word of own) weight += occurrences.weights[word]!;
    if (weight <= greatest) continue;
    greatest = weight;
    best = place;
  }
  return best;
}

function countBefore(at: readonly number[], end: number): number {
  let count = 0;
  while (count < at.length && at[count]! < end) count++;
  return count;
}

function isWithin(at: number, { start, end }: TellingPlace): boolean {
  return at >= start && at < end;
}

function isKey(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const rest = /[:\n]/.exec(text.slice(at, at + LONGEST));
  return rest?.[0] === ':' && !text.slice(start, at).includes(':');
}

/** The word with its key and the whole value where that is short, else with some words around it. */
function propertyAround(text: string, word: TellingPlace, bodyStart: number): TellingPlace {
  let start = text.lastIndexOf('\n', word.start - 1) + 1;
  while (start > 0 && /[\s#-]/.test(text[start]!)) start = text.lastIndexOf('\n', start - 2) + 1;
  if (word.end - start > LONGEST) start = Math.max(start, word.start - AROUND);
  let end = lineEnd(text, word.start);
  while (end - start < LONGEST && /^[ \t-](?!--)/.test(text.slice(end + 1, end + 4)))
    end = lineEnd(text, end + 1);
  return { start, end: Math.min(end, start + LONGEST, bodyStart), firstEnd: word.end };
}

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline;
}
