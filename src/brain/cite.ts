/** Citations of what an answer rests on: a place in a passage, or what of it fits a question best. */
import { questionOf } from '../notes/words/question.ts';
import { citationWithin } from './answer/citation-within.ts';
import type { Cite } from './answer/citations.ts';
import { citationOf } from './citation.ts';

export function createCite(retrievedAt: string): Cite {
  return ({ passage, score }, where) => {
    const facts = { score: rounded(score), retrievedAt };
    return typeof where === 'string'
      ? citationOf(passage, questionOf(where), { ...facts, index: 0 })
      : citationWithin(passage, where, facts);
  };
}

export function rounded(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000;
}
