/** Answers a search request from the index, the texts, and the notes that are still pending. */

import type { NotePath } from '../../notes/path.ts';
import type { SearchAnswer, SearchHit, SearchRequest } from '../../notes/searcher.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { memoize } from '../../shared/memoize.ts';
import { documentOf } from '../index/document.ts';
import type { IndexedNote } from '../index/note-table.ts';
import { YieldTimer } from '../sync/scheduler.ts';
import { createTextReader, PREFETCHED } from '../text-reader.ts';
import { matchByMeaning } from './by-meaning.ts';
import type { IndexedLibrary, SearchContext } from './context.ts';
import { heldExactly, matchExact } from './exact.ts';
import { excerptShapes, openingOf } from './excerpt.ts';
import { type ExplainScope, type Explanation, explain } from './explain.ts';
import { mayHoldAll } from './literal-candidates.ts';
import { groupsFor, type Matches, matchNotes } from './match.ts';
import { LARGEST_CACHED } from './occurrences.ts';
import { orderBy, type RankedHit } from './order.ts';
import { queryOf, type SearchQuery } from './parse.ts';
import { amongPending } from './pending.ts';
import { groupIdf, wordsLike } from './rank.ts';
import {
  createFilter,
  createPattern,
  type FoundNumbers,
  filteredNote,
  isNarrowing,
  numbersFor,
} from './request-filter.ts';
import { scannedLibrary } from './scanned-library.ts';
import { createScoreParts } from './score-parts.ts';
import { bestNumbers } from './selection.ts';
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
  /** That of the request, if the caller has parsed it. */
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
  const exact = await foundFor(look, request);
  const isWithoutPhrases = exact.total === 0 && query.phrases.length > 0 && query.words.length > 1;
  const { shown: ranked, total } = isWithoutPhrases
    ? await foundFor({ ...look, query: { ...query, phrases: [] } }, request)
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
  return shown.reduce((left, { note }) => left - bytesOf(note.path) - bytesOf(note.title), room);
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

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += PREFETCHED) yield items.slice(from, from + PREFETCHED);
}

async function foundFor(
  look: SearchContext,
  request: SearchRequest,
): Promise<{ shown: RankedHit[]; total: number }> {
  const { library, query } = look;
  const { index } = library;
  const { offset = 0, limit, sort = 'relevance' } = request;
  const wanted = offset + limit;
  const inTextOnly = conditionsOnText(look, request);
  const isRanked = sort === 'relevance' && !inTextOnly;
  const looked = new Set<NotePath>();
  const before = await amongPending(look, looked);
  const matches: FoundNumbers & Partial<Matches> =
    query.literal === ''
      ? numbersFor(library, request.filter, look.accepts)
      : await matchIn(look, request, {
          wanted,
          ranked: isRanked ? wanted : Number.POSITIVE_INFINITY,
          isLast: before.length === 0 && !isQuoted(request),
        });
  const { numbers, rank } = matches;
  const pending = await unindexed(look, looked, before, { numbers, mode: request.mode });
  const foundAt = (number: number): RankedHit => ({
    note: index.note(number)!,
    number,
    rank: rank[number]!,
  });
  if (isRanked) {
    const best = bestNumbers(numbers, rank, wanted, index).map(foundAt);
    index.scratch.giveBack(rank, matches.matched, matches.among);
    const shown = pending.length === 0 ? best : orderBy([...best, ...pending], query, sort, wanted);
    return { shown: shown.slice(offset), total: numbers.length + pending.length };
  }
  const all = [...numbers.filter((number) => index.note(number)).map(foundAt), ...pending];
  index.scratch.giveBack(rank, matches.matched, matches.among);
  const found = inTextOnly ? await confirmed(look, all, inTextOnly) : all;
  return { shown: orderBy(found, query, sort, wanted).slice(offset), total: found.length };
}

/** In the mode of the request. */
async function matchIn(
  look: SearchContext,
  { mode = 'auto' }: SearchRequest,
  options: Parameters<typeof matchNotes>[2],
): Promise<Matches> {
  const { query, library, groups } = look;
  const isAllWanted = options.ranked === Number.POSITIVE_INFINITY || look.isFiltered;
  const tools = { ...matchTools(look), isAllWanted };
  if (mode === 'exact') return matchExact(tools, query);
  if (mode === 'meaning') {
    const near = matchByMeaning(tools, query, groups());
    if (near) return near;
  }
  const meaning = mode === 'words' ? undefined : library.index.meaning;
  return matchNotes({ ...tools, meaning }, query, options);
}

