/**
 * `sb_grounded_answer`: every claim has a citation. Claims without support are dropped; when none is left, the notes do
 * not answer, or they contradict each other, the answer is a reason and no prose.
 */
import type { SearchOptions } from '../../notes/searcher.ts';
import type { Citation } from '../types.ts';
import { type AnswerKind, hasKind, kindOf } from './answer-kind.ts';
import { type AnswerParts, type OpenInquiry, openInquiry, type QuestionRequest } from './ask.ts';
import { type CitePassage, createCitations, marked } from './citations.ts';
import { conflictIn } from './conflict.ts';
import type { JudgedClaim } from './gate.ts';
import { DEFAULT_BUDGET } from './prompt.ts';
import { nearestOf } from './refusal.ts';
import { placeOf } from './sentences.ts';
import { synthesize } from './synthesize.ts';

interface GroundedParts extends AnswerParts {
  /** Generates trajectory ids. */
  readonly newId: () => string;
}

export interface GroundedRequest extends QuestionRequest {
  /** 0 to 1. */
  readonly minSupport: number;
}

type PolicyReason = 'no_evidence' | 'below_threshold' | 'conflict';

interface GroundedClaim {
  readonly text: string;
  /** At least one. */
  readonly citations: readonly number[];
  readonly support: number;
}

interface GroundedAnswer {
  readonly grounded: boolean;
  readonly answer: string | null;
  readonly claims: readonly GroundedClaim[];
  /** Number of claims with too little support. */
  readonly droppedClaims: number;
  readonly refusedReason?: PolicyReason;
  /** Citations of the claims; of a conflict, the two places that contradict each other. */
  readonly citations: readonly Citation[];
  readonly trajectoryId: string;
  /** Warnings of the search; a refusal says why here, and what is nearest. */
  readonly warnings?: readonly string[];
}

type Outcome = Omit<GroundedAnswer, 'trajectoryId'>;

export async function groundedAnswer(
  parts: GroundedParts,
  request: GroundedRequest,
  options?: SearchOptions,
): Promise<GroundedAnswer> {
  const trajectoryId = `tr_${parts.newId()}`;
  const inquiry = await openInquiry(parts.retriever, request, options);
  return { ...(await outcomeOf(parts, request, inquiry)), trajectoryId };
}

async function outcomeOf(
  { cite, models, budget = DEFAULT_BUDGET }: GroundedParts,
  { minSupport }: GroundedRequest,
  inquiry: OpenInquiry,
): Promise<Outcome> {
  const { refusal, question, evidence, sentences, warnings } = inquiry;
  if (refusal) return refused(refusal.reason, [...warnings, ...refusal.because]);
  const conflict = conflictIn(sentences);
  if (conflict) {
    const { citations, numbersOf } = createCitations(cite);
    numbersOf(conflict);
    return { ...refused('conflict', warnings), citations };
  }
  const { claims, isDeclined } = await synthesize(inquiry, { models, budget, minSupport });
  const nearest = [...warnings, ...nearestOf(evidence)];
  if (isDeclined) return refused('no_evidence', nearest);
  const kept = claims.filter(({ problem, support }) => problem === undefined && support >= minSupport);
  const kind = kindOf(question);
  const isAnswer = kept.some((claim) => kind === undefined || isOfKind(claim, kind));
  if (!isAnswer) return { ...refused('below_threshold', nearest), droppedClaims: claims.length };
  return { ...shown(kept, cite), droppedClaims: claims.length - kept.length, ...warned(warnings) };
}

function isOfKind({ text, places }: JudgedClaim, kind: AnswerKind): boolean {
  return hasKind(kind, text, places.map(placeOf).join('\n'));
}

/** An answer without prose. */
function refused(refusedReason: PolicyReason, warnings: readonly string[]): Outcome {
  const none = { grounded: false, answer: null, claims: [], droppedClaims: 0, citations: [] };
  return { ...none, refusedReason, ...warned(warnings) };
}

function warned(warnings: readonly string[]): Pick<GroundedAnswer, 'warnings'> {
  return warnings.length > 0 ? { warnings } : {};
}

function shown(kept: readonly JudgedClaim[], cite: CitePassage): Omit<Outcome, 'droppedClaims'> {
  const { citations, numbersOf } = createCitations(cite);
  const claims = kept.map(({ text, support, places }) => ({
    text,
    citations: numbersOf(places),
    support: Math.round(100 * support) / 100,
  }));
  const answer = claims.map((claim) => marked(claim.text, claim.citations)).join(' ');
  return { grounded: true, answer, claims, citations };
}
