/** Explains a hit: the place of the match, an excerpt around it, the number of occurrences. */
import { bodyStartOf } from '../../notes/frontmatter/split.ts';
import { lineNumberAt } from '../../notes/markdown/lines.ts';
import { headingOfLine } from '../../notes/markdown/outline.ts';
import type { SearchField, SearchHit } from '../../notes/searcher.ts';
import { graphemeStart } from '../../notes/text/characters.ts';
import { fold } from '../../notes/text/fold.ts';
import type { IndexedNote } from '../index/note-table.ts';
import type { SearchContext } from './context.ts';
import { type Haystack, LARGEST_FOLDED } from './occurrences.ts';
import type { SearchQuery } from './parse.ts';
import { PLACE_LENGTH, type TellingPlace } from './telling-places.ts';

const AROUND = 50;
const LONGEST_MATCH = 120;

interface Excerpt {
  readonly text: string;
  readonly match: { readonly start: number; readonly end: number };
}

function excerptAt(text: string, start: number, end: number): Excerpt {
  const matchEnd = graphemeStart(text, Math.min(end, start + LONGEST_MATCH));
  const from = graphemeStart(text, Math.max(0, start - AROUND));
  const to = graphemeStart(text, Math.min(text.length, matchEnd + (start === end ? 2 * AROUND : AROUND)));
  const before = `${from > 0 ? '...' : ''}${oneLine(text.slice(from, start)).trimStart()}`;
  const match = oneLine(text.slice(start, matchEnd));
  const after = `${oneLine(text.slice(matchEnd, to)).trimEnd()}${to < text.length ? '...' : ''}`;
  return { text: before + match + after, match: { start: before.length, end: before.length + match.length } };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

const MOST_PLACES = 1_000;
/** Per word, when the query as a whole does not occur. */
const MOST_WORD_PLACES = 200;
const NEARBY = 120;

export interface ExplainScope {
  readonly inText: boolean;
  readonly inFrontmatter: boolean;
}

export type Explanation = Omit<SearchHit, 'heading' | 'score' | 'lastModified'>;

/** Undefined when no part of the query occurs within the scope. */
export function explain(
  {
    query,
    tellingPlaces,
    library: { haystacks },
  }: Pick<SearchContext, 'query' | 'library' | 'tellingPlaces'>,
  note: IndexedNote,
  text: string,
  scope: ExplainScope,
): Explanation | undefined {
  const { path, title } = note;
  const bodyStart = bodyStartOf(text);
  const inName = scope.inText && nameMatches(path, query);
  const start = scope.inFrontmatter ? 0 : bodyStart;
  const end = scope.inText ? text.length : bodyStart;
  const scoped = start === 0 && end === text.length ? text : text.slice(start, end);
  const haystack = haystacks.get(scoped, query.folding);
  if (scoped.length <= LARGEST_FOLDED && !isExact(query) && !haystack.holds(query.literal)) {
    const { places, count } = tellingPlaces()(scoped);
    const [first] = places;
    if (first) {
      const from = start + first.start;
      const field = inName ? 'path' : fieldAt(text, from, bodyStart, note);
      return { path, title, field, line: lineNumberAt(text, from), ...excerptOf(scoped, places), count };
    }
  }
  const found = placesOf(haystack, query);
  const best = bestPlace(found);
  if (!best) {
    if (!inName) return undefined;
    const opening = text.slice(bodyStart, bodyStart + 400).trimStart();
    return { path, title, field: 'path', excerpt: excerptAt(opening, 0, 0).text, count: 1 };
  }
  const match = haystack.original(best.place, best.length);
  const from = start + match.start;
  const excerpt = excerptAt(text, from, start + match.end);
  const count = found.reduce((sum, { places }) => sum + places.length, 0);
  const field = inName ? 'path' : fieldAt(text, from, bodyStart, note);
  const line = lineNumberAt(text, from);
  return { path, title, field, line, excerpt: excerpt.text, match: excerpt.match, count };
}

/** Whether the words are wanted as they are written. */
function isExact({ folding, phrases, indexed: { words } }: SearchQuery): boolean {
  return words.length < 2 || phrases.length > 0 || folding.ignoreCase !== true;
}

/** The places with the words around them, as one line. The first word of the first place is marked. */
function excerptOf(
  text: string,
  places: readonly TellingPlace[],
): { excerpt: string; match: { start: number; end: number } } {
  const inOrder = [...places].sort((a, b) => a.start - b.start);
  let excerpt = '';
  let match = { start: 0, end: 0 };
  for (const place of inOrder) {
    const around = Math.max(10, (PLACE_LENGTH - (place.end - place.start)) / 2);
    const from = wordStart(text, place.start - around);
    const to = wordEnd(text, place.end + around);
    if (from > 0) excerpt += excerpt === '' ? '...' : ' ... ';
    const before = excerpt + oneLine(text.slice(from, place.start)).trimStart();
    const word = oneLine(text.slice(place.start, place.firstEnd));
    if (place === places[0]) match = { start: before.length, end: before.length + word.length };
    excerpt = before + word + oneLine(text.slice(place.firstEnd, to)).trimEnd();
    if (place === inOrder.at(-1) && to < text.length) excerpt += '...';
  }
  return { excerpt, match };
}

/** A long run of letters is cut. */
const LONGEST_EDGE = 20;

function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const space = text.slice(at, at + LONGEST_EDGE).search(/\s\S/);
  return space < 0 ? graphemeStart(text, Math.floor(at)) : Math.floor(at) + space + 1;
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const end = Math.floor(at);
  const back = /\s\S*$/.exec(text.slice(Math.max(0, end - LONGEST_EDGE), end));
  return back ? Math.max(0, end - LONGEST_EDGE) + back.index : graphemeStart(text, end);
}

