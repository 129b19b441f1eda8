/** The notes that a request finds, indexed or still pending, in the wanted order. */
import type { NotePath } from '../../notes/path.ts';
import type { SearchRequest } from '../../notes/searcher.ts';
import { fold } from '../../notes/text/fold.ts';
import { memoize } from '../../shared/memoize.ts';
import { titleAsRead } from '../index/document.ts';
import type { NoteIndex } from '../index/note-index.ts';
import type { IndexedNote } from '../index/note-table.ts';
import { batchesOf } from '../text-reader.ts';
import { matchByMeaning } from './by-meaning.ts';
import type { SearchContext } from './context.ts';
import { heldExactly, matchExact } from './exact.ts';
import { explain, scopeOf } from './explain.ts';
import { type Matches, matchNotes } from './match.ts';
import { matchTools } from './match-tools.ts';
import { orderBy, type RankedHit } from './order.ts';
import type { SearchQuery } from './parse.ts';
import { amongPending } from './pending.ts';
import { createPattern, type FoundNumbers, numbersFor } from './request-filter.ts';
import { bestNumbers } from './selection.ts';

export async function rankedFor(
  look: SearchContext,
  request: SearchRequest,
): Promise<{ shown: RankedHit[]; total: number }> {
  const { library, query } = look;
  const { index } = library;
  const { offset = 0, limit, sort = 'relevance' } = request;
  const wanted = offset + limit;
  const inTextOnly = conditionsOnText(look, request);
  const isRanked = sort === 'relevance' && !inTextOnly;
  const { matches, pending } = await matchesOf(look, request, {
    wanted,
    ranked: isRanked ? wanted : Number.POSITIVE_INFINITY,
  });
  const { numbers, rank } = matches;
  const foundAt = (number: number): RankedHit => ({
    note: index.note(number)!,
    number,
    rank: rank[number]!,
  });
  if (isRanked) {
    const best = bestNumbers(numbers, rank, wanted, index).map(foundAt);
    giveBack(index, matches);
    const shown = pending.length === 0 ? best : orderBy([...best, ...pending], query, sort, wanted);
    return { shown: shown.slice(offset), total: numbers.length + pending.length };
  }
  const all = [...numbers.map(foundAt), ...pending];
  giveBack(index, matches);
  const found = inTextOnly ? await confirmed(look, all, inTextOnly) : all;
  return { shown: orderBy(found, query, sort, wanted).slice(offset), total: found.length };
}

interface Found {
  readonly matches: FoundNumbers & Partial<Matches>;
  readonly pending: RankedHit[];
}

/** A search that notes change under begins anew so many times. */
const MOST_BEGINNINGS = 3;

/** All matches are there as it returns. */
async function matchesOf(
  look: SearchContext,
  request: SearchRequest,
  wanted: Pick<Parameters<typeof matchNotes>[2], 'wanted' | 'ranked'>,
  beginnings = 1,
): Promise<Found> {
  const { index } = look.library;
  const { revision } = index;
  const looked = new Set<NotePath>();
  const before = await amongPending(look, looked);
  const matches =
    look.query.literal === ''
      ? numbersFor(look.library, request.filter, look.accepts)
      : await matchIn(look, request, { ...wanted, isLast: before.length === 0 && !isQuoted(request) });
  const pending = await unindexed(look, looked, before, { numbers: matches.numbers, mode: request.mode });
  if (index.revision === revision) return { matches, pending };
  // A note that was replaced meanwhile has another number, which is not among these.
  const numbers = matches.numbers.filter((number) => index.sizes[number] !== 0);
  if (numbers.length === matches.numbers.length || beginnings === MOST_BEGINNINGS)
    return { matches: { ...matches, numbers }, pending };
  giveBack(index, matches);
  return matchesOf(look, request, wanted, beginnings + 1);
}

function giveBack({ scratch }: NoteIndex, { rank, numbers, ...rest }: Found['matches']): void {
  const { matched, touched, among } = rest;
  const known = matched ? touched && [touched, numbers] : [];
  if (known) scratch.clear(rank, known);
  else scratch.giveBack(rank);
  scratch.giveBack(matched, among);
}

/** In the mode of the request. */
async function matchIn(
  look: SearchContext,
  { mode = 'auto', filter }: SearchRequest,
  options: Parameters<typeof matchNotes>[2],
): Promise<Matches> {
  const { query, library, groups } = look;
  const isAllWanted = options.ranked === Number.POSITIVE_INFINITY || look.isFiltered;
  const tools = { ...matchTools(look, filter), isAllWanted };
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
    const path = memoize(() => fold(note.path, query.folding).text);
    const holds = (phrase: string) =>
      haystack.holds(phrase) || path().includes(phrase) || isInReadTitle(note.title, phrase, query);
    if (!query.phrases.every(holds)) return false;
    return wholeNote || explain(look, note, text, scope) !== undefined;
  };
}

/** A title that is read as it is written stands in the text. */
function isInReadTitle(title: string, phrase: string, { folding }: SearchQuery): boolean {
  const read = titleAsRead(title);
  return read !== title && fold(read, folding).text.includes(phrase);
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
