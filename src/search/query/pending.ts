/** Searches pending notes by reading them, so that answers are complete from the start. They are ranked as indexed ones are. */

import type { NotePath } from '../../notes/path.ts';
import { idf, saturation } from '../../notes/text/bm25.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { createStemFinder, type StemFinder, termOf } from '../../notes/text/stems.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { documentOf, namesOf, weightedParts } from '../index/document.ts';
import type { IndexedNote } from '../index/note-table.ts';
import type { SearchContext } from './context.ts';
import { createEvidence, type EvidenceOf } from './evidence.ts';
import { LITERAL_BONUS, NAME_BONUS } from './match.ts';
import { LARGEST_FOLDED } from './occurrences.ts';
import type { RankedHit } from './order.ts';
import { ALIKE, importanceOf, wordsLike } from './rank.ts';

/** The share of an answer's time for reading them; the rest is for excerpts. */
const PENDING_PART = 2 / 3;

interface Finders {
  readonly inflections: StemFinder;
  /** Of words that begin as those of the query do. */
  readonly alike: StemFinder | undefined;
}

interface Candidate {
  readonly note: IndexedNote;
  readonly text: string;
  readonly isNamed: boolean;
  readonly holdsLiteral: boolean;
  /** The weight of each word of the query in the note. */
  readonly weights: Float32Array;
}

/** Skips the paths in `looked`, and adds those it has searched. */
export function amongPending(look: SearchContext, looked: Set<NotePath>): Promise<RankedHit[]> {
  return look.library.undisturbed(() => lookThrough(look, looked));
}

async function lookThrough(look: SearchContext, looked: Set<NotePath>): Promise<RankedHit[]> {
  const { index, texts, pending, hopeless } = look.library;
  const { byName } = look;
  const isFresh = ({ path }: { path: NotePath }) => !looked.has(path);
  const unreadable = hopeless().filter(isFresh);
  const fresh = [...pending().filter(isFresh), ...unreadable];
  for (const { path } of unreadable) byName.add(path);
  for (const { path } of fresh) looked.add(path);
  if (fresh.length === 0) return [];
  const { words } = look.query.indexed;
  const finders = {
    inflections: createStemFinder(words),
    // As in `groupsFor`: a single word is looked for as such.
    alike: words.length > 1 ? createStemFinder(words, termOf) : undefined,
  };
  const found = await mapConcurrently(fresh, texts.readsAtOnce, async (meta) => {
    await look.breathe();
    const text = byName.has(meta.path) ? '' : ((await look.texts.get(meta.path, PENDING_PART)) ?? '');
    return lookAt(look, finders, meta, text);
  });
  const candidates = found.filter((candidate) => candidate !== undefined);
  const importance = importanceOf(look.query);
  const idfs = words.map((word, at) => {
    const indexed =
      index.size === 0
        ? 0
        : wordsLike(index, word).reduce((sum, like) => sum + index.postings.countOf(like.word), 0);
    const among = candidates.filter(({ weights }) => weights[at]! > 0).length;
    return importance[at]! * idf(indexed + among, index.size + fresh.length);
  });
  const scored = {
    idfs,
    evidenceOf: createEvidence(words, idfs),
    averageLength: averageOf(look, candidates),
  };
  return candidates.map((candidate) => ({ note: candidate.note, rank: rankOf(candidate, scored) }));
}

/** Of the indexed notes; as long as there are few, of those that match. */
function averageOf({ library: { index } }: SearchContext, candidates: readonly Candidate[]): number {
  if (index.size >= candidates.length) return index.averageLength;
  return candidates.reduce((sum, { note }) => sum + note.length, 0) / Math.max(1, candidates.length);
}

/** Undefined when the note does not match. */
async function lookAt(
  { query: { indexed }, accepts, library: { haystacks } }: SearchContext,
  { inflections, alike }: Finders,
  meta: { path: NotePath; size: number; lastModified: number },
  text: string,
): Promise<Candidate | undefined> {
  const { words, literal } = indexed;
  const path = fold(meta.path, SEARCH_FOLDING).text;
  const haystack = haystacks.get(text, SEARCH_FOLDING);
  const holdsLiteral = haystack.holds(literal) || path.includes(literal);
  const weights = new Float32Array(words.length);
  const weigh = (part: string, weight: number) =>
    inflections(part, (word) => {
      weights[word]! += weight;
    });
  const read = text.slice(0, LARGEST_FOLDED);
  weigh(read, 1);
  const document = await documentOf(meta.path, text);
  for (const part of weightedParts(meta.path, document)) weigh(part.text, part.weight);
  if (read.length < text.length)
    for (const [at, word] of words.entries()) if (weights[at] === 0 && haystack.holds(word)) weights[at] = 1;
  const isMissing = weights.map((weight) => Number(weight === 0));
  if (alike && isMissing.includes(1))
    alike(read, (word) => {
      weights[word]! += ALIKE * isMissing[word]!;
    });
  const isNamed = namesOf(document).some((name) => fold(name, SEARCH_FOLDING).text.trim() === literal);
  if (!holdsLiteral && !isNamed && weights.every((weight) => weight === 0)) return undefined;
  const note: IndexedNote = { ...meta, ...document, length: lengthOf(text) };
  return accepts(note) ? { note, text: read, isNamed, holdsLiteral, weights } : undefined;
}

const CHARACTERS_PER_WORD = 6;

/** About as many words as the index would count. */
function lengthOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_WORD);
}

interface Scored {
  readonly idfs: readonly number[];
  readonly evidenceOf: EvidenceOf;
  readonly averageLength: number;
}

function rankOf(candidate: Candidate, { idfs, evidenceOf, averageLength }: Scored): number {
  const { note, text, isNamed, holdsLiteral, weights } = candidate;
  const relativeLength = note.length / Math.max(1, averageLength);
  const score = weights.reduce(
    (sum, weight, word) => (weight > 0 ? sum + idfs[word]! * saturation(weight, relativeLength) : sum),
    0,
  );
  const named = isNamed ? NAME_BONUS : 0;
  if (weights.length < 2) return score + named;
  return score + named + evidenceOf(text, relativeLength) + (holdsLiteral ? LITERAL_BONUS : 0);
}
