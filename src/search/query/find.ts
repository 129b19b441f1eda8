/** Answers a search request from the index, the texts, and the notes that are still pending. */

import type { NotePath } from '../../notes/path.ts';
import type { SearchAnswer, SearchHit, SearchRequest } from '../../notes/searcher.ts';
import { shortTitle } from '../../notes/text/characters.ts';
import { termsOf } from '../../notes/text/tokens.ts';
import { memoize } from '../../shared/memoize.ts';
import { documentOf } from '../index/document.ts';
import { YieldTimer } from '../sync/scheduler.ts';
import { batchesOf, createTextReader } from '../text-reader.ts';
import type { IndexedLibrary, SearchContext } from './context.ts';
import { excerptShapes, openingOf } from './excerpt.ts';
import { type ExplainScope, type Explanation, explain, scopeOf } from './explain.ts';
import { groupsFor } from './match.ts';
import type { RankedHit } from './order.ts';
import { queryOf, type SearchQuery } from './parse.ts';
import { groupIdf, wordsLike } from './rank.ts';
import { rankedFor } from './ranked-notes.ts';
import { createFilter, isNarrowing } from './request-filter.ts';
import { scannedLibrary } from './scanned-library.ts';
import { createScoreParts } from './score-parts.ts';
import { createSequenceFinder } from './sequence-finder.ts';
import { createWordFinder } from './telling-places.ts';

/** An answer, and the notes it could not look into. */
interface FoundNotes extends SearchAnswer {
  readonly unread: ReadonlySet<NotePath>;
  /** No note has the quoted phrases: these have their words. */
  readonly isWithoutPhrases: boolean;
  /** Asked by meaning, and found by words: the meaning of the notes, or of these words, is not known. */
  readonly isWithoutMeaning: boolean;
  /** Not from the index, but from a scan for the words of the query alone. */
  readonly isScanned: boolean;
}

interface FindOptions {
  readonly signal?: AbortSignal | undefined;
  /** When the request came. */
  readonly begun?: number;
  /** The query of the request, if the caller has parsed it. */
  readonly query?: SearchQuery;
}

export async function findNotes(
  known: IndexedLibrary,
  request: SearchRequest,
  { signal, begun, query = queryOf(request) }: FindOptions = {},
): Promise<FoundNotes> {
  const pace = new YieldTimer();
  const byName = new Set<NotePath>();
  const breathe = () => pace.breathe(signal);
  const onUnread = (path: NotePath) => void byName.add(path);
  const isFiltered = isNarrowing(request.filter);
  const withFields = isFiltered || request.sort === 'kind';
  const library = await scannedLibrary(known, { words: { ...query.indexed, withFields }, breathe, onUnread });
  const { words } = query.indexed;
  const groups = memoize(() => groupsFor(library.index, words));
  const look: SearchContext = {
    library,
    texts: createTextReader(library.texts, library.reach, begun),
    byName,
    query,
    accepts: createFilter(request.filter),
    isFiltered,
    groups,
    findWords: memoize(() => {
      const idfs = groups().map((group) => groupIdf(library.index, group));
      return createWordFinder(words, idfs);
    }),
    findIn: memoize(() =>
      createSequenceFinder(
        words.length > 1 ? groups() : words.map((word) => wordsLike(library.index, word)),
        library.index.vocabulary,
      ),
    ),
    breathe,
  };
  const exact = await rankedFor(look, request);
  // A stop word counts here: who quotes `"Yes Minister"` quotes two words, of which one tells what is looked for.
  const isWithoutPhrases = exact.total === 0 && query.phrases.length > 0 && termsOf(query.literal).length > 1;
  const { shown: ranked, total } = isWithoutPhrases
    ? await rankedFor({ ...look, query: { ...query, phrases: [] } }, request)
    : exact;
  const shown = library.isSlice && !withFields ? await withFieldsOf(look, ranked) : ranked;
  const { inText, inFrontmatter } = scopeOf(request);
  const partsOf = request.withScores === true ? createScoreParts(look) : undefined;
  const shapes = excerptShapes(shown.length, roomForExcerpts(request, shown));
  const hits: SearchHit[] = [];
  for (const batch of batchesOf(shown)) {
    if (request.withExcerpts !== false && library.reach.isFar)
      await look.texts.prefetch(batch.map(({ note }) => note.path));
    for (const found of batch) {
      const shape = shapes[hits.length]!;
      const withHeading = request.withHeadings === true && shape.most > 1;
      const known = request.withExcerpts === false ? undefined : textFor(look, found);
      const text = known instanceof Promise ? await known : known;
      const hit =
        request.withExcerpts === false
          ? bareHit(found)
          : hitFor(look, found, text, { inText, inFrontmatter, excerpt: shape, withHeading });
      if (hit) hits.push(partsOf ? await withParts(look, hit, partsOf) : hit);
      const pause = look.breathe();
      if (pause !== true) await pause;
    }
  }
  const isWithoutMeaning = request.mode === 'meaning' && !knowsMeaning(look);
  return {
    hits,
    total,
    unread: unreadBy(look),
    isWithoutPhrases,
    isWithoutMeaning,
    isScanned: library !== known,
  };
}

