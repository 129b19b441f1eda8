/**
 * How likely the first citation of an answer is right: logistic regression on two things that are known of the sentences
 * found. Fitted on the odd half of the questions of bench/quality/conversations.mjs; `npm run bench:grounded` says how
 * well it holds for the other half.
 */
import type { ScoredSentence } from './extractive.ts';

const INTERCEPT = -1.09;
const OF_LEAD = 2.29;
const OF_WORDS = 1.86;

/** Takes the sentences that may answer, best first. 0 to 1. */
export function confidenceOf([best, ...others]: readonly ScoredSentence[]): number {
  if (!best) return 0;
  const rival = others.find(({ source }) => source.passage.sourcePath !== best.source.passage.sourcePath);
  const lead = Math.min(1, best.score - (rival?.score ?? 0));
  return 1 / (1 + Math.exp(-(INTERCEPT + OF_LEAD * lead + OF_WORDS * best.replied)));
}
