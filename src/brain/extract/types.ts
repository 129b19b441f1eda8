/** What is found in notes by rules, and where. */
import type { Range } from '../../notes/markdown/regions.ts';

/** Where a finding stands: `textSpan` is just what the note holds at `span`. */
export interface Evidence {
  /** Empty for a text that is no note. */
  readonly sourcePath: string;
  readonly span: Range;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** At most 300 characters. */
  readonly textSpan: string;
  /** The heading it stands under; empty above the first one. */
  readonly anchor: string;
  /** All headings over it, outermost first. */
  readonly headings: readonly string[];
}

/** How sure a rule is of what it finds. */
export const CONFIDENCE = { structured: 0.95, marker: 0.9, section: 0.8, phrase: 0.6, weak: 0.4 } as const;
/** What is less sure is only told when asked for. */
export const LEAST_CONFIDENCE = 0.5;

export type DateOrder = 'mdy' | 'dmy';

/** What a text is read against. */
export interface ExtractOptions {
  readonly sourcePath?: string;
  /** Milliseconds since 1970, of the last change: relative dates are counted from it when the note names no day. */
  readonly lastModified?: number;
  /** `2026-11-16`: wins over what the note says. */
  readonly referenceDate?: string;
  /** How `3/4/2026` is meant; without it such dates are told to be ambiguous. */
  readonly dates?: DateOrder;
  /** Also what others are quoted with. */
  readonly includeQuotes?: boolean;
}

export const LOOP_KINDS = ['task', 'todo', 'openloop', 'question', 'waiting_for', 'follow_up'] as const;
export type LoopKind = (typeof LOOP_KINDS)[number];
export type LoopStatus = 'open' | 'in_progress' | 'deferred' | 'done' | 'cancelled';
export type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';

/** Days are written `2026-11-16`. */
export interface Loop {
  /** The same after lines have moved, and after the loop was closed. */
  readonly id: string;
  readonly kind: LoopKind;
  /** Without its marks, fields and dates. */
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
  /** Somebody who was there, or was named with an @. */
  readonly owner?: string;
  /** As the note has it. */
  readonly ownerText?: string;
  readonly due?: string;
  readonly dueText?: string;
  readonly dueAmbiguous: boolean;
  readonly status: LoopStatus;
  readonly confidence: number;
  readonly evidence: Evidence;
}

/** A line of a meeting that is worth a line. */
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
