/** Explains a hit: the place of the match, an excerpt around it, the number of occurrences. */
import { lineNumberAt } from '../../notes/markdown/lines.ts';
import {
  bodyPartsOf,
  headingOfLine,
  headingOver,
  mayHoldUnderlinedTitle,
} from '../../notes/markdown/outline.ts';
import type { SearchField, SearchHit, SearchRequest } from '../../notes/searcher.ts';
import { fold } from '../../notes/text/fold.ts';
import { memoize } from '../../shared/memoize.ts';
import type { IndexedNote } from '../index/note-table.ts';
import { askedProperty } from './asked-property.ts';
import { placesOf, type WordPlaces } from './best-window.ts';
import type { SearchContext } from './context.ts';
import { type ExcerptShape, excerptOf, lengthBeside, openingOf, USUAL_SHAPE } from './excerpt.ts';
import { type Haystack, LARGEST_FOLDED } from './occurrences.ts';
import { type SearchQuery, stemsOf } from './parse.ts';
import { placesInText } from './sequence-finder.ts';
import { MOST_OCCURRENCES, type Occurrences, tellingPlaces } from './telling-places.ts';

const MOST_PLACES = 1_000;
/** Per word, when the query as a whole does not occur. */
const MOST_WORD_PLACES = 200;

export interface ExplainScope {
  readonly inText: boolean;
  readonly inFrontmatter: boolean;
  /** The number that the note has in the index. */
  readonly number?: number | undefined;
  readonly excerpt?: ExcerptShape;
  readonly withHeading?: boolean;
}

export function scopeOf(request: SearchRequest): ExplainScope {
  return { inText: request.inText ?? true, inFrontmatter: request.inFrontmatter ?? true };
}

export type Explanation = Omit<SearchHit, 'score' | 'lastModified'>;

/** Undefined when no part of the query occurs within the scope. */
export function explain(
  look: Pick<SearchContext, 'query' | 'library' | 'findWords' | 'findIn'>,
  note: IndexedNote,
  text: string,
  scope: ExplainScope,
): Explanation | undefined {
  const { query, findWords, library } = look;
  const { path, title } = note;
  const shape = scope.excerpt ?? USUAL_SHAPE;
  const whole = scope.inText && scope.inFrontmatter ? library.haystacks.get(text, query.folding) : undefined;
  const parts = whole ?? bodyPartsOf(text);
  const bodyStart = parts.bodyStart();
  const inName = scope.inText && nameMatches(path, query);
  const start = scope.inFrontmatter ? 0 : bodyStart;
  const end = scope.inText ? text.length : bodyStart;
  const scoped = whole || (start === 0 && end === text.length) ? text : text.slice(start, end);
  const haystack = whole ?? library.haystacks.get(scoped, query.folding);
  const occurrences =
    occurrencesOf(haystack, [query.literal]) ??
    occurrencesOf(haystack, query.phrases) ??
    (scoped.length > LARGEST_FOLDED || isExact(query)
      ? undefined
      : findWords()(
          scoped,
          haystack.folded,
          scoped === text ? knownPlaces(look, haystack, scope.number) : undefined,
        )) ??
    occurrencesOfWords(haystack, query);
  const places = occurrences ? tellingPlaces(scoped, occurrences, shape) : [];
  const [best] = places;
  if (!occurrences || !best) {
    if (!inName) return undefined;
    return { path, title, field: 'path', excerpt: openingOf(text.slice(bodyStart), shape), count: 1 };
  }
  const from = start + best.start;
  const field = inName ? 'path' : fieldAt(text, from, bodyStart, note);
  const line = lineNumberAt(text, from);
  const heading = scope.withHeading ? headingOver(text, from, parts) : undefined;
  const name = memoize(() => fold(`${path}\n${title}`, query.folding).text);
  const isInName = (word: string) => name().includes(fold(word, query.folding).text);
  const property =
    scoped === text ? askedProperty(text, occurrences, { places, bodyStart, isInName }) : undefined;
  // A place that the shape has left over is the property's.
  const shown = property ? Math.min(shape.most, places.length + 1) : places.length;
  const each = lengthBeside(heading === title ? '' : (heading ?? ''), shape, shown);
  const length = Math.floor((each * shown) / places.length);
  const count = occurrences.places.at.length;
  const { excerpt, match } = excerptOf(scoped, { places, property }, { ...shape, length });
  return { path, title, field, line, heading, excerpt, match, count };
}

