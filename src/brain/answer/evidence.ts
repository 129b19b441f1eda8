/** Whether what was found can carry an answer at all. Where it cannot, nothing is written and no model is asked. */
import type { RankedPassage } from '../types.ts';
import { factsOf } from './facts.ts';

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

/** What an answer must hold to be one: who asks when wants a date, who asks how many wants a number. */

const WHEN =
  /^\W*(?:(?:and|so|but|by|since|until|till|from)\s+)?(?:when|what (?:date|day|time|year)|on (?:what|which) (?:date|day)|wann|quand|cuándo)\b/i;
const HOW_MANY =
  /^\W*(?:and\s+|so\s+)?(?:how (?:many|much|long|often|old|big|large|far|high)|wie ?(?:viele?|lange|oft|hoch)|combien|cuánt[oa]s?)\b/i;
const TIME_WORDS =
  /\b(?:today|tomorrow|yesterday|tonight|daily|weekly|monthly|yearly|(?:next|last|every|end of) \p{L}+|q[1-4]|heute|morgen|gestern|täglich)\b/iu;
const AMOUNT_WORDS =
  /\b(?:no|none|one|once|twice|all|half|dozens?|hundreds?|thousands?|several|many|few|daily|weekly|monthly|yearly)\b/i;

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
