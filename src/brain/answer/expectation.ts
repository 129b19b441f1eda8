/** What an answer must hold to be one: who asks when wants a date, who asks how many wants a number. */
import { factsOf } from './facts.ts';

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
