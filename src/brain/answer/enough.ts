/** Whether what was found can carry an answer at all. Where it cannot, nothing is written and no model is asked. */
import type { RankedPassage } from '../types.ts';

/** Questions and passages about the same thing lie above it, others below (governed-plane.md, section 4). */
const LEAST_COSINE = 0.42;
/** Without vectors: share of the question's words with meaning in one passage. */
const LEAST_COVERAGE = 0.6;

/** Of passages or single sentences. */
export function isEnough(evidence: readonly Pick<RankedPassage, 'cosine' | 'coverage'>[]): boolean {
  return evidence.some(({ cosine, coverage }) =>
    cosine === undefined ? coverage >= LEAST_COVERAGE : cosine >= LEAST_COSINE,
  );
}

/** 0 to 1: how well the best passage fits the question. */
export function strengthOf(evidence: readonly RankedPassage[]): number {
  const strengths = evidence.map(({ cosine, coverage }) => cosine ?? coverage);
  return Math.min(1, Math.max(0, ...strengths));
}
