/** One approval: its request, its state, and the calls that it covers. */
import { isSecretName, redactText } from '../../shared/redact.ts';
import { showHidden } from '../catalog/scan/hidden-text.ts';
import { maskSecrets } from '../catalog/scan/shadowing.ts';
import type { ActionClass } from '../types.ts';

export const APPROVAL_KINDS = ['call', 'definition', 'server', 'compile', 'sampling', 'elicitation'] as const;
export const APPROVAL_SCOPES = ['once', 'session', 'always'] as const;
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];
export const APPROVAL_STATES = [
  'pending',
  'approved',
  'consumed',
  'expired',
  'revoked',
  'denied',
  'superseded',
] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A call that needs an approval. */
export interface ApprovalRequest {
  readonly kind: (typeof APPROVAL_KINDS)[number];
  readonly server: string;
  readonly capability: string;
  readonly class: ActionClass;
  readonly args: unknown;
  /** The text shown to the approver; by default a short preview of `args` without secrets. */
  readonly preview?: string;
  /** Of the present definition. */
  readonly fingerprint: string;
  /** Of the present policy. */
  readonly policyVersion: string;
  readonly requestedBy: string;
  /** The connection or process that asks: an approval with the scope `session` covers its calls. */
  readonly session: string;
}

/** A request as approvals are compared with it: the arguments are a digest. */
export interface ApprovalSubject extends Omit<ApprovalRequest, 'args' | 'preview'> {
  readonly argsDigest: string;
}

export interface Approval extends ApprovalSubject {
  readonly id: string;
  /** JSON without secrets. */
  readonly argsPreview: string;
  readonly state: ApprovalState;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** Undefined for an approval without an end, as the scope `always` may have. */
  readonly expiresAt?: number;
  readonly decidedAt?: number;
  readonly decidedBy?: string;
  readonly scope?: ApprovalScope;
  /** Undefined: any number of uses. */
  readonly usesLeft?: number;
  readonly note?: string;
}

/** The state of an approval at a time: it expires without an event. */
export function at(now: number, approval: Approval): Approval {
  const isOver = isLive(approval) && approval.expiresAt !== undefined && approval.expiresAt <= now;
  return isOver ? { ...approval, state: 'expired' } : approval;
}

export function isLive({ state }: Approval): boolean {
  return state === 'pending' || state === 'approved';
}

/** Equal kind, server and capability, whatever definition or policy they were under. */
export function isSameSubject(approval: Approval, wanted: ApprovalSubject): boolean {
  return (
    approval.kind === wanted.kind &&
    approval.server === wanted.server &&
    approval.capability === wanted.capability
  );
}

/** Definition, policy and action class are those under which the approval was requested. */
export function isCurrent(approval: Approval, wanted: ApprovalSubject): boolean {
  return (
    approval.fingerprint === wanted.fingerprint &&
    approval.policyVersion === wanted.policyVersion &&
    approval.class === wanted.class
  );
}

export function isSameCall(approval: Approval, wanted: ApprovalSubject): boolean {
  return (
    isSameSubject(approval, wanted) &&
    isCurrent(approval, wanted) &&
    approval.requestedBy === wanted.requestedBy &&
    approval.argsDigest === wanted.argsDigest
  );
}

/** Only the scope `always` covers the calls of others. */
export function covers(approval: Approval, wanted: ApprovalSubject): boolean {
  if (approval.state !== 'approved' || approval.usesLeft === 0) return false;
  if (!isSameSubject(approval, wanted) || !isCurrent(approval, wanted)) return false;
  const isSameCaller = approval.requestedBy === wanted.requestedBy;
  switch (approval.scope) {
    case 'once':
      return isSameCaller && approval.argsDigest === wanted.argsDigest;
    case 'session':
      return isSameCaller && approval.session === wanted.session;
    case 'always':
      return wanted.class !== 'destructive';
    default:
      return false;
  }
}

const MAX_TEXT = 500;
const MAX_ENTRIES = 50;
const MAX_DEPTH = 6;
const MAX_PREVIEW = 4_000;
const REDACTED = '[redacted]';

export function previewArguments(args: unknown): string {
  const text = JSON.stringify(preview(args, 0)) ?? '';
  return text.length > MAX_PREVIEW ? `${text.slice(0, MAX_PREVIEW)}…` : text;
}

function preview(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return previewText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ENTRIES).map((item) => preview(item, depth + 1));
    return value.length > MAX_ENTRIES ? [...items, `… ${value.length - MAX_ENTRIES} more`] : items;
  }
  return previewObject(Object.entries(value), depth);
}

function previewObject(entries: readonly (readonly [string, unknown])[], depth: number): unknown {
  const shown = entries
    .slice(0, MAX_ENTRIES)
    .map(([name, value]) => [
      previewText(name),
      isSecretName(name) && value !== null ? REDACTED : preview(value, depth + 1),
    ]);
  const left = entries.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}

function previewText(text: string): string {
  const safe = showHidden(redactText(maskSecrets(text.slice(0, 4 * MAX_TEXT))));
  return text.length > MAX_TEXT ? `${safe.slice(0, MAX_TEXT)}… (${text.length} characters)` : safe;
}
