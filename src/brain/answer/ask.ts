/**
 * `sb_ask`: a quick answer with citations. Claims of a model without support in the notes stay in the answer, marked as
 * such; without any evidence there is no answer.
 */
import type { SearchOptions } from '../../notes/searcher.ts';
import { wordsIn } from '../../notes/text/analyzer.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Citation, RetrievalResult, Retriever, SearchScope } from '../types.ts';
import { type CitePassage, createCitations, marked } from './citations.ts';
import { confidenceOf } from './confidence.ts';
import { conflictIn } from './conflict.ts';
import { scoreSentences } from './extractive.ts';
import type { JudgedClaim } from './gate.ts';
import { namesIn, wordsToLookUp } from './names.ts';
import { type Budget, DEFAULT_BUDGET } from './prompt.ts';
import { nearestOf, type Refusal, refusalOf } from './refusal.ts';
import {
  type AnswerMode,
  extracted,
  type Inquiry,
  type Models,
  type Synthesis,
  synthesize,
} from './synthesize.ts';

export interface QuestionRequest {
  readonly question: string;
  /** How many passages to answer from. */
  readonly topK: number;
  readonly scope: SearchScope;
}

export interface OpenInquiry extends Inquiry {
  /** Why the notes cannot answer. */
  readonly refusal?: Refusal;
  /** Warnings of the search, and of later steps. */
  readonly warnings: string[];
}

export async function openInquiry(
  retriever: Retriever,
  { question: raw, topK, scope }: QuestionRequest,
  options: SearchOptions = {},
): Promise<OpenInquiry> {
  const written = raw.trim();
  if (written === '')
    throw new AppError('invalid_input', 'No question', {
      hint: 'Put the question in words, such as "When is the launch?".',
    });
  const retrieve = (query: string) =>
    retriever.retrieve(
      { query, limit: topK, scope, lookedUp: wordsToLookUp(query), mode: 'hybrid', withFrontmatter: true },
      options,
    );
  const first = await retrieve(written);
  const question = respelledAs(written, first);
  const found = question === written ? first : await retrieve(question);
  const { passages, unknown = [] } = found;
  const warnings = [...found.warnings];
  if (question !== written) warnings.push(`Taken as "${question}".`);
  const similarity = tolerantSimilarity(retriever, warnings, options);
  const sentences = await scoreSentences(question, found, similarity);
  const refusal = refusalOf({ question, passages, unknown, sentences });
  return {
    question,
    evidence: passages,
    sentences: sentences.filter(({ isAbout }) => isAbout),
    similarity,
    refusal,
    warnings,
    signal: options.signal,
  };
}

/** The question with its mistyped words as the notes spell them. A name is a name, however near another one is. */
function respelledAs(question: string, { unknown = [], respelled }: RetrievalResult): string {
  const names = namesIn(question);
  const slips = unknown.filter((word) => respelled?.has(word) && !names.includes(word));
  if (slips.length === 0) return question;
  return question.replace(/\p{L}[\p{L}\p{M}\p{N}]*/gu, (token) => {
    const slip = slips.find((word) => wordsIn(token).includes(word));
    return slip === undefined ? token : respelled!.get(slip)!;
  });
}

/** When the embedder fails, sentences are compared by words alone. */
function tolerantSimilarity(
  retriever: Retriever,
  warnings: string[],
  options: SearchOptions,
): Retriever['similarity'] {
  return async (text, others) => {
    if (others.length === 0) return undefined;
    try {
      return await retriever.similarity(text, others, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isAppError(error)) throw error;
      const warning = `Meaning could not be compared, only words (${error.title}).`;
      if (!warnings.includes(warning)) warnings.push(warning);
      return undefined;
    }
  };
}

export interface AnswerParts {
  readonly retriever: Retriever;
  readonly cite: CitePassage;
  readonly models: Models;
  readonly budget?: Budget;
}