/** A scan passes over the fields of most notes. */
async function withFieldsOf({ texts }: SearchContext, hits: readonly RankedHit[]): Promise<RankedHit[]> {
  const complete: RankedHit[] = [];
  for (const { note, rank } of hits) {
    const text = (await texts.get(note.path)) ?? '';
    const { headings: _, aliases: __, ...fields } = await documentOf(note.path, text);
    complete.push({ note: { ...note, ...fields }, rank });
  }
  return complete;
}

function knowsMeaning({ library: { index }, query: { literal, indexed } }: SearchContext): boolean {
  return literal === '' || index.meaning?.vectorOf(indexed.words) !== undefined;
}

const bytesOf = (text: string) => Buffer.byteLength(text);

/** What the paths and titles of the hits leave. */
function roomForExcerpts({ room }: SearchRequest, shown: readonly RankedHit[]): number | undefined {
  if (room === undefined) return undefined;
  return shown.reduce(
    (left, { note }) => left - bytesOf(note.path) - bytesOf(shortTitle(note.title, shown.length)),
    room,
  );
}

/** Also a note that was searched by name alone and is being read again, or has been: this answer is without its text. */
function unreadBy({ library, texts, byName }: SearchContext): ReadonlySet<NotePath> {
  if (byName.size === 0) return texts.unread;
  const hopeless = new Set(library.hopeless().map(({ path }) => path));
  return new Set([...texts.unread, ...[...byName].filter((path) => !hopeless.has(path))]);
}

async function withParts(
  { texts }: SearchContext,
  hit: SearchHit,
  partsOf: ReturnType<typeof createScoreParts>,
): Promise<SearchHit> {
  const text = (await texts.get(hit.path)) ?? '';
  return { ...hit, parts: await partsOf({ path: hit.path, score: hit.score, text }) };
}

function bareHit({ note: { path, title, lastModified }, rank: score }: RankedHit): SearchHit {
  return { path, title, lastModified, score, field: 'text', excerpt: '', count: 1 };
}

/** Most texts are at hand: a promise for each would take longer than to show it. */
function textFor({ texts }: SearchContext, { note }: RankedHit) {
  const { path, length } = note;
  const orNothing = (text: string | undefined) => text ?? (length === 0 ? '' : undefined);
  return texts.now(note) ?? texts.get(path).then(orNothing);
}

/** Undefined when the note is gone meanwhile. The hit of a note that cannot be read has no excerpt. */
function hitFor(
  look: SearchContext,
  found: RankedHit,
  text: string | undefined,
  scope: Required<Omit<ExplainScope, 'number'>>,
): SearchHit | undefined {
  const { note, number, rank: score } = found;
  const { path, title, lastModified } = note;
  if (text === undefined) return look.texts.unread.has(path) ? bareHit(found) : undefined;
  // A match by a similar word or an inflection has no place to show.
  const { inText, inFrontmatter, excerpt: shape, withHeading } = scope;
  const opening = (): Explanation => {
    const { most, length, inBytes } = shape;
    const excerpt = openingOf(text, { length: Math.min(120, most * length), inBytes });
    return { path, title, field: 'text', excerpt, count: 1 };
  };
  // Objects that are spread take as long as the excerpt.
  const { field, line, heading, excerpt, match, count } =
    explain(look, note, text, { inText, inFrontmatter, excerpt: shape, withHeading, number }) ?? opening();
  return { path, title, field, line, heading, excerpt, match, count, score, lastModified };
}
