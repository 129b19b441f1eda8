/**
 * A sentence of an answer with the one after it, where that one has what was asked for: "Car inspection passed. Next one
 * in November 2028."
 */
import type { Range } from '../../notes/markdown/regions.ts';
import { type AnswerKind, hasKind } from './answer-kind.ts';
import { LONGEST_QUOTE } from './citations.ts';
import type { ScoredSentence } from './extractive.ts';
import { placeOf } from './sentences.ts';

/** The most bytes of both together. */
const MOST_BYTES = 300;
const OPENS_REASON = /^\W*(?:reasons?|because)\b/i;

export interface ExtendedSentence extends ScoredSentence {
  /** What is cited: the whole, or each sentence, where a quote cannot show both. */
  readonly spans: readonly Range[];
}

/** `telling` are stems of the question, those of names left out. */
export function extended(
  sentence: ScoredSentence,
  kind: AnswerKind | undefined,
  telling: readonly string[],
): ExtendedSentence {
  const { next, text, span } = sentence;
  const alone = { ...sentence, spans: [span] };
  if (next === undefined || !next.isAbout) return alone;
  const addsWord = telling.some((word) => next.words.has(word) && !sentence.words.has(word));
  if (!addsWord && !addsKind(sentence, next.text, kind)) return alone;
  const both = `${text} ${next.text}`;
  if (Buffer.byteLength(both) > MOST_BYTES) return alone;
  const whole = { start: span.start, end: next.span.end };
  const spans = isQuotable(sentence, whole) ? [whole] : [span, next.span];
  return { ...sentence, text: both, span: whole, spans };
}

function isQuotable({ source: { passage } }: ScoredSentence, { start, end }: Range): boolean {
  const quote = passage.text.slice(start - passage.span.start, end - passage.span.start);
  return Buffer.byteLength(quote) <= LONGEST_QUOTE;
}

function addsKind(sentence: ScoredSentence, next: string, kind: AnswerKind | undefined): boolean {
  if (kind === undefined) return false;
  if (kind === 'a reason' && OPENS_REASON.test(next)) return true;
  return hasKind(kind, next) && !hasKind(kind, sentence.text, placeOf(sentence));
}
