/** What deciding, running and delivering a call have in common. */

import type { Questions } from '../upstream/nested/rounds.ts';
import type { Confinement } from '../upstream/sandbox/confinement.ts';
import type { ApprovalRequest } from './approvals/approval.ts';
import type { ScannedResult } from './catalog/scan/scan.ts';
import { asSent, type CallRequest, type JudgeContext, type KnownVerdict } from './judge-call.ts';
import type { Plane } from './plane.ts';
import { classify } from './policy/classify.ts';
import { approvalRule } from './policy/decide.ts';
import type { CatalogEntry, Decision } from './types.ts';

export type CallContext = JudgeContext &
  Pick<
    Plane,
    | 'approvals'
    | 'upstream'
    | 'policyVersion'
    | 'session'
    | 'log'
    | 'approvalUrl'
    | 'ready'
    | 'held'
    | 'observations'
    | 'scan'
  >;

export interface CallAnswer {
  readonly decision: Decision;
  /** The server's answer, without hidden characters. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly findings: ScannedResult<unknown>['findings'];
  /** The texts in which something was found. */
  readonly suspicious: ScannedResult<unknown>['suspicious'];
  /** The server's questions, where it asks some before it answers. */
  readonly questions?: Questions;
  readonly isError: boolean;
  /** The name or URI as it was sent. */
  readonly sent: string;
  readonly milliseconds: number;
  /** What the server ran in; undefined for one that runs elsewhere. */
  readonly confinement?: Confinement;
}

/** A resource has no arguments, so its URI stands for them. */
export function argumentsIn(request: CallRequest, entry: CatalogEntry): CallRequest['args'] {
  return request.kind === 'resource' ? { uri: asSent(request, entry).name } : request.args;
}

export function approvalFor(
  plane: Pick<Plane, 'policyVersion' | 'session'>,
  request: CallRequest,
  { server, entry }: Pick<KnownVerdict, 'server' | 'entry'>,
): ApprovalRequest {
  return {
    kind: 'call',
    server: server.name,
    capability: entry.definition.name,
    class: classify(entry.definition, server, entry.observed),
    args: argumentsIn(request, entry),
    fingerprint: entry.fingerprint,
    policyVersion: plane.policyVersion,
    requestedBy: request.by,
    session: plane.session,
  };
}

export function decisionFields({
  outcome,
  code,
  rule,
}: Decision): Pick<Decision, 'outcome' | 'code' | 'rule'> {
  return { outcome, code, rule };
}

export function refused(id: string): Decision {
  return {
    outcome: 'deny',
    code: 'approval_denied',
    rule: approvalRule(id),
    reason: 'The approval of this call was denied.',
  };
}
