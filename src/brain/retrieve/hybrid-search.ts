/**
 * Hybrid search: each passage gets one score from its keyword score and its cosine. Reciprocal rank fusion would need
 * ranks alone, but a rank does not say whether the first hit is any good: a question in other words than the notes' has
 * a first hit by words, too. Figures are in docs/understand/second-brain-retrieval.md.
 */
import { type Question, questionOf } from '../../notes/text/analyzer.ts';
import { isAppError } from '../../shared/errors.ts';
import {
  isWholeLibrary,
  type Library,
  type Passage,
  type RankedPassage,
  type RetrievalRequest,
  type RetrievalResult,
  type SearchScope,
} from '../types.ts';
import {
  coverageOf,
  findByWords,
  type KeywordHits,
  type KeywordSearch,
  rankedPassage,
} from './keyword-search.ts';
import type { Mounts } from './library.ts';
import type { SemanticHit, SemanticIndex } from './semantic-search.ts';

interface Signals {
  /** Keyword score, 0 to 1; 0 when the passage has no word of the question. */
  readonly words: number;
  /** Undefined when the passage has no vector. */
  readonly cosine: number | undefined;
}

/** The weight of words grows from `LOW` to `HIGH` with the number of question words in one passage. */
const LOW = { weight: 0.25, words: 2 };
const HIGH = { weight: 0.7, words: 6 };

/** `words` is the largest number of question words that one passage has. */
export function weightOfWords(words: number): number {
  const along = (words - LOW.words) / (HIGH.words - LOW.words);
  return LOW.weight + (HIGH.weight - LOW.weight) * Math.min(1, Math.max(0, along));
}

/** `baseline` is the cosine of unrelated texts, which differs from model to model; `share` how much the model counts. */
export function fuse({ words, cosine }: Signals, weight: number, baseline: number, share = 1): number {
  const meaning = Math.max(0, ((cosine ?? baseline) - baseline) / Math.max(0.1, 1 - baseline));
  return weight * words + (1 - weight) * share * Math.min(1, meaning);
}

/** Factor for each further passage of a note, so that one note does not fill the results. */
const REPEAT_FACTOR = 0.8;

/** Best first. */
export function discountRepeats<Ranked extends { readonly score: number }>(
  ranked: readonly Ranked[],
  noteOf: (ranked: Ranked) => string,
): Ranked[] {
  const seen = new Map<string, number>();
  return [...ranked]
    .sort((a, b) => b.score - a.score)
    .map((entry) => {
      const before = seen.get(noteOf(entry)) ?? 0;
      seen.set(noteOf(entry), before + 1);
      return { ...entry, score: entry.score * REPEAT_FACTOR ** before };
    })
    .sort((a, b) => b.score - a.score);
}

interface HybridSearch extends KeywordSearch {
  readonly meaning: SemanticIndex;
  /** The question's vector. */
  readonly vector: Float32Array;
  readonly mounts: Mounts;
  readonly library: Library;
  /** How much the model counts beside words, 0 to 1. */
  readonly share: number;
}

/** Candidates of each ranking per requested passage. */
const RANKED_PER_PASSAGE = 3;
const FEWEST_RANKED = 50;
/** Further candidates, for passages that have changed since they were embedded. */
const SPARE = 5;
/** Number of best keyword hits that decide the weight of words. */
const WEIGHED = 5;

export async function findFused(
  { query, limit, mode, scope }: RetrievalRequest,
  search: HybridSearch,
): Promise<Omit<RetrievalResult, 'warnings'>> {
  const question = questionOf(query);
  const most = Math.max(FEWEST_RANKED, limit * RANKED_PER_PASSAGE);
  const near = search.meaning.nearest(search.vector, most, await acceptedBy(scope, search));
  const words = mode === 'semantic' ? NOTHING : await findByWords(query, limit, search);
  const known = await passagesFound(words, most);
  const ranked = mode === 'semantic' ? byMeaning(near) : byBoth(near, known, { ...search, question });
  const best = discountRepeats(ranked, ({ sourcePath }) => sourcePath).slice(0, limit + SPARE);
  const passages = await shownPassages(best, { ...search, known, question });
  return {
    passages: passages.slice(0, limit),
    total: totalOf(words.total, near, passages),
    modeUsed: mode,
    rarities: words.rarities,
  };
}

