/** A person's answer to an approval, also recorded in the audit log. All ways to answer one lead through here. */
import { maskSecrets } from '../catalog/scan/shadowing.ts';
import type { Decider } from '../decider.ts';
import type { Plane } from '../plane.ts';
import type { Approval, ApprovalScope } from './approval.ts';

export type ApprovalAnswer =
  | { readonly kind: 'approve'; readonly scope?: ApprovalScope; readonly ttlSeconds?: number }
  | { readonly kind: 'deny' | 'revoke' };

/** `note`: why, for those who read it later. */
export async function answerApproval(
  { approvals, audit }: Pick<Plane, 'approvals' | 'audit'>,
  id: string,
  answer: ApprovalAnswer,
  { note: given, ...decider }: Decider & { readonly note?: string },
): Promise<Approval> {
  const { kind, ...terms } = answer;
  // What cannot be recorded is not given; to take away always works.
  if (kind === 'approve') await audit.ready();
  const note = given === undefined ? undefined : maskSecrets(given);
  const approval = await approvals[kind](id, { by: decider.by, note, ...terms });
  const { server, capability, state: outcome, scope, expiresAt } = approval;
  const until = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
  // When this fails, the call cannot run either: its own record comes before it.
  await audit.record({
    event: 'answered',
    approval: id,
    server,
    capability,
    outcome,
    ...(kind === 'approve' && { scope, until }),
    ...(note !== undefined && { note }),
    ...decider,
  });
  return approval;
}

/** The rule of the policy that required the approval, from the audit log. */
export async function ruleThatAsked(
  { audit }: Pick<Plane, 'audit'>,
  { id, createdAt }: Approval,
): Promise<string | undefined> {
  for await (const event of audit.read({ since: createdAt }))
    if (event.event === 'decided' && event.approval === id && event.outcome === 'ask') return event.rule;
  return undefined;
}
