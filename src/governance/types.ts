/** Types that several parts of the governed plane share. */
import type { PolicyReason } from '../shared/errors.ts';
import type { Definition } from '../upstream/definition.ts';

export type Transport = 'stdio' | 'streamable_http';
export type Trust = 'untrusted' | 'reviewed' | 'trusted' | 'blocked';

/** An operator has looked the server over. */
export function isTrusted(trust: Trust): boolean {
  return trust === 'reviewed' || trust === 'trusted';
}

export type Consent = 'approved' | 'pending' | 'denied';
export type PermissionMode = 'read-only' | 'ask' | 'auto';
/** The effect of a capability, from harmless to irreversible. */
export type ActionClass = 'read_only' | 'local_write' | 'external' | 'destructive';
export type Outcome = 'allow' | 'ask' | 'deny';
export const STRICTEST_FIRST: readonly Outcome[] = ['deny', 'ask', 'allow'];

/** A suspicious text in a definition or a result: hidden from readers, or an instruction to the model. */
export interface ScanFinding {
  readonly code: string;
  readonly severity: 'hard' | 'soft';
  /** E.g. `description`, `inputSchema.properties.path.description`. */
  readonly where: string;
  /** Short, printable. */
  readonly excerpt: string;
}

/** The review state of a definition. */
export type PinState = 'approved' | 'pending' | 'changed' | 'quarantined';

export interface CatalogEntry {
  readonly server: string;
  readonly definition: Definition;
  /** sha256 in hex, over the definition's canonical form and the server's name. */
  readonly fingerprint: string;
  readonly state: PinState;
  readonly findings: readonly ScanFinding[];
  /** What the tool was seen to do; undefined where it did nothing but what it says. */
  readonly observed?: Observation;
}

/** A change that a tool made although it was classed as reading. */
export interface Observation {
  readonly class: ActionClass;
  readonly what: 'result' | 'list_changed' | 'resource_updated';
  /** Short, printable. */
  readonly detail: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface Decision {
  readonly outcome: Outcome;
  readonly code: PolicyReason;
  /** The rule that decided: `mcp_policy[2]`, `default`, `approval:apr_…`. */
  readonly rule: string;
  readonly reason: string;
  /** The id of the approval that allowed it. */
  readonly approval?: string;
}
