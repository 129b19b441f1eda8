/** Items that rules extract from notes. */
import type { Range } from '../../notes/markdown/regions.ts';

/** The source of an item: `textSpan` is the note's text at `span`. */
export interface Evidence {
  /** Empty for a text that is not a note. */
  readonly sourcePath: string;
  readonly span: Range;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** At most 300 characters. */
  readonly textSpan: string;
  /** The heading over the item; empty above the first heading. */
  readonly anchor: string;
  /** All headings over the item, outermost first. */
  readonly headings: readonly string[];
}

/** Confidence by kind of rule. */
export const CONFIDENCE = { structured: 0.95, marker: 0.9, section: 0.8, phrase: 0.6, weak: 0.4 } as const;
/** Items below are returned only on request. */
export const LEAST_CONFIDENCE = 0.5;

export type DateOrder = 'mdy' | 'dmy';

export interface ExtractOptions {
  readonly sourcePath?: string;
  /** Milliseconds since 1970; relative dates are resolved against it when the note names no day. */
  readonly lastModified?: number;
  /** `2026-11-16`; takes precedence over the note's own day. */
  readonly referenceDate?: string;
  /** Order of `3/4/2026`; without it such dates are reported as ambiguous. */
  readonly dates?: DateOrder;
  /** Also extract from quotes. */
  readonly includeQuotes?: boolean;
}

export const LOOP_KINDS = ['task', 'todo', 'openloop', 'question', 'waiting_for', 'follow_up'] as const;
export type LoopKind = (typeof LOOP_KINDS)[number];
export type LoopStatus = 'open' | 'in_progress' | 'deferred' | 'done' | 'cancelled';
export type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';

/** Days are written `2026-11-16`. */
export interface Loop {
  /** Stable when lines move and when the loop is closed. */
  readonly id: string;
  readonly kind: LoopKind;
  /** Without markers, fields and dates. */
  readonly text: string;
  readonly status: LoopStatus;
  readonly owner?: string;
  readonly due?: string;
  readonly dueAmbiguous: boolean;
  readonly scheduled?: string;
  readonly created?: string;
  readonly priority?: Priority;
  readonly tags: readonly string[];
  readonly confidence: number;
  readonly evidence: Evidence;
}

export type DecisionStatus = 'proposed' | 'accepted' | 'rejected' | 'deprecated' | 'superseded' | 'unknown';
export type DecisionMethod = 'madr' | 'nygard' | 'marker' | 'section' | 'phrase';

export interface Decision {
  readonly id: string;
  readonly title: string;
  readonly decision: string;
  readonly status: DecisionStatus;
  readonly date?: string;
  readonly deciders: readonly string[];
  readonly rationale?: string;
  readonly alternatives: readonly string[];
  readonly consequences: readonly string[];
  readonly supersedes?: string;
  readonly method: DecisionMethod;
  readonly confidence: number;
  readonly evidence: Evidence;
}

export interface ActionItem {
  readonly text: string;
  /** An attendee, or a name with an @. */
  readonly owner?: string;
  /** As written in the note. */
  readonly ownerText?: string;
  readonly due?: string;
  readonly dueText?: string;
  readonly dueAmbiguous: boolean;
  readonly status: LoopStatus;
  readonly confidence: number;
  readonly evidence: Evidence;
}

/** An item of a meeting that has no fields of its own. */
export interface Remark {
  readonly text: string;
  readonly confidence: number;
  readonly evidence: Evidence;
}

export interface Meeting {
  readonly title: string;
  readonly date?: string;
  /** `10:00`. */
  readonly start?: string;
  readonly end?: string;
  readonly attendees: readonly string[];
  readonly absent: readonly string[];
}

export interface MeetingNotes {
  readonly meeting: Meeting;
  readonly agenda: readonly Remark[];
  readonly notesSummary: readonly Remark[];
  readonly decisions: readonly Decision[];
  readonly actionItems: readonly ActionItem[];
  readonly risks: readonly Remark[];
  readonly questions: readonly Remark[];
  readonly followUps: readonly Remark[];
}
