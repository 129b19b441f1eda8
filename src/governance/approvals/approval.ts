/** One approval: what was asked for, what became of it, and what it is good for. */
import type { ActionClass } from '../types.ts';

export type ApprovalKind = 'call' | 'definition' | 'server' | 'compile' | 'sampling' | 'elicitation';
export type ApprovalScope = 'once' | 'session' | 'always';
export type ApprovalState =
  | 'pending'
  | 'approved'
  | 'consumed'
  | 'expired'
  | 'revoked'
  | 'denied'
  | 'superseded';

/** What somebody wants to do. */
export interface ApprovalRequest {
  readonly kind: ApprovalKind;
  readonly server: string;
  readonly capability: string;
  readonly class: ActionClass;
  readonly args: unknown;
  /** What is shown of them; without it, the usual: short, and without secrets. */
  readonly preview?: string;
  /** Of the definition as it is now. */
  readonly fingerprint: string;
  /** Of the policy as it is now. */
  readonly policyVersion: string;
  readonly requestedBy: string;
  /** The connection or process that asks; what the scope `session` is about. */
  readonly session: string;
}

export interface Approval extends Omit<ApprovalRequest, 'args' | 'preview'> {
  readonly id: string;
  readonly argsDigest: string;
  /** JSON without secrets. */
  readonly argsPreview: string;
  readonly state: ApprovalState;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  /** Nothing is left of it after that; an approval for always may have no end. */
  readonly expiresAt?: number;
  readonly decidedAt?: number;
  readonly decidedBy?: string;
  readonly scope?: ApprovalScope;
  /** Without a number: as often as wanted. */
  readonly usesLeft?: number;
  readonly note?: string;
}

/** What it is by the clock: what has an end ends without anybody's doing. */
export function at(now: number, approval: Approval): Approval {
  const isOver = isLive(approval) && approval.expiresAt !== undefined && approval.expiresAt <= now;
  return isOver ? { ...approval, state: 'expired' } : approval;
}

export function isLive({ state }: Approval): boolean {
  return state === 'pending' || state === 'approved';
}

/** A request with its arguments as a digest: what approvals are compared with. */
export interface Wanted extends Omit<ApprovalRequest, 'args' | 'preview'> {
  readonly argsDigest: string;
}

/** About the same thing, as it was then or as it is now. */
export function isSameSubject(approval: Approval, wanted: Wanted): boolean {
  return (
    approval.kind === wanted.kind &&
    approval.server === wanted.server &&
    approval.capability === wanted.capability
  );
}

/** The definition, the policy and what the call may do are those the approval was asked under. */
export function isCurrent(approval: Approval, wanted: Wanted): boolean {
  return (
    approval.fingerprint === wanted.fingerprint &&
    approval.policyVersion === wanted.policyVersion &&
    approval.class === wanted.class
  );
}

export function isSameCall(approval: Approval, wanted: Wanted): boolean {
  return (
    isSameSubject(approval, wanted) &&
    isCurrent(approval, wanted) &&
    approval.requestedBy === wanted.requestedBy &&
    approval.argsDigest === wanted.argsDigest
  );
}

/** Whether an approval lets this through. Whoever asked is who was answered: only `always` is for everybody. */
export function covers(approval: Approval, wanted: Wanted): boolean {
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
