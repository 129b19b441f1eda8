/** Why a note is a hit: where the query first stands in it, the words around, how often it occurs. */
import { lineNumberAt } from '../notes/edit.ts';
import { fold } from '../notes/fold.ts';
import { bodyStartOf } from '../notes/frontmatter/body-start.ts';
import type { SearchField, SearchHit } from '../notes/searcher.ts';
import { excerptAt } from './excerpt.ts';
import type { IndexedNote } from './note-index.ts';
import { type Haystack, haystackOf, type Occurrence } from './occurrences.ts';
import type { SearchQuery } from './query.ts';

const MOST_PLACES = 1_000;
const MOST_COMPARED = 20;
const NEARBY = 120;

export interface Scope {
  readonly inText: boolean;
  readonly inFrontmatter: boolean;
}

/** Undefined when nothing of the query stands in the parts of the note that are searched. */
export function explain(
  note: IndexedNote,
  text: string,
  query: SearchQuery,
  scope: Scope,
): Omit<SearchHit, 'lastModified'> | undefined {
  const { path, title } = note;
  const bodyStart = bodyStartOf(text);
  const inName = scope.inText && nameMatches(path, query);
  const start = scope.inFrontmatter ? 0 : bodyStart;
  const end = scope.inText ? text.length : bodyStart;
  const haystack = haystackOf(
    start === 0 && end === text.length ? text : text.slice(start, end),
    query.folding,
  );
  const places = placesOf(haystack, query);
  const best = bestPlace(places);
  if (!best) {
    if (!inName) return undefined;
    const opening = text.slice(bodyStart, bodyStart + 400).trimStart();
    return { path, title, field: 'path', excerpt: excerptAt(opening, 0, 0).text, count: 1 };
  }
  const from = start + best.start;
  const { text: excerpt, match } = excerptAt(text, from, start + best.end);
  const count = places.reduce((sum, found) => sum + found.length, 0);
  const field = inName ? 'path' : fieldAt(text, from, bodyStart, note);
  return { path, title, field, line: lineNumberAt(text, from), excerpt, match, count };
}

export function nameMatches(path: string, query: SearchQuery): boolean {
  const name = fold(path, query.folding).text;
  return (
    name.includes(query.literal) ||
    (query.words.length > 0 && query.words.every((word) => name.includes(word)))
  );
}

/** Where the query as it stands occurs; else its phrases; else its words, or at least their stems. */
function placesOf(haystack: Haystack, query: SearchQuery): Occurrence[][] {
  const among = (needles: readonly string[]) =>
    needles.map((needle) => haystack.places(needle, MOST_PLACES)).filter((found) => found.length > 0);
  for (const needles of [[query.literal], query.phrases, query.words, query.stems]) {
    const places = among(needles);
    if (places.length > 0) return places;
  }
  return [];
}

/** The first place with the most different needles close by. */
function bestPlace(places: readonly (readonly Occurrence[])[]): Occurrence | undefined {
  let best: { place: Occurrence; company: number } | undefined;
  for (const found of places) {
    for (const place of found.slice(0, MOST_COMPARED)) {
      const isNear = (other: Occurrence) => Math.abs(other.start - place.start) < NEARBY;
      const company = places.length === 1 ? 1 : places.filter((others) => others.some(isNear)).length;
      const isBetter =
        !best || company > best.company || (company === best.company && place.start < best.place.start);
      if (isBetter) best = { place, company };
      if (places.length === 1) return place;
    }
  }
  return best?.place;
}

function fieldAt(text: string, at: number, bodyStart: number, note: IndexedNote): SearchField {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at);
  const line = text.slice(lineStart, newline < 0 ? text.length : newline);
  if (at < bodyStart) return frontmatterField(text.slice(0, at), line);
  const heading = /^#{1,6}[ \t]+(.*)$/.exec(line.trim());
  if (heading) return heading[1]?.trim() === note.title ? 'title' : 'heading';
  return 'text';
}

function frontmatterField(before: string, line: string): SearchField {
  const key = /^([\w-]+):/.exec(line)?.[1] ?? [...before.matchAll(/^([\w-]+):/gm)].at(-1)?.[1] ?? '';
  if (/^tags?$/i.test(key)) return 'tag';
  if (/^alias(es)?$/i.test(key)) return 'alias';
  return key.toLowerCase() === 'title' ? 'title' : 'frontmatter';
}