/** The places of the words of the query by the index; undefined where its sequence of words is not that of the text. */
function knownPlaces(
  { findIn, library: { index, sequences } }: Pick<SearchContext, 'library' | 'findIn'>,
  { folded }: Haystack,
  number: number | undefined,
): WordPlaces | undefined {
  if (!folded || number === undefined) return undefined;
  const sequence = sequences.in(folded, number);
  const vocabulary = sequences.isOf(sequence, folded) ? undefined : index.vocabulary;
  return placesInText(sequence, findIn()(sequence), folded, { vocabulary, most: MOST_OCCURRENCES });
}

/** Whether the words are wanted as they are written. */
function isExact({ folding }: SearchQuery): boolean {
  return folding.ignoreCase !== true;
}

export function nameMatches(path: string, query: SearchQuery): boolean {
  const name = fold(path, query.folding).text;
  return (
    name.includes(query.literal) ||
    (query.words.length > 0 && query.words.every((word) => name.includes(word)))
  );
}

/** The places of each needle as it is written; undefined when there is none. */
function occurrencesOf(haystack: Haystack, needles: readonly string[]): Occurrences | undefined {
  const [only] = needles;
  if (only !== undefined && needles.length === 1) return occurrencesOfOne(haystack, only);
  const found = needles.flatMap((needle, word) =>
    haystack
      .places(needle, MOST_WORD_PLACES)
      .map((at) => ({ word, ...haystack.original(at, needle.length) })),
  );
  if (found.length === 0) return undefined;
  found.sort((a, b) => a.start - b.start);
  const ends = new Map(found.map(({ start, end }) => [start, end]));
  return {
    places: placesOf(found.map(({ word, start }) => ({ word, at: start }))),
    weights: needles.map(() => 1),
    endOf: (place) => ends.get(found[place]!.start)!,
  };
}

function occurrencesOfOne(haystack: Haystack, needle: string): Occurrences | undefined {
  const found = haystack.places(needle, MOST_PLACES);
  if (found.length === 0) return undefined;
  const startOf = haystack.folded?.originalOffset ?? ((at) => haystack.original(at, needle.length).start);
  const places = { words: found.map(() => 0), at: found.map((at) => startOf(at)) };
  const endOf = (place: number) => haystack.original(found[place]!, needle.length).end;
  return { places, weights: [1], endOf };
}

/** Of the words within other words, or of their stems. A single letter is looked for only when there is nothing else. */
function occurrencesOfWords(haystack: Haystack, query: SearchQuery): Occurrences | undefined {
  const { words } = query;
  const longer = words.filter((word) => word.length > 1);
  return (
    occurrencesOf(haystack, longer) ??
    occurrencesOf(haystack, words) ??
    occurrencesOf(haystack, stemsOf(query))
  );
}

function fieldAt(text: string, at: number, bodyStart: number, note: IndexedNote): SearchField {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at);
  const line = text.slice(lineStart, newline < 0 ? text.length : newline);
  if (at < bodyStart) return frontmatterField(text.slice(0, at), line);
  const heading = headingOfLine(line.trim());
  if (heading) return heading.text === note.title ? 'title' : 'heading';
  return line.trim() === note.title && isUnderlined(text, newline) ? 'title' : 'text';
}

/** Whether the line that ends at `newline` has an underline below it. */
function isUnderlined(text: string, newline: number): boolean {
  const end = newline < 0 ? -1 : text.indexOf('\n', newline + 1);
  return newline >= 0 && mayHoldUnderlinedTitle(text.slice(newline, end < 0 ? undefined : end));
}

function frontmatterField(before: string, line: string): SearchField {
  const key = /^([\w-]+):/.exec(line)?.[1] ?? [...before.matchAll(/^([\w-]+):/gm)].at(-1)?.[1] ?? '';
  if (/^tags?$/i.test(key)) return 'tag';
  if (/^alias(es)?$/i.test(key)) return 'alias';
  return key.toLowerCase() === 'title' ? 'title' : 'frontmatter';
}
