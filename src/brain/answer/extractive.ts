/** Extractive answers, without a model: the best sentences of the notes verbatim, ranked by BM25 and cosine, picked by MMR. */

import { contentWords, shareOf } from '../../notes/text/analyzer.ts';
import { idf, saturation } from '../../notes/text/bm25.ts';
import { pathWords } from '../retrieve/keyword-search.ts';
import type { RankedPassage, Retriever } from '../types.ts';
import { type PassageSentence, passageSentences } from './sentences.ts';

interface KeywordSentence extends PassageSentence {
  /** BM25 among the sentences; 0 when it has no word of the question. */
  readonly score: number;
  readonly words: ReadonlySet<string>;
  /** Share of the question's words that are in the sentence or in the headings over it, 0 to 1. */
  readonly coverage: number;
}

/** A heading's words count for the sentences under it, with less weight. */
const HEADING_WEIGHT = 0.5;
const LEAST_LENGTH = 0.5;

/** Best first; the sort is stable. */
function byKeywords(question: string, sentences: readonly PassageSentence[]): KeywordSentence[] {
  const wanted = [...new Set(contentWords(question))];
  const counted = sentences.map((sentence) => ({
    sentence,
    words: contentWords(sentence.text),
    headings: headingWords(sentence),
  }));
  const all = counted.length;
  const average = counted.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, all);
  const weights = wanted.map((word) => idf(counted.filter(({ words }) => words.includes(word)).length, all));
  return counted
    .map(({ sentence, words, headings }) => {
      // Very short sentences get no length bonus.
      const length = Math.max(LEAST_LENGTH, words.length / Math.max(1, average));
      const scores = wanted.map((word, at) => {
        const count = words.filter((one) => one === word).length + (headings.has(word) ? HEADING_WEIGHT : 0);
        return (weights[at] ?? 0) * saturation(count, length);
      });
      return {
        ...sentence,
        words: new Set(words),
        score: scores.reduce((sum, score) => sum + score, 0),
        coverage: shareOf(wanted, new Set([...words, ...headings])),
      };
    })
    .sort((a, b) => b.score - a.score);
}

function headingWords({ source: { passage } }: PassageSentence): ReadonlySet<string> {
  return new Set(contentWords([pathWords(passage.sourcePath), passage.title, ...passage.headings].join(' ')));
}

export interface ScoredSentence extends KeywordSentence {
  /** Cosine of question and sentence, where there is an embedder. */
  readonly cosine?: number;
}

const COSINE_WEIGHT = 0.6;
const LEAST_SCORE = 0.3;
const MOST_SENTENCES = 6;
/** Cosine of unrelated sentences. */
const LEAST_COSINE = 0.2;
/** From this cosine on, a sentence counts without any word of the question. */
const SAME_MEANING = 0.42;
/** A shorter sentence needs a word of the question itself; the heading's words are not enough. */
const LEAST_WORDS = 3;
/** MMR: weight of relevance against novelty. */
const LAMBDA = 0.7;
/** Each candidate is embedded per question, which takes time. */
const MOST_CANDIDATES = 48;

/** Grouped by note, the best note first, each note's sentences in text order. */
export function pickSentences(scored: readonly ScoredSentence[]): ScoredSentence[] {
  return inOrderOfSources(diverse(scored.filter(({ score }) => score >= LEAST_SCORE)));
}

/** Best first. */
export async function scoreSentences(
  question: string,
  evidence: readonly RankedPassage[],
  similarity: Retriever['similarity'],
): Promise<ScoredSentence[]> {
  // Questions in notes are no answers.
  const sentences = evidence.flatMap(passageSentences).filter(({ text }) => !/[?？]\W*$/.test(text));
  const wanted = contentWords(question);
  const candidates = byKeywords(question, sentences).slice(0, MOST_CANDIDATES);
  const keyword = normalized(candidates.map(({ score }) => score));
  const cosines = await similarity(
    question,
    candidates.map(({ text }) => text),
  );
  const cosine = cosines && normalized(cosines.map((one) => one - LEAST_COSINE));
  return candidates
    .filter(({ score }, at) => score > 0 || (cosines?.[at] ?? 0) >= SAME_MEANING)
    .filter(
      ({ text, words }) => text.split(' ').length >= LEAST_WORDS || wanted.some((word) => words.has(word)),
    )
    .map((candidate, at) => ({
      ...candidate,
      cosine: cosines ? (cosines[at] ?? 0) : undefined,
      score: cosine
        ? COSINE_WEIGHT * (cosine[at] ?? 0) + (1 - COSINE_WEIGHT) * (keyword[at] ?? 0)
        : (keyword[at] ?? 0),
    }))
    .sort((a, b) => b.score - a.score);
}

/** Scales values to 0..1. The scale starts at 0, or at the smallest negative value, so that the lowest of several good values stays above 0. */
function normalized(values: readonly number[]): number[] {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  return values.map((value) => (most > least ? (value - least) / (most - least) : 0));
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

/** Similarity of two sentences by shared words; 1 for the same words. */
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
