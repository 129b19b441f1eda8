/** The term weights of a sample of notes, gathered from the postings of an index: bounded however many notes there are. */
import { hashOf, unitsOf } from '../../notes/text/tokens.ts';
import type { Postings } from '../index/postings.ts';
import type { StemGroups } from '../index/vocabulary.ts';
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
const MOST_NOTES = 8_000;
const MOST_ENTRIES = 3_000_000;
const MOST_TERMS = 40_000;
/** A term of one note tells nothing of others; one of most notes tells nothing. */
const FEWEST_HOLDERS = 2;
const MOST_HOLDERS = 0.5;

const ENTRIES_PER_STEP = 20_000;

export function termHash(term: string): number {
  const units = unitsOf(term);
  return hashOf(units, 0, term.length);
}

/** How much a term counts in a note that has it with this weight. */
export function termWeight(weight: number): number {
  return 1 + Math.log(weight);
}

interface TermEntries {
  readonly hash: number;
  readonly idf: number;
  readonly notes: Uint32Array;
  readonly weights: Float32Array;
}

/** Undefined when the notes have too few terms in common. */
export function* gatherTerms(index: IndexedTerms): Generator<undefined, TermMatrix | undefined> {
  const { places, count } = sampleOf(index);
  const sums = new Float32Array(index.span);
  const terms: TermEntries[] = [];
  let seen = 0;
  for (let group = 0; group < index.stems.groups; group++) {
    const term = index.stems.term(group);
    if (!isWord(term)) continue;
    const holders: number[] = [];
    for (const word of index.stems.wordsOf(group)) {
      seen += index.postings.countOf(word);
      index.postings.addTo(sums, word, 1, places, holders);
    }
    if (holders.length >= FEWEST_HOLDERS && holders.length <= count * MOST_HOLDERS) {
      const idf = Math.log(count / holders.length);
      const notes = Uint32Array.from(holders, (note) => places[note]! - 1);
      const weights = Float32Array.from(holders, (note) => termWeight(sums[note]!) * idf);
      terms.push({ hash: termHash(term), idf, notes, weights });
    }
    for (const note of holders) sums[note] = 0;
    if (seen + group < ENTRIES_PER_STEP) continue;
    seen = -group;
    yield;
  }
  yield;
  const kept = frequentOnes(terms);
  return kept.length === 0 ? undefined : matrixOf(kept, count);
}

/** Per note number: its place in the sample, plus one; 0 for notes that are not in it. */
function sampleOf(index: IndexedTerms): { places: Uint32Array; count: number } {
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

/** Those that most notes have, if there are too many; one per hash, in the order of the hashes. */
function frequentOnes(terms: TermEntries[]): TermEntries[] {
  const kept =
    terms.length <= MOST_TERMS
      ? terms
      : terms.sort((a, b) => b.notes.length - a.notes.length || a.hash - b.hash).slice(0, MOST_TERMS);
  kept.sort((a, b) => a.hash - b.hash);
  return kept.filter(({ hash }, at) => hash !== kept[at - 1]?.hash);
}

function matrixOf(terms: readonly TermEntries[], notes: number): TermMatrix {
  const starts = new Uint32Array(terms.length + 1);
  for (const [at, term] of terms.entries()) starts[at + 1] = starts[at]! + term.notes.length;
  const entries = starts[terms.length]!;
  const entryNotes = new Uint32Array(entries);
  const entryWeights = new Float32Array(entries);
  const squares = new Float64Array(notes);
  for (const [at, term] of terms.entries()) {
    entryNotes.set(term.notes, starts[at]);
    entryWeights.set(term.weights, starts[at]);
    for (let entry = 0; entry < term.notes.length; entry++)
      squares[term.notes[entry]!]! += term.weights[entry]! ** 2;
  }
  for (let entry = 0; entry < entries; entry++)
    entryWeights[entry]! /= Math.sqrt(squares[entryNotes[entry]!]!);
  return {
    notes,
    terms: Uint32Array.from(terms, ({ hash }) => hash),
    idfs: Float32Array.from(terms, ({ idf }) => idf),
    starts,
    entryNotes,
    entryWeights,
  };
}