const NOTHING: KeywordHits = { passages: [], total: 0 };

interface RankedCandidate {
  readonly hash: string;
  readonly sourcePath: string;
  readonly score: number;
}

/** Keyword hits by passage hash. */
type PassageLookup = ReadonlyMap<string, RankedPassage>;

/** A filter for the notes of the scope; undefined when the scope has all notes. */
async function acceptedBy(
  scope: SearchScope,
  { library, options }: HybridSearch,
): Promise<((sourcePath: string) => boolean) | undefined> {
  if (isWholeLibrary(scope)) return undefined;
  const { onWarning: _, ...silent } = options;
  const paths = new Set((await library.notes(scope, silent)).map(({ sourcePath }) => sourcePath));
  return (sourcePath) => paths.has(sourcePath);
}

async function passagesFound({ passages }: KeywordHits, most: number): Promise<PassageLookup> {
  const ranked = await Promise.all(passages.slice(0, most).map(rankedPassage));
  return new Map(ranked.map((each) => [each.passage.hash, each]));
}

function byMeaning(near: readonly SemanticHit[]): RankedCandidate[] {
  return near.map(({ hash, sourcePath, cosine }) => ({ hash, sourcePath, score: Math.min(1, cosine) }));
}

function byBoth(
  near: readonly SemanticHit[],
  known: PassageLookup,
  { meaning, vector, question, share }: HybridSearch & { readonly question: Question },
): RankedCandidate[] {
  const baseline = meaning.collection.averageCosine(vector);
  const coverages = [...known.values()].slice(0, WEIGHED).map(({ coverage }) => coverage);
  const weight = weightOfWords(Math.max(0, ...coverages) * question.words.length);
  const scored = (hash: string, sourcePath: string, cosine: number | undefined): RankedCandidate => {
    const words = known.get(hash)?.score ?? 0;
    return { hash, sourcePath, score: fuse({ words, cosine }, weight, baseline, share) };
  };
  return [
    ...near.map(({ hash, sourcePath, cosine }) => scored(hash, sourcePath, cosine)),
    ...[...known]
      .filter(([hash]) => !near.some((one) => one.hash === hash))
      .map(([hash, { passage }]) =>
        scored(hash, passage.sourcePath, meaning.collection.cosine(vector, hash)),
      ),
  ].filter(({ score }) => score > 0);
}

async function shownPassages(
  ranked: readonly RankedCandidate[],
  search: HybridSearch & { readonly known: PassageLookup; readonly question: Question },
): Promise<RankedPassage[]> {
  const { known, question, meaning, vector } = search;
  const shown = await Promise.all(
    ranked.map(async ({ hash, score, sourcePath }) => {
      const passage = known.get(hash)?.passage ?? (await passageWith(hash, sourcePath, search));
      if (!passage) return [];
      const cosine = meaning.collection.cosine(vector, hash);
      const coverage = coverageOf(passage, question);
      return [{ passage, score, coverage, cosine }];
    }),
  );
  return shown.flat();
}

/** Undefined when the note has changed, is gone, or cannot be read. */
async function passageWith(
  hash: string,
  sourcePath: string,
  { mounts, reader, options }: HybridSearch,
): Promise<Passage | undefined> {
  const place = mounts.find(sourcePath);
  const unread = (error: unknown) => {
    if (!isAppError(error)) throw error;
    options.onWarning?.(`Notes found by meaning could not be read: ${error.title}.`);
    return undefined;
  };
  // NaN makes the reader fetch a remote note again: its vectors may be older than its last change.
  const note = place && (await reader.read(place.source, place.path, Number.NaN).catch(unread));
  return (await note?.passages())?.find((passage) => passage.hash === hash);
}

/** Number of notes with words of the question, plus those found by meaning alone. */
function totalOf(byWords: number, near: readonly SemanticHit[], shown: readonly RankedPassage[]): number {
  if (byWords === 0) return new Set(near.map(({ sourcePath }) => sourcePath)).size;
  const wordless = shown.filter(({ coverage }) => coverage === 0).map(({ passage }) => passage.sourcePath);
  return byWords + new Set(wordless).size;
}
