/** Judges whether passages suffice for an answer. When they do not, no model is called and nothing is answered. */
import type { RankedPassage } from '../types.ts';
import { factsOf } from './facts.ts';

/**
 * Chosen on the labelled questions of bench/quality/memory: passages below it resemble a question only for one word
 * they share, as the name of the wifi resembles a question for its password.
 */
const LEAST_COSINE = 0.5;
/** Least share of the question's content words in one passage. */
const LEAST_COVERAGE = 0.6;

/** Takes passages or single sentences. */
export function isEnough(evidence: readonly Pick<RankedPassage, 'cosine' | 'coverage'>[]): boolean {
  return evidence.some(({ cosine = 0, coverage }) => coverage >= LEAST_COVERAGE || cosine >= LEAST_COSINE);
}

/** 0 to 1: how well the best passage fits the question. */
export function strengthOf(evidence: readonly RankedPassage[]): number {
  const strengths = evidence.map(({ cosine, coverage }) => cosine ?? coverage);
  return Math.min(1, Math.max(0, ...strengths));
}

const WHEN =
  /^\W*(?:(?:and|so|but|by|since|until|till|from)\s+)?(?:when|what (?:date|day|time|year)|on (?:what|which) (?:date|day)|wann|quand|cuándo)\b/i;
const HOW_MANY =
  /^\W*(?:and\s+|so\s+)?(?:how (?:many|much|long|often|old|big|large|far|high)|wie ?(?:viele?|lange|oft|hoch)|combien|cuánt[oa]s?)\b/i;
const TIME_WORDS =
  /\b(?:today|tomorrow|yesterday|tonight|daily|weekly|monthly|yearly|(?:next|last|every|end of) \p{L}+|q[1-4]|heute|morgen|gestern|täglich)\b/iu;
const AMOUNT_WORDS =
  /\b(?:no|none|one|once|twice|all|half|dozens?|hundreds?|thousands?|several|many|few|daily|weekly|monthly|yearly)\b/i;

/** A "when" question needs an answer with a date, a "how many" question one with a number. */
export function meetsExpectation(question: string, answers: readonly string[]): boolean {
  const wantsTime = WHEN.test(question);
  if (!wantsTime && !HOW_MANY.test(question)) return true;
  return answers.some((answer) => {
    const { dates, months, weekdays, numbers } = factsOf(answer);
    if (numbers.size > 0) return true;
    return wantsTime
      ? dates.size + months.size + weekdays.size > 0 || TIME_WORDS.test(answer)
      : AMOUNT_WORDS.test(answer) || TIME_WORDS.test(answer);
  });
}
