/** An approval as `--json` prints it. */
import type { Approval } from '../../governance/approvals/approval.ts';

export function approvalData(approval: Approval) {
  const time = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id: approval.id,
    kind: approval.kind,
    server: approval.server,
    capability: approval.capability,
    class: approval.class,
    state: approval.state,
    scope: approval.scope ?? null,
    uses_left: approval.usesLeft ?? null,
    args_preview: approval.argsPreview,
    args_digest: approval.argsDigest,
    fingerprint: approval.fingerprint,
    policy_version: approval.policyVersion,
    requested_by: approval.requestedBy,
    created_at: time(approval.createdAt),
    expires_at: time(approval.expiresAt),
    decided_at: time(approval.decidedAt),
    decided_by: approval.decidedBy ?? null,
    note: approval.note ?? null,
  };
}
