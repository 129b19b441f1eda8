/**
 * The names and numbers of a question. A question about someone or something that no note mentions has no answer in the
 * notes, however well its other words fit.
 */
import { isStopWord, questionOf, wordsIn } from '../../notes/text/analyzer.ts';
import { isMeasureWord } from './facts.ts';

/** In other languages words begin with capitals for other reasons, and "was" begins questions too. */
const ENGLISH =
  /\S\s.*\b(?:the|of|is|are|did|does|do|my|our|their|his|has|have|been|you|we|they|that|this|with|for|from|by|on|it|to|a)\b/i;
const ENGLISH_QUESTION =
  /^\W*(?:(?:and|so|but|then)\s+)?(?:who|whom|whose|what|when|where|which|why|how)(?:['’]s)?\s\S+\s/i;
const QUESTION =
  /^\W*(?:(?:and|so|but|then|please)\s+)?(?:(?:tell|show|give|remind) me|who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b/i;
/** Words for the answer itself, which has a number, a name or a price and need not say so. */
const OF_ANSWER =
  /\b(?:numbers?|names?|dates?|prices?|costs?|(?<=^\W*(?:\w+\s+)?how\s+)(?:far|long|often))\b/gi;
const TOKEN = /\p{L}[\p{L}\p{M}\p{N}]*|\d{2,}/gu;

/** Each once, as it is written. Months, weekdays and the first word are none. */
export function namesIn(question: string): string[] {
  if (!isEnglish(question)) return [];
  const [, ...tokens] = question.match(TOKEN) ?? [];
  const isName = (token: string) =>
    /^[\p{Lu}\d]/u.test(token) && wordsIn(token).every((word) => !isStopWord(word) && !isMeasureWord(word));
  return [...new Set(tokens.filter(isName))];
}

/**
 * The names, and the other words that tell what an English question is for, folded: it may have no answer when no note
 * has one of them. Which words tell that is not known of other languages.
 */
export function wordsToLookUp(question: string): string[] {
  if (!isEnglish(question)) return [];
  const names = namesIn(question);
  const known = new Set(names.flatMap(wordsIn));
  const ofAnswer = new Set(question.match(OF_ANSWER)?.map((word) => word.toLowerCase()));
  const isTelling = (word: string) =>
    !ofAnswer.has(word) && !known.has(word) && !isStopWord(word) && !isMeasureWord(word);
  return [...names, ...questionOf(question).words.filter(isTelling)];
}

export function isEnglish(question: string): boolean {
  return ENGLISH_QUESTION.test(question) || (QUESTION.test(question) && ENGLISH.test(question));
}
