/** Judges whether passages or sentences are near enough to a question to answer it. */
import type { RankedPassage } from '../types.ts';

/**
 * Chosen on the labelled questions of bench/quality/memory: passages below it resemble a question only for one word
 * they share, as the name of the wifi resembles a question for its password.
 */
const LEAST_COSINE = 0.5;
/** Least share of the question's content words in one passage. */
const LEAST_COVERAGE = 0.5;

type Nearness = Pick<RankedPassage, 'cosine' | 'coverage'>;

export function isEnough(evidence: readonly Nearness[]): boolean {
  return evidence.some(({ coverage }) => coverage >= LEAST_COVERAGE) || isNearInMeaning(evidence);
}

export function isNearInMeaning(evidence: readonly Nearness[]): boolean {
  return evidence.some(({ cosine = 0 }) => cosine >= LEAST_COSINE);
}