/** Who quotes a word wants that word and no similar one. */
function isQuoted({ query }: SearchRequest): boolean {
  return /["“”„]/.test(query);
}

/** Hits among pending notes, without those that have been indexed meanwhile. */
async function unindexed(
  look: SearchContext,
  looked: Set<NotePath>,
  before: RankedHit[],
  { numbers, mode }: { numbers: readonly number[]; mode: SearchRequest['mode'] },
): Promise<RankedHit[]> {
  const likely = [...before, ...(await amongPending(look, looked))];
  if (likely.length === 0) return likely;
  const found = mode === 'exact' ? await heldExactly(look, likely) : likely;
  const { index } = look.library;
  return found.filter(({ note }) => {
    const number = index.numberOf(note.path);
    return number === undefined || !numbers.includes(number);
  });
}

/** How many of the best notes are read to rank them: a far server answers more slowly than that is worth. */
const READ = 20;
const READ_FROM_AFAR = 10;

function matchTools(look: SearchContext) {
  const { index } = look.library;
  const textOf = (number: number) => {
    const path = index.pathOf(number);
    if (path === undefined) return undefined;
    return look.texts.now({ path, size: index.bytesOf(number) }) ?? look.texts.get(path);
  };
  const { literal, folding } = look.query;
  const { haystacks } = look.library;
  const folded = folding === SEARCH_FOLDING ? haystacks.ofNotes(index) : undefined;
  return {
    index,
    isSlice: look.library.isSlice,
    groups: look.groups,
    textOf,
    findIn: look.findIn,
    sequences: look.library.sequences,
    sequenceOf: (number: number) => {
      const cut = (text: string | undefined) => {
        if (text === undefined) return undefined;
        const { folded } = haystacks.get(text, SEARCH_FOLDING);
        return folded && look.library.sequences.in(folded, number);
      };
      const text = textOf(number);
      return text instanceof Promise ? text.then(cut) : cut(text);
    },
    read: look.library.reach.isFar ? READ_FROM_AFAR : READ,
    inBatches: (numbers: readonly number[]) =>
      look.library.reach.isFar ? prefetched(look, numbers) : [numbers],
    accepts: acceptedNumbers(look),
    holdsLiteral: (number: number, isOneOfMany: boolean) => {
      const known = folded?.get(number);
      if (known) return known.holds(literal);
      const holds = (text: string | undefined) => {
        if (text === undefined) return false;
        if (isOneOfMany) return haystacks.holds(text, literal, folding);
        const haystack = haystacks.get(text, folding);
        if (text.length <= LARGEST_CACHED) folded?.set(number, haystack);
        return haystack.holds(literal);
      };
      const text = textOf(number);
      return text instanceof Promise ? text.then(holds) : holds(text);
    },
    breathe: look.breathe,
  };
}

/** Undefined when every note will do. The index of a scan knows too few words to tell which notes hold a phrase. */
function acceptedNumbers({ library: { index, isSlice }, query, ...look }: SearchContext) {
  const passes = look.isFiltered ? (number: number) => look.accepts(filteredNote(index, number)) : undefined;
  const phrases = query.phrases.map((phrase) => fold(phrase, SEARCH_FOLDING).text);
  const mayHold = isSlice ? undefined : mayHoldAll(index, phrases);
  if (!passes || !mayHold) return passes ?? mayHold;
  return (number: number) => mayHold(number) && passes(number);
}

async function* prefetched(
  { library: { index }, texts }: SearchContext,
  numbers: readonly number[],
): AsyncGenerator<readonly number[]> {
  for (const batch of batchesOf(numbers)) {
    await texts.prefetch(batch.flatMap((number) => index.pathOf(number) ?? []));
    yield batch;
  }
}

type TextCondition = (note: IndexedNote, text: string) => boolean;

/** The conditions of the request that need the text of a note; undefined when there are none. */
function conditionsOnText(look: SearchContext, request: SearchRequest): TextCondition | undefined {
  const { query } = look;
  const { filter, caseSensitive = false } = request;
  const scope = scopeOf(request);
  const pattern = filter?.pattern === undefined ? undefined : createPattern(filter.pattern, caseSensitive);
  const wholeNote = (scope.inText && scope.inFrontmatter && !caseSensitive) || query.literal === '';
  if (wholeNote && query.phrases.length === 0 && !pattern) return undefined;
  return (note, text) => {
    if (pattern && !pattern(text)) return false;
    const haystack = look.library.haystacks.get(text, query.folding);
    if (!query.phrases.every((phrase) => haystack.holds(phrase))) return false;
    return wholeNote || explain(look, note, text, scope) !== undefined;
  };
}

async function confirmed(
  look: SearchContext,
  found: readonly RankedHit[],
  condition: TextCondition,
): Promise<RankedHit[]> {
  const kept: RankedHit[] = [];
  for (const batch of batchesOf(found)) {
    await look.texts.prefetch(batch.map(({ note }) => note.path));
    for (const entry of batch) {
      await look.breathe();
      const text = await look.texts.get(entry.note.path);
      if (text !== undefined && condition(entry.note, text)) kept.push(entry);
    }
  }
  return kept;
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

function scopeOf(request: SearchRequest): ExplainScope {
  return { inText: request.inText ?? true, inFrontmatter: request.inFrontmatter ?? true };
}
