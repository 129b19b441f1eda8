/** One approval: its request, its state, and the calls that it covers. */
import { isSecretName, redactText } from '../../shared/redact.ts';
import { showHidden } from '../catalog/scan/hidden-text.ts';
import { maskSecrets } from '../catalog/scan/shadowing.ts';
import type { ActionClass } from '../types.ts';

export const APPROVAL_KINDS = [
  'call',
  'definition',
  'server',
  'compile',
  'sampling',
  'elicitation',
  'result',
] as const;
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

interface PreviewLimits {
  /** Characters of one text. */
  readonly text: number;
  /** Entries of one object or list. */
  readonly entries: number;
  readonly depth: number;
  /** Characters in all. */
  readonly all: number;
}

const SHORT: PreviewLimits = { text: 500, entries: 50, depth: 6, all: 4_000 };
const MAX_WHOLE = 256 * 1024;
const WHOLE: PreviewLimits = { text: MAX_WHOLE, entries: MAX_WHOLE, depth: 100, all: MAX_WHOLE };
const REDACTED = '[redacted]';

/** One line of JSON without secrets, cut to a few thousand characters. */
export function previewArguments(args: unknown): string {
  return cut(JSON.stringify(preview(args, SHORT)), SHORT);
}

/** Everything that would be sent, as indented JSON without secrets. */
export function wholeArguments(args: unknown): string {
  return cut(JSON.stringify(preview(args, WHOLE), undefined, 2), WHOLE);
}

function cut(text: string | undefined = '', { all }: PreviewLimits): string {
  return text.length > all ? `${text.slice(0, all)}…` : text;
}

function preview(value: unknown, limits: PreviewLimits, depth = 0): unknown {
  if (typeof value === 'string') return previewText(value, limits);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= limits.depth) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, limits.entries).map((item) => preview(item, limits, depth + 1));
    return value.length > items.length ? [...items, `… ${value.length - items.length} more`] : items;
  }
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, limits.entries)
    .map(([name, inner]) => [
      previewText(name, limits),
      isSecretName(name) && inner !== null ? REDACTED : preview(inner, limits, depth + 1),
    ]);
  const left = entries.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}

function previewText(text: string, limits: PreviewLimits): string {
  const near = maskSecrets(text.slice(0, 4 * limits.text));
  const safe = showHidden(redactText(near, 4 * limits.text));
  return text.length > limits.text ? `${safe.slice(0, limits.text)}… (${text.length} characters)` : safe;
}
