/** Whether what was found can carry an answer at all. Where it cannot, nothing is written and no model is asked. */
import type { RankedPassage } from '../types.ts';

/**
 * Chosen on the labelled questions of bench/quality/memory: below it lie passages that are near a question for the one
 * word they share with it. Who asks for the password of the wifi is not answered by its name.
 */
const LEAST_COSINE = 0.5;
/** Share of the question's words with meaning in one passage. */
const LEAST_COVERAGE = 0.6;

/** Of passages or single sentences. */
export function isEnough(evidence: readonly Pick<RankedPassage, 'cosine' | 'coverage'>[]): boolean {
  return evidence.some(({ cosine = 0, coverage }) => coverage >= LEAST_COVERAGE || cosine >= LEAST_COSINE);
}

/** 0 to 1: how well the best passage fits the question. */
export function strengthOf(evidence: readonly RankedPassage[]): number {
  const strengths = evidence.map(({ cosine, coverage }) => cosine ?? coverage);
  return Math.min(1, Math.max(0, ...strengths));
}
