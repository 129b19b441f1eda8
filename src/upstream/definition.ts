/** The capabilities of an upstream server, and the reasons not to use one. */
import type { PolicyReason } from '../shared/errors.ts';

export type CapabilityKind = 'tool' | 'resource' | 'template' | 'prompt';

/** A capability as its server describes it. */
export interface Definition {
  readonly kind: CapabilityKind;
  /** A tool's or prompt's name, a resource's URI, a template's pattern. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  /** Only for prompts. */
  readonly arguments?: unknown;
  /** Only for resources and templates: their name beside the URI. */
  readonly label?: string;
  readonly mimeType?: string;
}

/** A reason why a server is not started or reached. */
export interface Rejection {
  readonly code: PolicyReason;
  readonly reason: string;
}

export function rejection(code: PolicyReason, reason: string): Rejection {
  return { code, reason };
}

/** For lists of rejections: empty unless the problem is there. */
export function rejectIf(isProblem: boolean, code: PolicyReason, reason: string): Rejection[] {
  return isProblem ? [{ code, reason }] : [];
}
