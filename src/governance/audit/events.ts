/**
 * The records of the audit log: what was proposed, decided, started and returned, and what people decided. Arguments are
 * in them as names, types and a digest, never as values.
 */
import type { ChainLine } from '../../state/chain-files.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import type { Decider } from '../decider.ts';
import { digestOf } from '../digest.ts';
import type { ActionClass, Outcome } from '../types.ts';

const MAX_NAMES = 40;
const MAX_DEPTH = 4;
/** Other names may be values, as in a map by address. */
const PLAIN_NAME = /^[A-Za-z_$][\w$.-]{0,39}$/;
const HAS_LONG_NUMBER = /\d{5}/;

type Shape = string | { readonly [name: string]: Shape };

function shapeOf(value: unknown, depth = 0): Shape {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  if (depth >= MAX_DEPTH) return 'object';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const shown = entries.slice(0, MAX_NAMES).map(([name, item]) => [nameOf(name), shapeOf(item, depth + 1)]);
  const left = entries.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}

function nameOf(name: string): string {
  return PLAIN_NAME.test(name) && !HAS_LONG_NUMBER.test(name) ? name : '<name>';
}

/** How a call ended. */
export const CALL_OUTCOMES = ['ok', 'tool_error', 'denied', 'timeout', 'cancelled', 'transport'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export interface CallFields {
  /** One id for all events of a call. */
  readonly call: string;
  readonly server: string;
  readonly capability: string;
  readonly kind: CapabilityKind;
}

export type AuditEvent =
  | (CallFields & {
      readonly event: 'proposed';
      readonly by: string;
      readonly class: ActionClass;
      readonly argsShape: Shape;
      readonly argsDigest: string;
    })
  | (CallFields & {
      readonly event: 'decided';
      readonly outcome: Outcome;
      readonly code: string;
      readonly rule: string;
      readonly approval?: string;
      /** The request was a completion of an argument, not a call. */
      readonly completes?: true;
    })
  | (CallFields & { readonly event: 'started'; readonly approval?: string })
  | (CallFields & {
      readonly event: 'returned';
      readonly outcome: CallOutcome;
      readonly ms: number;
      /** Codes of the scan of the result. */
      readonly findings?: readonly string[];
      /** How the result was handled because of the findings. */
      readonly handling?: 'pass' | 'fence' | 'ask' | 'block';
    })
  | (CallFields & {
      /** A resource was kept as a note. */
      readonly event: 'compiled';
      readonly approval: string;
      readonly status: string;
      readonly sha256: string;
    })
  | {
      /** Counts of a server's nested requests since the last such record. */
      readonly event: 'nested';
      readonly server: string;
      readonly roots: number;
      readonly sampling: number;
      readonly accepted: number;
      readonly declined: number;
      readonly cancelled: number;
      /** Prompts that were kept from the model. */
      readonly refused?: number;
      readonly inputTokens?: number;
      readonly outputTokens?: number;
    }
  | {
      /** Messages of a server that were not passed on since the last such record, because there were too many. */
      readonly event: 'load';
      readonly server: string;
      readonly logs: number;
      readonly listChanges: number;
      readonly progress: number;
      readonly updates: number;
      readonly requests: number;
      readonly unknown: number;
    }
  | {
      /** What a server that may reach some hosts reached since the last such record. */
      readonly event: 'network';
      readonly server: string;
      readonly list: readonly string[];
      readonly allowed: number;
      readonly refused: number;
      /** Allowed, and not reached. */
      readonly failed: number;
      /** Hosts that were refused, each once. */
      readonly denied?: readonly string[];
    }
  | {
      /** A tool that is classed as reading was seen to change something. */
      readonly event: 'observed';
      readonly server: string;
      readonly capability: string;
      readonly what: string;
      readonly detail: string;
      readonly class: ActionClass;
    }
  | {
      /** One question of a server: a form, a page, a prompt for the model. */
      readonly event: 'asked';
      readonly server: string;
      readonly asked: 'elicitation' | 'sampling';
      readonly outcome: 'accept' | 'decline' | 'cancel' | 'pending';
      /** The message of a form or page, in the server's words, without secrets. */
      readonly message?: string;
      readonly wanted?: readonly string[];
      /** Identifies a prompt without revealing it. */
      readonly digest?: string;
      readonly approval?: string;
    }
  | (Decider & {
      /** A person's answer to an approval. */
      readonly event: 'answered';
      readonly approval: string;
      readonly server: string;
      readonly capability: string;
      readonly outcome: string;
      readonly scope?: string;
      /** ISO 8601. */
      readonly until?: string;
      readonly note?: string;
    })
  | (Decider & {
      /** A person switched a server off, or on again. */
      readonly event: 'switched';
      readonly server: string;
      readonly outcome: 'on' | 'off';
    })
  | (Decider & {
      /** A person took a server out of the configuration, with its approvals and accepted definitions. */
      readonly event: 'removed';
      readonly server: string;
      /** The files that the server kept and wrote were removed, too. */
      readonly isPurged?: true;
    })
  | (Decider & {
      /** A person agreed that a server is used, or no longer does. */
      readonly event: 'consented';
      readonly server: string;
      readonly outcome: 'approved' | 'pending' | 'denied';
    })
  | (Decider & {
      /** A server runs without what the policy asks for: who says so, why, until when. */
      readonly event: 'waived';
      readonly server: string;
      readonly waiver: Readonly<Record<string, string>>;
    })
  | (Decider & {
      /** The configuration differs from the one that was last used. */
      readonly event: 'policy_changed';
      readonly digest: string;
      /** Undefined where nothing is known of the one before. */
      readonly before?: string;
      readonly changes: readonly string[];
    })
  | (Decider & {
      /** The first record after a log that was changed. */
      readonly event: 'acknowledged';
      readonly reason: string;
      readonly problems: readonly string[];
      /** How many records the changed log has, and the folder it is kept in. */
      readonly lines: number;
      readonly kept: string;
    })
  | {
      /** From here on the end of the log is sealed by a key; until here it was not. */
      readonly event: 'sealed';
      readonly key: string;
      readonly lines: number;
    }
  | (Decider & {
      /** A person accepted a definition, its removal, or the instructions of a server. */
      readonly event: 'accepted';
      readonly server: string;
      readonly kind: CapabilityKind | 'instructions';
      readonly capability: string;
      readonly fingerprint?: string;
      readonly isRemoved?: true;
    });

export type AuditRecord<E = AuditEvent> = E & Pick<ChainLine, 'seq' | 'time' | 'prev'>;

/** Other lines of the chain are about the chain itself. */
export const EVENTS = new Set([
  'load',
  'network',
  'observed',
  'proposed',
  'decided',
  'started',
  'returned',
  'compiled',
  'nested',
  'asked',
  'answered',
  'accepted',
  'switched',
  'removed',
  'consented',
  'waived',
  'policy_changed',
  'acknowledged',
  'sealed',
]);

/** The audit fields of a call's arguments. */
export function argumentsOf(args: unknown): { argsShape: Shape; argsDigest: string } {
  return { argsShape: shapeOf(args ?? {}), argsDigest: digestOf(args ?? {}) };
}
