/** An answer without a model: the notes' own sentences, the best and least alike of them, word for word. */
import type { RankedPassage, Retriever } from '../types.ts';
import { contentWords, shareOf } from '../words.ts';
import { type Sentence, sentencesOf } from './sentences.ts';

export interface ScoredSentence extends Sentence {
  /** 0 to 1, beside the other sentences of the same question. */
  readonly score: number;
  readonly words: ReadonlySet<string>;
}

const COSINE_WEIGHT = 0.6;
const LEAST_SCORE = 0.3;
const MOST_SENTENCES = 6;
/** How much being good counts against being like what is there already (MMR). */
const LAMBDA = 0.7;
/** Each is embedded for the question: that takes time. */
const MOST_CANDIDATES = 48;
/** What stands in the heading is said of the sentence too, but less. */
const HEADING_WEIGHT = 0.5;

/** In the order of their sources: the best note first, and each from top to bottom. */
export function pickSentences(scored: readonly ScoredSentence[]): ScoredSentence[] {
  return inOrderOfSources(diverse(scored.filter(({ score }) => score >= LEAST_SCORE)));
}

/** Best first. */
export async function scoreSentences(
  question: string,
  evidence: readonly RankedPassage[],
  similarity: Retriever['similarity'],
): Promise<ScoredSentence[]> {
  // A question in a note answers nothing.
  const sentences = evidence.flatMap(sentencesOf).filter(({ text }) => !/[?？]\W*$/.test(text));
  const candidates = withKeywordScores(question, sentences).slice(0, MOST_CANDIDATES);
  const keyword = minMax(candidates.map(({ score }) => score));
  const cosines = await similarity(
    question,
    candidates.map(({ text }) => text),
  );
  const cosine = cosines && minMax(cosines);
  return candidates
    .map((candidate, at) => ({
      ...candidate,
      score: cosine
        ? COSINE_WEIGHT * (cosine[at] ?? 0) + (1 - COSINE_WEIGHT) * (keyword[at] ?? 0)
        : (keyword[at] ?? 0),
    }))
    .sort((a, b) => b.score - a.score);
}

/** Best first; equals as they come, which is the rank of their passages. */
function withKeywordScores(question: string, sentences: readonly Sentence[]): ScoredSentence[] {
  const wanted = [...new Set(contentWords(question))];
  const texts = sentences.map(({ text }) => contentWords(text));
  const average = Math.max(
    1,
    texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length),
  );
  const headings = sentences.map(
    ({ source: { passage } }) => new Set(contentWords([passage.title, ...passage.headings].join(' '))),
  );
  const weights = new Map(
    wanted.map((word) => [word, rarity(texts.filter((words) => words.includes(word)).length, texts.length)]),
  );
  return sentences
    .map((sentence, at) => {
      const words = texts[at] ?? [];
      const termScore = (word: string) => {
        const count =
          words.filter((one) => one === word).length + (headings[at]?.has(word) ? HEADING_WEIGHT : 0);
        return (weights.get(word) ?? 0) * saturated(count, words.length / average);
      };
      return {
        ...sentence,
        words: new Set(words),
        score: wanted.reduce((sum, word) => sum + termScore(word), 0),
      };
    })
    .sort((a, b) => b.score - a.score);
}

/** BM25's, never below zero. */
function rarity(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

function saturated(count: number, relativeLength: number): number {
  return (count * 2.2) / (count + 1.2 * (0.25 + 0.75 * relativeLength));
}

/** Stretched from 0 to 1; when all are alike, each is as good as the best, unless there is nothing to them. */
function minMax(values: readonly number[]): number[] {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (most > least) return values.map((value) => (value - least) / (most - least));
  return values.map((value) => (value > 0 ? 1 : 0));
}

function diverse(candidates: readonly ScoredSentence[]): ScoredSentence[] {
  const left = [...candidates];
  const picked: ScoredSentence[] = [];
  while (left.length > 0 && picked.length < MOST_SENTENCES) {
    const worth = left.map(
      (one) =>
        LAMBDA * one.score - (1 - LAMBDA) * Math.max(0, ...picked.map((other) => likeness(one, other))),
    );
    const [best] = left.splice(worth.indexOf(Math.max(...worth)), 1);
    if (best && !picked.some((other) => likeness(best, other) === 1)) picked.push(best);
  }
  return picked;
}

/** Of their words; 1 for the same said twice. */
function likeness(a: ScoredSentence, b: ScoredSentence): number {
  return Math.min(shareOf(a.words, b.words), shareOf(b.words, a.words));
}

function inOrderOfSources(sentences: readonly ScoredSentence[]): ScoredSentence[] {
  const best = new Map<string, number>();
  for (const { source, score } of sentences)
    best.set(source.passage.sourcePath, Math.max(best.get(source.passage.sourcePath) ?? 0, score));
  const paths = [...best].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([path]) => path);
  return [...sentences].sort(
    (a, b) =>
      paths.indexOf(a.source.passage.sourcePath) - paths.indexOf(b.source.passage.sourcePath) ||
      a.span.start - b.span.start,
  );
}
