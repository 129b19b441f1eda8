/**
 * The kind of answer that a question wants: a time, an amount, a person, a place, a reason. What a line must have for it
 * is little, because a line that has less cannot answer, and one that has it need not.
 */
import { isStopWord, wordsIn } from '../../notes/text/analyzer.ts';
import { factsOf, isMeasureWord } from './facts.ts';

export type AnswerKind = 'a time' | 'an amount' | 'a person' | 'a place' | 'a reason';

const BEGINNING = String.raw`^\W*(?:(?:and|so|but|then|by|since|until|till|from|to|at|with|for|about)\s+)?`;
/** Further languages only where their answers are known, too: numbers and dates. */
const KINDS: readonly (readonly [AnswerKind, RegExp])[] = [
  [
    'a time',
    /(?:when|what (?:date|day|time|year|month)|(?:on|in) (?:what|which) (?:date|day|year|month)|wann|quand|cuándo)\b/,
  ],
  [
    'an amount',
    /(?:how (?:many|much|long|often|old|big|large|far|high|tall)|wie ?(?:viele?|lange|oft|hoch)|combien|cuánt[oa]s?)\b/,
  ],
  ['a person', /(?:who|whom|whose)\b/],
  ['a place', /where\b/],
  ['a reason', /(?:why|for what reason)\b/],
].map(
  ([kind, pattern]) =>
    [kind, new RegExp(BEGINNING + (pattern as RegExp).source, 'i')] as [AnswerKind, RegExp],
);

export function kindOf(question: string): AnswerKind | undefined {
  return KINDS.find(([, pattern]) => pattern.test(question))?.[0];
}

const TIME_WORDS =
  /\b(?:today|tomorrow|yesterday|tonight|daily|weekly|monthly|yearly|recently|now|ago|soon|(?:next|last|this|past|every|each|end of) \p{L}+|summer|winter|spring|autumn|fall|morning|evening|weekend|week|month|year|q[1-4]|heute|morgen|gestern|täglich)\b/iu;
const AMOUNT_WORDS =
  /\b(?:no|none|one|once|twice|both|all|half|couple|dozens?|hundreds?|thousands?|several|many|few|always|never|often|since|daily|weekly|monthly|yearly)\b/i;
const PERSON_WORDS =
  /\b(?:i|me|my|we|us|our|he|she|him|her|they|them|someone|everyone|people|person|team|group|company|family|friends?|mom|mum|mother|dad|father|parents?|grand\p{L}+|brothers?|sisters?|sons?|daughters?|kids?|child(?:ren)?|wife|husband|partner|girlfriend|boyfriend|aunt|uncle|cousins?|nephew|niece|neighbou?rs?|colleagues?|boss|doctor|teacher|coach|man|woman|guys?)\b/iu;
const PLACE_WORDS =
  /\b(?:in|at|on|to|from|near|by|inside|outside|under|behind|beside|between|around|through|across|into|onto|over|via|next|here|there|home|upstairs|downstairs|online|abroad)\b|:/i;
const REASON_WORDS =
  /\b(?:because|since|so|to|for|as|due|from|reasons?|why|after|by|if|that|when|makes?|made|helps?|helped|wants?|wanted|needs?|needed|loves?|loved|cause[sd]?|thanks|instead|otherwise|than|too)\b/i;
const CLOCK_TIME = /^\d{1,2}:\d\d$/;
const YEAR = /^(?:19|20)\d\d$/;
const DAY = /^(?:[1-9]|[12]\d|3[01])$/;

/** A number with a unit is no time: "40 minutes" says how long. */
function hasTime(text: string): boolean {
  const { dates, months, weekdays, numbers } = factsOf(text);
  const isTime = ([number, units]: readonly [string, ReadonlySet<string>]) =>
    CLOCK_TIME.test(number) || YEAR.test(number) || (DAY.test(number) && units.has(''));
  return dates.size + months.size + weekdays.size > 0 || [...numbers].some(isTime);
}

/** `of` is what dates the note: its path, title and headings. */
export function hasKind(kind: AnswerKind, text: string, of = ''): boolean {
  switch (kind) {
    case 'a time':
      return hasTime(text) || TIME_WORDS.test(text) || factsOf(of).dates.size > 0;
    case 'an amount':
      return factsOf(text).numbers.size > 0 || AMOUNT_WORDS.test(text) || TIME_WORDS.test(text);
    case 'a person':
      return PERSON_WORDS.test(text) || hasName(text);
    case 'a place':
      return PLACE_WORDS.test(text) || hasName(text);
    case 'a reason':
      return REASON_WORDS.test(text);
  }
}

/** Any capitalized word but those of dates and those that begin every second sentence. */
function hasName(text: string): boolean {
  return (text.match(/[\p{Lu}@][\p{L}\p{M}]*/gu) ?? []).some((token) =>
    wordsIn(token).some((word) => !isStopWord(word) && !isMeasureWord(word)),
  );
}
