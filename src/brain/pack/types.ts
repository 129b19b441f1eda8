/** The parts of a context pack. */
import type { Citation } from '../types.ts';

export const PACK_PARTS = ['facts', 'decisions', 'open_loops', 'preferences'] as const;

export type PackPart = (typeof PACK_PARTS)[number];

/** A citation that has no number yet. */
export type LooseCitation = Omit<Citation, 'index'>;

/** A decision as the extraction finds it. */
export interface FoundDecision {
  readonly title: string;
  readonly decision: string;
  readonly status: string;
  /** ISO day. */
  readonly date?: string;
  readonly citation: LooseCitation;
}

/** An open loop as the extraction finds it. */
export interface FoundLoop {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  readonly owner?: string;
  /** ISO day. */
  readonly due?: string;
  readonly citation: LooseCitation;
}

/** A fact or a preference. */
export interface FoundText {
  readonly text: string;
  readonly citation: LooseCitation;
}

/** In a pack `citation` is the number of one of its citations. */
type PackEntry<T> = Omit<T, 'citation'> & { readonly score: number; readonly citation: number };

interface PackFact {
  readonly path: string;
  readonly anchor: string;
  readonly text: string;
  readonly score: number;
  readonly citation: number;
}

export interface ContextPack {
  readonly schemaVersion: 'context_pack.v2';
  readonly packId: string;
  /** ISO time. */
  readonly createdAt: string;
  readonly intent: string;
  readonly constraints: readonly string[];
  readonly preferences: readonly PackFact[];
  readonly relevantFacts: readonly PackFact[];
  readonly priorDecisions: readonly PackEntry<FoundDecision>[];
  readonly openLoops: readonly PackEntry<FoundLoop>[];
  readonly suggestedPlan: readonly string[];
  readonly allowedActions: readonly string[];
  readonly policyControls: Readonly<Record<string, string | number | boolean>>;
  readonly budgetReport: BudgetReport;
  readonly citations: readonly Citation[];
}

interface BudgetReport {
  /** In tokens. */
  readonly budget: number;
  /** Tokens of the whole pack, this report included. */
  readonly used: number;
  /** Number of items that did not fit. */
  readonly dropped: number;
  /** Number of findings that have too little to do with the intent. */
  readonly belowFloor: number;
  readonly estimator: 'chars/4';
}
