/**
 * The terms of each note, out of an index that has the notes of each word. They are turned round for some notes at a time:
 * adding up vectors note by note stays within the processor's cache, word by word it would not.
 */
import type { IndexedTerms } from './term-matrix.ts';

/** So many entries are turned round at a time; each takes three bytes. */
const ENTRIES_AT_ONCE = 32_000_000;
const ENTRIES_PER_STEP = 20_000;
const GROUPS_PER_STEP = 1_000;
const NOTES_PER_STEP = 100;

export interface TermsOfNote {
  readonly number: number;
  /** The terms of the note stand from `from` to `to`; several entries of one term stand side by side. */
  readonly rows: Uint16Array;
  readonly weights: Uint8Array;
  readonly from: number;
  readonly to: number;
}

interface TermSelection {
  /** 1 for each note that is wanted, by its number. */
  readonly wanted: Uint8Array;
  /** The row of a term, less than 0 for one that is not wanted. */
  readonly rowOf: (term: string) => number;
}

/** Calls `visit` for every wanted note. Notes that are added meanwhile are not among them. */
export function* termsByNote(
  index: IndexedTerms,
  { wanted, rowOf }: TermSelection,
  visit: (terms: TermsOfNote) => void,
  entriesAtOnce: number = ENTRIES_AT_ONCE,
): Generator<undefined, void> {
  const span = wanted.length;
  const groupRows = yield* rowsOfGroups(index, rowOf);
  /** Per note: its entries in all, then where its next one goes. */
  const places = new Uint32Array(span);
  yield* forEachEntry(index, groupRows, (_, note) => {
    if (wanted[note] === 1) places[note]!++;
  });
  for (let first = 0; first < span; ) {
    let end = first;
    let entries = 0;
    for (; end < span && (entries === 0 || entries + places[end]! <= entriesAtOnce); end++) {
      const count = places[end]!;
      places[end] = entries;
      entries += count;
    }
    const rows = new Uint16Array(entries);
    const weights = new Uint8Array(entries);
    const [from, to] = [first, end];
    yield* forEachEntry(index, groupRows, (row, note, weight) => {
      if (note < from || note >= to || wanted[note] !== 1) return;
      const place = places[note]!++;
      rows[place] = row;
      weights[place] = weight;
    });
    for (let number = from, at = 0; number < to; number++) {
      const next = places[number]!;
      if (wanted[number] === 1) visit({ number, rows, weights, from: at, to: next });
      at = next;
      if (number % NOTES_PER_STEP === 0) yield;
    }
    first = end;
  }
}

/** Per group of words with one term: the row of that term. */
function* rowsOfGroups(
  { stems }: IndexedTerms,
  rowOf: (term: string) => number,
): Generator<undefined, Int32Array> {
  const rows = new Int32Array(stems.groups);
  for (let group = 0; group < rows.length; group++) {
    rows[group] = rowOf(stems.term(group));
    if (group % GROUPS_PER_STEP === 0) yield;
  }
  return rows;
}

function* forEachEntry(
  { postings, stems }: IndexedTerms,
  groupRows: Int32Array,
  visit: (row: number, note: number, weight: number) => void,
): Generator<undefined, void> {
  let work = 0;
  for (let group = 0; group < groupRows.length; group++) {
    const row = groupRows[group]!;
    if (row < 0) continue;
    for (const word of stems.wordsOf(group)) {
      postings.forEach(word, (note, weight) => visit(row, note, weight));
      work += postings.countOf(word) + 1;
    }
    if (work < ENTRIES_PER_STEP) continue;
    work = 0;
    yield;
  }
}
