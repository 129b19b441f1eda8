/** The term weights of a sample of notes, gathered from the postings of an index: bounded however many notes there are. */
import { hashOf, unitsOf } from '../../notes/text/tokens.ts';
import type { NoteList, Postings } from '../index/postings.ts';
import type { StemGroups } from '../index/stem-groups.ts';
import type { TermMatrix } from './term-vectors.ts';

/** The index that is learned from. */
export interface IndexedTerms {
  readonly postings: Postings;
  readonly stems: StemGroups;
  /** How many notes there are, and how many numbers were given out. */
  readonly size: number;
  readonly span: number;
  /** 0 where there is no note. */
  readonly sizes: Uint32Array;
}

/** Fewer notes have too little in common to learn from. */
export const FEWEST_NOTES = 30;
const MOST_NOTES = 4_000;
const MOST_ENTRIES = 1_500_000;
const MOST_TERMS = 40_000;
/** A term of one note tells nothing of others; one of most notes tells nothing. */
const FEWEST_HOLDERS = 2;
const MOST_HOLDERS = 0.5;

const WORK_PER_STEP = 20_000;

export function termHash(term: string): number {
  const units = unitsOf(term);
  return hashOf(units, 0, term.length) >>> 0;
}

/** How much a term counts in a note that has it with this weight. */
export function termWeight(weight: number): number {
  return 1 + Math.log(weight);
}

interface Term {
  readonly group: number;
  readonly hash: number;
  /** How many notes of the sample have it. */
  readonly holders: number;
}

/** Undefined when the notes have no term in common. Counts first and fills then, so that no memory is wasted. */
export function* gatherTerms(index: IndexedTerms): Generator<undefined, TermMatrix | undefined> {
  const sample = sampleOf(index);
  const terms: Term[] = [];
  yield* forEachGroup(index, sample, (group, holders) => {
    const isTelling = holders.length >= FEWEST_HOLDERS && holders.length <= sample.count * MOST_HOLDERS;
    if (isTelling) terms.push({ group, hash: termHash(index.stems.term(group)), holders: holders.length });
  });
  yield;
  const kept = frequentOnes(terms);
  yield;
  if (kept.length === 0) return undefined;
  const matrix = emptyMatrix(kept, sample.count);
  const rows = new Map(kept.map(({ group }, row) => [group, row]));
  const { starts, idfs, entryNotes, entryWeights } = matrix;
  yield* forEachGroup(index, sample, (group, holders, sums) => {
    const row = rows.get(group);
    // The index may have more of it by now.
    const room = row === undefined ? 0 : starts[row + 1]! - starts[row]!;
    for (let at = 0; at < Math.min(room, holders.length); at++) {
      const entry = starts[row!]! + at;
      entryNotes[entry] = sample.places[holders[at]!]! - 1;
      entryWeights[entry] = termWeight(sums[holders[at]!]!) * idfs[row!]!;
    }
  });
  yield;
  normalize(matrix);
  return matrix;
}

/** Calls `visit` for every term, with the notes of the sample that have it and its weights by note. */
function* forEachGroup(
  { stems, postings, span }: IndexedTerms,
  { places }: Sample,
  visit: (group: number, holders: Uint32Array, sums: Float32Array) => void,
): Generator<undefined, void> {
  const sums = new Float32Array(span);
  const list: NoteList = { values: new Uint32Array(span), length: 0 };
  let work = 0;
  for (let group = 0; group < stems.groups; group++) {
    if (!isWord(stems.term(group))) continue;
    list.length = 0;
    for (const word of stems.wordsOf(group)) {
      work += postings.countOf(word);
      postings.addTo(sums, word, 1, places, list);
    }
    const holders = list.values.subarray(0, list.length);
    visit(group, holders, sums);
    for (const note of holders) sums[note] = 0;
    work++;
    if (work < WORK_PER_STEP) continue;
    work = 0;
    yield;
  }
}

interface Sample {
  /** Per note number: its place in the sample, plus one; 0 for notes that are not in it. */
  readonly places: Uint32Array;
  readonly count: number;
}

/** Notes from all over the index. */
function sampleOf(index: IndexedTerms): Sample {
  const numbers: number[] = [];
  for (let number = 0; number < index.span; number++) if (index.sizes[number] !== 0) numbers.push(number);
  const perNote = Math.max(1, index.postings.size / Math.max(1, index.span));
  const count = Math.floor(Math.min(numbers.length, MOST_NOTES, MOST_ENTRIES / perNote));
  const places = new Uint32Array(index.span);
  for (let at = 0; at < count; at++) places[numbers[Math.floor((at * numbers.length) / count)]!] = at + 1;
  return { places, count };
}

/** Whole titles, and the mark of long runs, are indexed as words and are none; a number is about something else in each note. */
function isWord(term: string): boolean {
  return term.charCodeAt(0) > 2 && !/^\d+$/.test(term);
}

/** The terms that most notes have, if there are too many; one per hash, in the order of the hashes. */
function frequentOnes(terms: Term[]): Term[] {
  const kept =
    terms.length <= MOST_TERMS
      ? terms
      : terms.sort((a, b) => b.holders - a.holders || a.hash - b.hash).slice(0, MOST_TERMS);
  kept.sort((a, b) => a.hash - b.hash);
  return kept.filter(({ hash }, at) => hash !== kept[at - 1]?.hash);
}

function emptyMatrix(terms: readonly Term[], notes: number): TermMatrix {
  const starts = new Uint32Array(terms.length + 1);
  for (const [row, { holders }] of terms.entries()) starts[row + 1] = starts[row]! + holders;
  return {
    notes,
    terms: Uint32Array.from(terms, ({ hash }) => hash),
    idfs: Float32Array.from(terms, ({ holders }) => Math.log(notes / holders)),
    starts,
    entryNotes: new Uint32Array(starts[terms.length]!),
    entryWeights: new Float32Array(starts[terms.length]!),
  };
}

/** Notes of any length count alike. */
function normalize({ notes, entryNotes, entryWeights }: TermMatrix): void {
  const squares = new Float64Array(notes);
  for (let entry = 0; entry < entryNotes.length; entry++)
    squares[entryNotes[entry]!]! += entryWeights[entry]! ** 2;
  for (let entry = 0; entry < entryNotes.length; entry++)
    entryWeights[entry]! /= Math.sqrt(squares[entryNotes[entry]!]!) || 1;
}
