/** An answer without a model: the notes' own sentences, the best and least alike of them, word for word. */

import { contentWords, shareOf } from '../../notes/text/analyzer.ts';
import { idf, saturation } from '../../notes/text/bm25.ts';
import { pathWords } from '../retrieve/keyword-search.ts';
import type { RankedPassage, Retriever } from '../types.ts';
import { type PassageSentence, passageSentences } from './sentences.ts';

/** Sentences by the question's words, as BM25 weighs them among each other. */

interface KeywordSentence extends PassageSentence {
  /** 0 for none of the words; higher is better, beside the other sentences. */
  readonly score: number;
  readonly words: ReadonlySet<string>;
  /** Share of the question's words that stand in it or in the headings over it, 0 to 1. */
  readonly coverage: number;
}

/** What stands in the heading is said of the sentence too, but less. */
const HEADING_WEIGHT = 0.5;
const LEAST_LENGTH = 0.5;

/** Best first; equals as they come. */
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
      // What is hardly a sentence is not good for being short.
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
  /** Of question and sentence, where there is an embedder. */
  readonly cosine?: number;
}

const COSINE_WEIGHT = 0.6;
const LEAST_SCORE = 0.3;
const MOST_SENTENCES = 6;
/** Any two sentences are that much alike. */
const LEAST_COSINE = 0.2;
/** From here on a sentence may be about the question without any of its words. */
const SAME_MEANING = 0.42;
/** What is shorter and only stands under the right heading says nothing by itself. */
const LEAST_WORDS = 3;
/** How much being good counts against being like what is there already (MMR). */
const LAMBDA = 0.7;
/** Each is embedded for the question: that takes time. */
const MOST_CANDIDATES = 48;

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
  const sentences = evidence.flatMap(passageSentences).filter(({ text }) => !/[?？]\W*$/.test(text));
  const wanted = contentWords(question);
  const candidates = byKeywords(question, sentences).slice(0, MOST_CANDIDATES);
  const keyword = stretched(candidates.map(({ score }) => score));
  const cosines = await similarity(
    question,
    candidates.map(({ text }) => text),
  );
  const cosine = cosines && stretched(cosines.map((one) => one - LEAST_COSINE));
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

/** Stretched to 1, from 0 or from what is below it: of two good ones the second is not worth nothing. */
function stretched(values: readonly number[]): number[] {
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
