/**
 * Makes an answer from evidence with the first of these that is available: the configured model, the client's model,
 * sentences of the notes. When a model fails, the answer is extractive.
 */
import type { ChatAnswer, ChatModel } from '../../llm/types.ts';
import { isAppError } from '../../shared/errors.ts';
import type { RankedPassage, Retriever } from '../types.ts';
import { type AnswerKind, hasKind, kindOf } from './answer-kind.ts';
import { claimsIn } from './claims.ts';
import { type ExtendedSentence, extended } from './extension.ts';
import { pickSentences, type ScoredSentence, tellingWords } from './extractive.ts';
import { type JudgedClaim, judgeClaim, MIN_SUPPORT } from './gate.ts';
import { type Budget, NO_ANSWER, promptFor } from './prompt.ts';
import { placeOf } from './sentences.ts';
import { subjectsOf } from './subjects.ts';

export type AnswerMode = 'extractive' | 'provider' | 'sampling';

export interface Models {
  /** The configured model. */
  readonly provider?: ChatModel;
  /** The connected client's model, where the client offers sampling and the configuration allows it. */
  readonly sampling?: ChatModel;
}

export interface Synthesis {
  readonly modeUsed: AnswerMode;
  /** The name the model reports. */
  readonly model?: string;
  readonly claims: readonly JudgedClaim[];
  /** The model says that the notes do not answer. */
  readonly isDeclined: boolean;
  readonly warnings: readonly string[];
}

/** A question and its evidence. */
export interface Inquiry {
  readonly question: string;
  /** Best first. */
  readonly evidence: readonly RankedPassage[];
  /** The sentences of the evidence about those whom the question names, best first. */
  readonly sentences: readonly ScoredSentence[];
  readonly similarity: Retriever['similarity'];
  readonly signal?: AbortSignal;
}

interface SynthesisOptions {
  readonly budget: Budget;
  readonly models: Models;
  readonly minSupport?: number;
}

export async function synthesize(inquiry: Inquiry, options: SynthesisOptions): Promise<Synthesis> {
  const { provider, sampling } = options.models;
  const model = provider ?? sampling;
  if (!model) return extracted(inquiry);
  const { question, evidence, signal } = inquiry;
  const { request, shown } = promptFor(question, evidence, options.budget);
  if (shown.length === 0)
    return extracted(inquiry, ['No note fits the prompt. These are sentences of the notes.']);
  let answer: ChatAnswer;
  try {
    answer = await model.complete(request, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return extracted(inquiry, [failureWarning(error)]);
  }
  const modeUsed = provider ? 'provider' : 'sampling';
  return { modeUsed, model: answer.model, ...(await gated(answer, shown, inquiry, options.minSupport)) };
}

/** Verbatim sentences of the kind that is asked for, each supported by itself. */
export function extracted({ question, sentences }: Inquiry, warnings: readonly string[] = []): Synthesis {
  const kind = kindOf(question);
  const telling = tellingWords(question, subjectsOf(question, new Set()));
  const whole = sentences.map((sentence) => extended(sentence, kind, telling));
  const claims = pickSentences(ofKind(kind, whole)).map((sentence) => ({
    text: attributed(sentence),
    support: 1,
    places: sentence.spans.map((span) => ({ source: sentence.source, span })),
  }));
  return { modeUsed: 'extractive', claims, isDeclined: false, warnings };
}

/** Least share of the best sentence's words for one that has the kind, where the best one does not. */
const LEAST_BESIDE = 0.5;

/** A date far from what is asked is no answer to "when". */
function ofKind(
  kind: AnswerKind | undefined,
  sentences: readonly ExtendedSentence[],
): readonly ExtendedSentence[] {
  if (kind === undefined) return sentences;
  const least = LEAST_BESIDE * Math.max(0, ...sentences.map(({ coverage }) => coverage));
  return sentences.filter(
    (sentence) => sentence.coverage >= least && hasKind(kind, sentence.text, placeOf(sentence)),
  );
}

/** Says who says it, where that stands further ahead. */
function attributed({ speaker, text }: ScoredSentence): string {
  return speaker === undefined || text.startsWith(`${speaker}:`) ? text : `${speaker}: ${text}`;
}

async function gated(
  { text, stopReason }: ChatAnswer,
  shown: readonly RankedPassage[],
  { similarity }: Inquiry,
  minSupport = MIN_SUPPORT,
): Promise<Pick<Synthesis, 'claims' | 'isDeclined' | 'warnings'>> {
  const isDeclined = text.includes(NO_ANSWER);
  const written = isDeclined ? [] : claimsIn(text);
  // A truncated sentence may say the opposite of what was meant.
  const whole = stopReason === 'length' ? written.slice(0, -1) : written;
  const claims: JudgedClaim[] = [];
  for (const claim of whole) claims.push(await judgeClaim(claim, shown, { minSupport, similarity }));
  const warnings = stopReason === 'length' ? ['The model was cut off: its last sentence is left out.'] : [];
  return { claims, isDeclined, warnings };
}

/** Texts of an AppError hold neither key nor prompt; texts of other errors are not shown. */
function failureWarning(error: unknown): string {
  const reason = isAppError(error) ? ` (${[error.title, error.hint].filter(Boolean).join('. ')})` : '';
  return `The model could not be used${reason}. These are sentences of the notes.`;
}
