/**
 * The names and numbers of a question. A question about someone or something that no note mentions has no answer in the
 * notes, however well its other words fit.
 */
import { isStopWord, wordsIn } from '../../notes/text/analyzer.ts';
import { isMeasureWord } from './facts.ts';

/** In other languages words begin with capitals for other reasons, and "was" begins questions too. */
const ENGLISH =
  /\S\s.*\b(?:the|of|is|are|did|does|do|my|our|their|his|has|have|been|you|we|they|that|this|with|for|from|by|on|it|to|a)\b/i;
const QUESTION =
  /^\W*(?:(?:and|so|but|then)\s+)?(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b/i;
const TOKEN = /\p{L}[\p{L}\p{M}\p{N}]*|\d{2,}/gu;

/** Each once, as it is written. Months, weekdays and the first word are none. */
export function namesIn(question: string): string[] {
  if (!QUESTION.test(question) || !ENGLISH.test(question)) return [];
  const [, ...tokens] = question.match(TOKEN) ?? [];
  const isName = (token: string) =>
    /^[\p{Lu}\d]/u.test(token) && wordsIn(token).every((word) => !isStopWord(word) && !isMeasureWord(word));
  return [...new Set(tokens.filter(isName))];
}
