/**
 * An answer every claim of which has its source, or none at all. What has no support is dropped; when nothing is left,
 * when the notes do not answer, or when they contradict each other, there is a reason and no prose.
 */
import type { Asking } from '../../notes/searcher.ts';
import type { Citation } from '../types.ts';
import type { AnswerParts } from './ask.ts';
import { createCitations, marked } from './citations.ts';
import { conflictIn } from './conflict.ts';
import { isEnough } from './enough.ts';
import { meetsExpectation } from './expectation.ts';
import { openInquiry, type QuestionRequest } from './inquiry.ts';
import { DEFAULT_BUDGET } from './prompt.ts';
import { synthesize } from './synthesize.ts';

export interface GroundedParts extends AnswerParts {
  /** Makes ids of trajectories. */
  readonly newId: () => string;
}

export interface GroundedRequest extends QuestionRequest {
  /** 0 to 1. */
  readonly minSupport: number;
}

export type RefusedReason = 'no_evidence' | 'below_threshold' | 'conflict';

export interface GroundedClaim {
  readonly text: string;
  /** At least one. */
  readonly citations: readonly number[];
  readonly support: number;
}

export interface GroundedAnswer {
  readonly grounded: boolean;
  readonly answer: string | null;
  readonly claims: readonly GroundedClaim[];
  /** How many had too little support. */
  readonly droppedClaims: number;
  readonly refusedReason?: RefusedReason;
  /** Of the claims; of a conflict, the two places that disagree. */
  readonly citations: readonly Citation[];
  readonly trajectoryId: string;
}

export async function groundedAnswer(
  { retriever, cite, models, budget = DEFAULT_BUDGET, newId }: GroundedParts,
  request: GroundedRequest,
  asking?: Asking,
): Promise<GroundedAnswer> {
  const trajectoryId = `tr_${newId()}`;
  const refuse = (refusedReason: RefusedReason, droppedClaims = 0, citations: readonly Citation[] = []) => ({
    grounded: false,
    answer: null,
    claims: [],
    droppedClaims,
    refusedReason,
    citations,
    trajectoryId,
  });
  const inquiry = await openInquiry(retriever, request, asking);
  if (inquiry.evidence.length === 0) return refuse('no_evidence');
  if (!isEnough(inquiry.evidence)) return refuse('below_threshold');
  const numbered = createCitations(cite);
  const conflict = conflictIn(await inquiry.sentences());
  if (conflict) {
    numbered.numbersOf(conflict);
    return refuse('conflict', 0, numbered.list());
  }
  const { minSupport } = request;
  const { claims, isDeclined } = await synthesize(inquiry, { models, budget, minSupport });
  if (isDeclined) return refuse('no_evidence');
  const kept = claims.filter(({ problem, support }) => problem === undefined && support >= minSupport);
  const isAnswer =
    kept.length > 0 &&
    meetsExpectation(
      inquiry.question,
      kept.map(({ text }) => text),
    );
  if (!isAnswer) return refuse('below_threshold', claims.length);
  const shown = kept.map(({ text, support, places }) => ({
    text,
    citations: numbered.numbersOf(places),
    support: Math.round(100 * support) / 100,
  }));
  return {
    grounded: true,
    answer: shown.map(({ text, citations }) => marked(text, citations)).join(' '),
    claims: shown,
    droppedClaims: claims.length - kept.length,
    citations: numbered.list(),
    trajectoryId,
  };
}
