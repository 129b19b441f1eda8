/**
 * How much an embedding model counts beside words, measured on the user's own notes: the sentence around a link is a
 * question, and the linked note its answer. Apart for English, for other languages in Latin letters and for other
 * scripts: a model that does not know a language must not push back what its words find.
 */

import { tellingOf } from '../../notes/text/analyzer.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { tokensOf } from '../../notes/text/tokens.ts';
import { readIfText } from '../retrieve/library.ts';
import type { Library } from '../types.ts';
import { figuresOf, measure } from './measure.ts';
import { shuffled, type TestQuestion, testSetOf } from './questions.ts';

/** The model fills places behind all that words find. */
const FILLER = 0.001;
/** From the least on, so that of equals the one nearer to words is taken. */
const SHARES = [FILLER, 0.3, 0.6, 1];
const MOST_NOTES = 500;
/** As many as the vectors of questions that are remembered: each is embedded once. */
const MOST_QUESTIONS = 60;
/** Fewer tell nothing. */
const FEWEST_QUESTIONS = 20;

/** 0 to 1, for a question. */
export type ModelShare = (question: string) => number;

type Find = (query: string, limit: number, share: number) => Promise<readonly string[]>;

/** Bounded: some notes are read, and at most so many questions asked for each share. */
export async function measureShare(library: Library, find: Find): Promise<ModelShare> {
  const some = shuffled(await library.notes({}), ({ sourcePath }) => sourcePath).slice(0, MOST_NOTES);
  const read = [];
  for (const { sourcePath } of some) read.push(await readIfText(library, sourcePath));
  const notes = read.filter((note) => note !== undefined);
  const { questions } = testSetOf(notes, { kinds: ['link'], most: MOST_QUESTIONS });
  const all = await bestShare(questions, find, 1);
  const shares = new Map<string, number>();
  for (const kind of new Set(questions.map(({ text }) => languageKind(text)))) {
    const own = questions.filter(({ text }) => languageKind(text) === kind);
    shares.set(kind, await bestShare(own, find, all));
  }
  return (question) => shares.get(languageKind(question)) ?? all;
}

async function bestShare(questions: readonly TestQuestion[], find: Find, usual: number): Promise<number> {
  if (questions.length < FEWEST_QUESTIONS) return usual;
  let best = { share: usual, ndcg: -1 };
  for (const share of SHARES) {
    const way = { name: String(share), find: (query: string, most: number) => find(query, most, share) };
    const { ndcg10: ndcg } = figuresOf(await measure(way, questions));
    if (ndcg > best.ndcg) best = { share, ndcg };
  }
  return best.share;
}

/** A question in English nearly always has a stop word. */
function languageKind(text: string): string {
  const words = tokensOf(fold(text, SEARCH_FOLDING).text);
  if (!/\p{Script=Latin}/u.test(text)) return 'other script';
  return tellingOf(words).length < words.length ? 'English' : 'Latin';
}
