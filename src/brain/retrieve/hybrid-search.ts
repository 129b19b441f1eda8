/** Passages by meaning, alone or together with words. */
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
import type { SemanticHits, SemanticIndex } from './semantic-search.ts';

/**
 * One score from two: how well the words of a question stand in a passage, and how near it is in meaning. Places in two
 * rankings would do (reciprocal rank fusion), but a ranking does not say whether its first is any good: a question in
 * other words than the notes' has a first place by words, too. See docs/second-brain-retrieval.md for the figures.
 */
interface Signals {
  /** 0 to 1; 0 where no word stands. */
  readonly words: number;
  /** Undefined where there is no vector. */
  readonly cosine: number | undefined;
}

/** What words count for: little where at most so many stand together in one passage, much from so many on. */
const LITTLE = { share: 0.25, together: 2 };
const MUCH = { share: 0.7, together: 6 };

/** `together`: how many words of the question stand in the passage that has most. */
export function shareOfWords(together: number): number {
  const along = (together - LITTLE.together) / (MUCH.together - LITTLE.together);
  return LITTLE.share + (MUCH.share - LITTLE.share) * Math.min(1, Math.max(0, along));
}

/** `usual`: the cosine of texts that have nothing to do with each other, which is another one for every model. */
export function fuse({ words, cosine }: Signals, share: number, usual: number): number {
  const meaning = Math.max(0, ((cosine ?? usual) - usual) / Math.max(0.1, 1 - usual));
  return share * words + (1 - share) * Math.min(1, meaning);
}

/** Each further passage of a note counts less: other notes have something to say, too. */
const AGAIN = 0.8;

/** Best first. */
export function spread<Ranked extends { readonly score: number }>(
  ranked: readonly Ranked[],
  noteOf: (ranked: Ranked) => string,
): Ranked[] {
  const seen = new Map<string, number>();
  return [...ranked]
    .sort((a, b) => b.score - a.score)
    .map((entry) => {
      const before = seen.get(noteOf(entry)) ?? 0;
      seen.set(noteOf(entry), before + 1);
      return { ...entry, score: entry.score * AGAIN ** before };
    })
    .sort((a, b) => b.score - a.score);
}

interface HybridSearch extends KeywordSearch {
  readonly meaning: SemanticIndex;
  /** Of the question. */
  readonly vector: Float32Array;
  readonly mounts: Mounts;
  readonly library: Library;
}

/** From each ranking, for each passage wanted. */
const RANKED_PER_PASSAGE = 3;
const FEWEST_RANKED = 50;
/** A note may have changed since its passages were embedded: then the next one is shown. */
const SPARE = 5;
/** Of the passages with the best words, those whose words are counted. */
const COUNTED = 5;

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
  const best = spread(ranked, ({ sourcePath }) => sourcePath).slice(0, limit + SPARE);
  const passages = await shownPassages(best, { ...search, known, question });
  return {
    passages: passages.slice(0, limit),
    total: totalOf(words.total, near, passages),
    modeUsed: mode,
  };
}

const NOTHING: KeywordHits = { passages: [], total: 0 };

interface RankedCandidate {
  readonly hash: string;
  readonly sourcePath: string;
  readonly score: number;
}

/** What words found, by the hash of the passage. */
type PassageLookup = ReadonlyMap<string, RankedPassage>;

/** The notes of the scope; undefined when every note will do. */
async function acceptedBy(
  scope: SearchScope,
  { library, options }: HybridSearch,
): Promise<((sourcePath: string) => boolean) | undefined> {
  if (isWholeLibrary(scope)) return undefined;
  const { onWarning: _, ...asking } = options;
  const paths = new Set((await library.notes(scope, asking)).map(({ sourcePath }) => sourcePath));
  return (sourcePath) => paths.has(sourcePath);
}

async function passagesFound({ passages }: KeywordHits, most: number): Promise<PassageLookup> {
  const ranked = await Promise.all(passages.slice(0, most).map(rankedPassage));
  return new Map(ranked.map((each) => [each.passage.hash, each]));
}

function byMeaning(near: readonly SemanticHits[]): RankedCandidate[] {
  return near.map(({ hash, sourcePath, cosine }) => ({ hash, sourcePath, score: Math.min(1, cosine) }));
}

function byBoth(
  near: readonly SemanticHits[],
  known: PassageLookup,
  { meaning, vector, question }: HybridSearch & { readonly question: Question },
): RankedCandidate[] {
  const usual = meaning.usualCosine(vector);
  const coverages = [...known.values()].slice(0, COUNTED).map(({ coverage }) => coverage);
  const share = shareOfWords(Math.max(0, ...coverages) * question.words.length);
  const scored = (hash: string, sourcePath: string, cosine: number | undefined): RankedCandidate => {
    const words = known.get(hash)?.score ?? 0;
    return { hash, sourcePath, score: fuse({ words, cosine }, share, usual) };
  };
  return [
    ...near.map(({ hash, sourcePath, cosine }) => scored(hash, sourcePath, cosine)),
    ...[...known]
      .filter(([hash]) => !near.some((one) => one.hash === hash))
      .map(([hash, { passage }]) => scored(hash, passage.sourcePath, meaning.cosine(vector, hash))),
  ].filter(({ score }) => score > 0);
}

interface PassageView extends HybridSearch {
  readonly known: PassageLookup;
  readonly question: Question;
}

async function shownPassages(
  ranked: readonly RankedCandidate[],
  showing: PassageView,
): Promise<RankedPassage[]> {
  const { known, question, meaning, vector } = showing;
  const shown = await Promise.all(
    ranked.map(async ({ hash, score, sourcePath }) => {
      const passage = known.get(hash)?.passage ?? (await passageWith(hash, sourcePath, showing));
      if (!passage) return [];
      const cosine = meaning.cosine(vector, hash);
      const coverage = coverageOf(passage, question);
      return [{ passage, score, coverage, cosine }];
    }),
  );
  return shown.flat();
}

/** Undefined when the note has changed or gone, or cannot be read. */
async function passageWith(
  hash: string,
  sourcePath: string,
  { mounts, reader, options }: PassageView,
): Promise<Passage | undefined> {
  const place = mounts.find(sourcePath);
  const unread = (error: unknown) => {
    if (!isAppError(error)) throw error;
    options.onWarning?.(`Notes found by meaning could not be read: ${error.title}.`);
    return undefined;
  };
  // Far notes are read anew, since their vectors may be older than the last change.
  const note = place && (await reader.read(place.source, place.path, Number.NaN).catch(unread));
  return (await note?.passages())?.find((passage) => passage.hash === hash);
}

/** Notes with words of the question, and those found by meaning that have none of them. */
function totalOf(byWords: number, near: readonly SemanticHits[], shown: readonly RankedPassage[]): number {
  if (byWords === 0) return new Set(near.map(({ sourcePath }) => sourcePath)).size;
  const wordless = shown.filter(({ coverage }) => coverage === 0).map(({ passage }) => passage.sourcePath);
  return byWords + new Set(wordless).size;
}