export function nameMatches(path: string, query: SearchQuery): boolean {
  const name = fold(path, query.folding).text;
  return (
    name.includes(query.literal) ||
    (query.words.length > 0 && query.words.every((word) => name.includes(word)))
  );
}

interface FoundNeedle {
  readonly length: number;
  readonly places: readonly number[];
}

/** The places of the whole query; else of its phrases; else of its words, or of their stems. */
function placesOf(haystack: Haystack, query: SearchQuery): FoundNeedle[] {
  const among = (needles: readonly string[]): FoundNeedle[] =>
    needles
      .map((needle) => ({
        length: needle.length,
        places: haystack.places(needle, needles.length === 1 ? MOST_PLACES : MOST_WORD_PLACES),
      }))
      .filter(({ places }) => places.length > 0);
  // A single letter occurs everywhere, and is looked for only when there is nothing else.
  const longerWords = query.words.filter((word) => word.length > 1);
  for (const needles of [[query.literal], query.phrases, longerWords, query.words, query.stems]) {
    const found = among(needles);
    if (found.length > 0) return found;
  }
  return [];
}

/** The first place with the most different needles nearby, and the length of its needle. */
function bestPlace(found: readonly FoundNeedle[]): { place: number; length: number } | undefined {
  const [first] = found;
  if (!first) return undefined;
  if (found.length === 1) return { place: first.places[0]!, length: first.length };
  const next = found.map(() => 0);
  /** Where each needle stood last. */
  const last = found.map(() => Number.NEGATIVE_INFINITY);
  let best = { needle: 0, place: 0, company: 0 };
  for (let needle = nearestOf(found, next); needle >= 0; needle = nearestOf(found, next)) {
    const place = found[needle]!.places[next[needle]!++]!;
    last[needle] = place;
    let company = 0;
    let earliest = needle;
    for (let other = 0; other < last.length; other++) {
      if (place - last[other]! >= NEARBY) continue;
      company++;
      if (last[other]! < last[earliest]!) earliest = other;
    }
    if (company > best.company) best = { needle: earliest, place: last[earliest]!, company };
    if (company === found.length) break;
  }
  return { place: best.place, length: found[best.needle]!.length };
}

/** The needle whose next place comes first; -1 when all have been seen. */
function nearestOf(found: readonly FoundNeedle[], next: readonly number[]): number {
  let nearest = -1;
  let place = Number.POSITIVE_INFINITY;
  for (let needle = 0; needle < found.length; needle++) {
    const candidate = found[needle]!.places[next[needle]!];
    if (candidate === undefined || candidate >= place) continue;
    nearest = needle;
    place = candidate;
  }
  return nearest;
}

function fieldAt(text: string, at: number, bodyStart: number, note: IndexedNote): SearchField {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at);
  const line = text.slice(lineStart, newline < 0 ? text.length : newline);
  if (at < bodyStart) return frontmatterField(text.slice(0, at), line);
  const heading = headingOfLine(line.trim());
  if (heading) return heading.text === note.title ? 'title' : 'heading';
  return 'text';
}

function frontmatterField(before: string, line: string): SearchField {
  const key = /^([\w-]+):/.exec(line)?.[1] ?? [...before.matchAll(/^([\w-]+):/gm)].at(-1)?.[1] ?? '';
  if (/^tags?$/i.test(key)) return 'tag';
  if (/^alias(es)?$/i.test(key)) return 'alias';
  return key.toLowerCase() === 'title' ? 'title' : 'frontmatter';
}
