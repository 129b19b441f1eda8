/** The excerpt of a hit: the words around its places, cut at whole words; and how long each hit's may be. */
import { endWithinBytes, graphemeStart } from '../../notes/text/characters.ts';
import { joinsWords } from '../../notes/text/tokens.ts';
import type { TellingPlace } from './telling-places.ts';

/** At most so many places, each about so many characters long. */
export interface ExcerptShape {
  readonly most: number;
  readonly length: number;
  /** The length counts bytes of UTF-8, of which a character has two or three in other scripts than Latin. */
  readonly inBytes?: boolean;
}

/** Where the request says nothing of it. */
export const USUAL_SHAPE: ExcerptShape = { most: 2, length: 150 };

/** Places of the first hit; each hit after it has one less. */
const MOST_PLACES = 4;
/** Shorter ones do not say anything; rather fewer are shown. */
const SHORTEST = 60;
const CUT_SHORT = 45;

/** Shapes for the hits of an answer that has room for so many bytes of excerpts. */
export function excerptShapes(hits: number, room?: number): ExcerptShape[] {
  if (room === undefined) return new Array<ExcerptShape>(hits).fill(USUAL_SHAPE);
  for (let first = MOST_PLACES; ; first--) {
    let places = 0;
    for (let rank = 0; rank < hits; rank++) places += Math.max(1, first - rank);
    const each = Math.floor(room / places);
    if (each < SHORTEST && first > 1) continue;
    const length = Math.min(USUAL_SHAPE.length, Math.max(CUT_SHORT, each));
    const shapes: ExcerptShape[] = [];
    for (let rank = 0; rank < hits; rank++)
      shapes.push({ most: Math.max(1, first - rank), length, inBytes: true });
    return shapes;
  }
}

/** A heading takes its room from the places. */
export function lengthBeside(heading: string, { length, inBytes }: ExcerptShape, places: number): number {
  const own = inBytes ? Buffer.byteLength(heading) : heading.length;
  return Math.max(CUT_SHORT, length - Math.ceil(own / places));
}

export interface Excerpt {
  readonly excerpt: string;
  /** Where the first word of the best place stands in it. */
  readonly match: { readonly start: number; readonly end: number };
}

const BETWEEN = ' ... ';
const CUT = '...';

/** A few accents are no reason to make an excerpt again. */
const MORE_BYTES = 1.05;

/** What an excerpt is made of. */
export interface ExcerptPlaces {
  /** The best one first. */
  readonly places: readonly TellingPlace[];
  /** Shown as it is, with nothing around it. It takes its room from the places. */
  readonly property?: TellingPlace | undefined;
}

/** The places with the words around them, as one line. The length is that of each of the places. */
export function excerptOf(
  text: string,
  places: ExcerptPlaces,
  { length, inBytes }: Pick<ExcerptShape, 'length' | 'inBytes'>,
): Excerpt {
  const whole = excerptAround(text, places, length);
  const characters = whole.excerpt.length;
  const bytes = inBytes ? Buffer.byteLength(whole.excerpt) : characters;
  if (bytes <= MORE_BYTES * characters) return whole;
  return excerptAround(text, places, Math.floor((length * characters) / bytes));
}

/** The beginning of a text, as one line. */
export function openingOf(
  text: string,
  { length, inBytes }: Pick<ExcerptShape, 'length' | 'inBytes'>,
): string {
  const line = oneLine(text.slice(0, 2 * length)).trim();
  return line.slice(0, wordEnd(line, inBytes ? endWithinBytes(line, 0, length) : length)).trimEnd();
}

function excerptAround(text: string, { places, property }: ExcerptPlaces, length: number): Excerpt {
  const ofProperty = property ? roomOf(property, length * places.length, places.length + 1) : 0;
  const ofPlace = Math.floor((length * places.length - ofProperty) / places.length);
  const all = property ? [...places, property] : [...places];
  let excerpt = '';
  let match = { start: 0, end: 0 };
  let last = 0;
  for (const place of all.sort((a, b) => a.start - b.start)) {
    // A place before it may have shown the property already, or its beginning.
    if (place === property && place.start < last) {
      const end = Math.max(last, Math.min(place.end, place.start + ofProperty));
      excerpt += oneLine(text.slice(last, end));
      last = end;
      continue;
    }
    const each = (place === property ? ofProperty : ofPlace) - BETWEEN.length;
    const firstEnd = Math.min(place.firstEnd, place.start + each);
    const around = Math.max(0, (each - (place.end - place.start)) / 2);
    const from = Math.max(last, startBefore(text, place.start, around));
    const to = wordEnd(text, Math.max(from + each, firstEnd));
    if (from > 0) excerpt += excerpt === '' ? CUT : from > last ? BETWEEN : ' ';
    const before = excerpt + oneLine(text.slice(from, place.start)).trimStart();
    const word = oneLine(text.slice(place.start, firstEnd));
    if (place === places[0]) match = { start: before.length, end: before.length + word.length };
    excerpt = before + word + oneLine(text.slice(firstEnd, to)).trimEnd();
    last = to;
  }
  return { excerpt: last < text.length ? excerpt + CUT : excerpt, match };
}

/** With the line break behind it, no more than its share of the room. */
function roomOf({ start, end }: TellingPlace, room: number, shares: number): number {
  return Math.min(end - start + 1 + BETWEEN.length, Math.floor(room / shares));
}

/** A blank between two words is left alone: most are. */
export function oneLine(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, ' ');
}

/** The start of the line if it is near, else of a word. */
function startBefore(text: string, at: number, most: number): number {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return at - line <= most ? line : wordStart(text, Math.floor(at - most));
}

/** A long run of letters is cut. */
const LONGEST_EDGE = 20;

function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const space = text.slice(at, at + LONGEST_EDGE).search(/\s\S/);
  return space < 0 ? graphemeStart(text, outsideOfWord(text, at, 1)) : at + space + 1;
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const end = Math.floor(at);
  const back = /\s\S*$/.exec(text.slice(Math.max(0, end - LONGEST_EDGE), end));
  if (back) return Math.max(0, end - LONGEST_EDGE) + back.index;
  return graphemeStart(text, outsideOfWord(text, end, -1));
}

/** The nearest edge of a word where there are signs and no blanks, as in code and addresses. */
function outsideOfWord(text: string, at: number, step: 1 | -1): number {
  for (let edge = at; Math.abs(edge - at) <= LONGEST_EDGE; edge += step)
    if (!joinsWords(text[edge - 1] ?? '') || !joinsWords(text[edge] ?? '')) return edge;
  return at;
}
