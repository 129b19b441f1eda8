/** Whether what was found can carry an answer at all. Where it cannot, nothing is written and no model is asked. */
import type { RankedPassage } from '../types.ts';

/** Questions and passages about the same thing lie above it, others below (governed-plane.md, section 4). */
const LEAST_COSINE = 0.42;
/** Without vectors: share of the question's words with meaning in one passage. */
const LEAST_COVERAGE = 0.6;

/**
 * A passage that shares some words with the question is near it for that alone, although it says nothing of the
 * others: who asks for the password of the wifi is not answered by its name.
 */
const NEARER_BY_WORDS = 0.16;

/** Of passages or single sentences. */
export function isEnough(evidence: readonly Pick<RankedPassage, 'cosine' | 'coverage'>[]): boolean {
  return evidence.some(({ cosine, coverage }) => {
    if (cosine === undefined) return coverage >= LEAST_COVERAGE;
    return cosine >= LEAST_COSINE + (coverage < LEAST_COVERAGE ? coverage * NEARER_BY_WORDS : 0);
  });
}

/** 0 to 1: how well the best passage fits the question. */
export function strengthOf(evidence: readonly RankedPassage[]): number {
  const strengths = evidence.map(({ cosine, coverage }) => cosine ?? coverage);
  return Math.min(1, Math.max(0, ...strengths));
}