export interface AskRequest extends QuestionRequest {
  /** `auto` uses a model where there is one; `generate` says so when there is none. */
  readonly mode: 'auto' | 'extractive' | 'generate';
}

interface AskAnswer {
  /** Empty when the notes are not enough. */
  readonly answer: string;
  readonly modeUsed: AnswerMode;
  readonly insufficientEvidence: boolean;
  /** 0 to 1: how often such an answer is right, times the share of claims that have support. */
  readonly confidence: number;
  readonly citations: readonly Citation[];
  readonly model?: string;
  readonly warnings: readonly string[];
}

export async function ask(
  parts: AnswerParts,
  request: AskRequest,
  options?: SearchOptions,
): Promise<AskAnswer> {
  const inquiry = await openInquiry(parts.retriever, request, options);
  const { refusal, evidence } = inquiry;
  if (refusal) return insufficient('extractive', [...inquiry.warnings, ...refusal.because]);
  const synthesis = await answered(parts, request, inquiry);
  const warnings = [...inquiry.warnings, ...synthesis.warnings];
  if (synthesis.claims.length === 0)
    return insufficient(synthesis.modeUsed, [...warnings, ...nearestOf(evidence)], synthesis.model);
  const strength = confidenceOf(inquiry.sentences);
  return shown(synthesis, { cite: parts.cite, strength, warnings: [...warnings, ...disagreement(inquiry)] });
}

async function answered(
  { models, budget = DEFAULT_BUDGET }: AnswerParts,
  { mode }: AskRequest,
  inquiry: OpenInquiry,
): Promise<Synthesis> {
  if (mode === 'extractive') return extracted(inquiry);
  if (mode === 'generate' && !models.provider && !models.sampling)
    return extracted(inquiry, ['No model is configured (llm.base_url). These are sentences of the notes.']);
  const synthesis = await synthesize(inquiry, { models, budget });
  const isWithoutSupport =
    !synthesis.isDeclined && synthesis.claims.every(({ problem }) => problem !== undefined);
  if (synthesis.modeUsed === 'extractive' || !isWithoutSupport) return synthesis;
  return extracted(inquiry, [
    'Nothing the model wrote has support in the notes. These are sentences of the notes.',
  ]);
}

function disagreement({ sentences }: OpenInquiry): string[] {
  const conflict = conflictIn(sentences);
  if (!conflict) return [];
  const [first, second] = conflict.map(({ source }) => source.passage.sourcePath);
  return [`The notes disagree: see ${first} and ${second}.`];
}

function insufficient(modeUsed: AnswerMode, warnings: readonly string[], model?: string): AskAnswer {
  const none = { answer: '', insufficientEvidence: true, confidence: 0, citations: [] };
  return { ...none, modeUsed, warnings, model };
}

function shown(
  { modeUsed, model, claims }: Synthesis,
  { cite, strength, warnings }: { cite: CitePassage; strength: number; warnings: readonly string[] },
): AskAnswer {
  const { citations, numbersOf } = createCitations(cite);
  const supported = claims.filter(({ problem }) => problem === undefined);
  const texts = claims.map((claim) =>
    claim.problem === undefined ? marked(claim.text, numbersOf(claim.places)) : flagged(claim),
  );
  return {
    answer: texts.join(modeUsed === 'extractive' ? '\n' : ' '),
    modeUsed,
    insufficientEvidence: false,
    confidence: Math.round(100 * strength * (supported.length / claims.length)) / 100,
    citations,
    model,
    warnings: [...warnings, ...claims.flatMap(problemOf)],
  };
}

/** URLs in an unsupported claim are removed: opening one could disclose the question to its server. */
function flagged({ text }: JudgedClaim): string {
  return `${text.replace(/\b(?:https?:\/\/|www\.)\S+/gi, '…')} (not supported by the notes)`;
}

function problemOf({ problem }: JudgedClaim, at: number): string[] {
  return problem === undefined ? [] : [`Sentence ${at + 1} ${problem}.`];
}
