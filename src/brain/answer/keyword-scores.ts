/** Sentences by the question's words, as BM25 weighs them among each other. */
import { pathWords } from '../path-words.ts';
import { contentWords, shareOf } from '../words.ts';
import type { Sentence } from './sentences.ts';

export interface KeywordSentence extends Sentence {
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
export function byKeywords(question: string, sentences: readonly Sentence[]): KeywordSentence[] {
  const wanted = [...new Set(contentWords(question))];
  const counted = sentences.map((sentence) => ({
    sentence,
    words: contentWords(sentence.text),
    headings: headingWords(sentence),
  }));
  const all = counted.length;
  const average = counted.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, all);
  const weights = wanted.map((word) =>
    rarity(counted.filter(({ words }) => words.includes(word)).length, all),
  );
  return counted
    .map(({ sentence, words, headings }) => {
      // What is hardly a sentence is not good for being short.
      const length = Math.max(LEAST_LENGTH, words.length / Math.max(1, average));
      const scores = wanted.map((word, at) => {
        const count = words.filter((one) => one === word).length + (headings.has(word) ? HEADING_WEIGHT : 0);
        return (weights[at] ?? 0) * saturated(count, length);
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

function headingWords({ source: { passage } }: Sentence): ReadonlySet<string> {
  return new Set(contentWords([pathWords(passage.sourcePath), passage.title, ...passage.headings].join(' ')));
}

/** Never below zero. */
function rarity(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

function saturated(count: number, relativeLength: number): number {
  return (count * 2.2) / (count + 1.2 * (0.25 + 0.75 * relativeLength));
}
