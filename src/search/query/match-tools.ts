import type { SearchFilter } from '../../notes/searcher.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import type { NoteIndex } from '../index/note-index.ts';
import { batchesOf } from '../text-reader.ts';
import type { SearchContext } from './context.ts';
import { mayHoldAll } from './literal-candidates.ts';
import { LARGEST_CACHED } from './occurrences.ts';
import { filteredNote } from './request-filter.ts';

/** How many of the best notes are read to rank them: a far server answers more slowly than that is worth. */
const READ = 20;
const READ_FROM_AFAR = 10;

export function matchTools(look: SearchContext, filter: SearchFilter | undefined) {
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
    accepts: acceptedNumbers(look, filter),
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
    holdsPiece: (text: string, piece: string) => haystacks.holds(text, piece, SEARCH_FOLDING),
    breathe: look.breathe,
  };
}

/** Undefined when every note will do. The index of a scan knows too few words to tell which notes hold a phrase or a tag. */
function acceptedNumbers(
  { library: { index, isSlice }, query, ...look }: SearchContext,
  { tags = [] }: SearchFilter = {},
) {
  const conditions: ((number: number) => boolean)[] = [];
  const mayBeTagged = isSlice || tags.length === 0 ? undefined : marksOf(index, index.maybeTagged(tags));
  if (mayBeTagged) conditions.push((number) => mayBeTagged[number] === 1);
  const phrases = query.phrases.map((phrase) => fold(phrase, SEARCH_FOLDING).text);
  const mayHold = isSlice ? undefined : mayHoldAll(index, phrases);
  if (mayHold) conditions.push(mayHold);
  // A note may be removed while others are read.
  if (look.isFiltered)
    conditions.push((number) => index.sizes[number] !== 0 && look.accepts(filteredNote(index, number)));
  if (conditions.length < 2) return conditions[0];
  return (number: number) => conditions.every((holds) => holds(number));
}

/** By note number: 1 for these. */
function marksOf({ span }: NoteIndex, numbers: Iterable<number> | undefined): Uint8Array | undefined {
  if (!numbers) return undefined;
  const marks = new Uint8Array(span);
  for (const number of numbers) marks[number] = 1;
  return marks;
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
