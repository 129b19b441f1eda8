/** The answers to an approval. They are given here and in no tool: an assistant never approves its own call. */
import type { Approval, ApprovalScope } from '../../governance/approvals/approval.ts';
import type { Approvals } from '../../governance/approvals/approvals.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { choiceOf } from './choice.ts';
import type { McpCall, McpCommand, McpOutput } from './command.ts';
import { McpFailure } from './exit.ts';
import { operatorName, withPlane } from './plane.ts';

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

const ID = { name: 'id', description: 'as the list has it' };
const NOTE = { flag: '--note <text>', description: 'why, for whoever reads it later' };
const SCOPES: readonly ApprovalScope[] = ['once', 'session', 'always'];

export const approve: McpCommand = {
  name: 'approve',
  summary: 'let a call through',
  arguments: [ID],
  options: [
    {
      flag: '--scope <scope>',
      description:
        'once: exactly this call; session: any arguments while the caller runs; always: any arguments',
      default: 'once',
    },
    { flag: '--ttl <seconds>', description: 'how long the approval is good for' },
    NOTE,
  ],
  examples: [['approvals approve <id>', 'exactly this call, once']],
  config: 'needed',
  run: (call) => {
    const scope = choiceOf('scope', call.options.scope, {
      choices: SCOPES,
      hint: `Use --scope ${SCOPES.join(', ')}`,
    });
    const ttlSeconds = ttlOf(call.options.ttl);
    return decideApproval(call, (all, id) => all.approve(id, { ...deciderOf(call), scope, ttlSeconds }));
  },
};

export const deny: McpCommand = {
  name: 'deny',
  summary: 'refuse a call that waits',
  arguments: [ID],
  options: [NOTE],
  examples: [['approvals deny <id> --note "not today"', 'refuse it']],
  config: 'needed',
  run: (call) => decideApproval(call, (all, id) => all.deny(id, deciderOf(call))),
};

export const revoke: McpCommand = {
  name: 'revoke',
  summary: 'take an approval back that is not used up',
  arguments: [ID],
  options: [NOTE],
  examples: [['approvals revoke <id>', 'from now on it is asked again']],
  config: 'needed',
  run: (call) => decideApproval(call, (all, id) => all.revoke(id, deciderOf(call))),
};

export const prune: McpCommand = {
  name: 'prune',
  summary: 'forget those that are over',
  examples: [['approvals prune', 'what waits or is still good is kept']],
  config: 'needed',
  run: (call) =>
    withPlane(call, async (plane) => {
      const pruned = await plane.approvals.prune(plane.now());
      return { data: { pruned }, lines: () => ({ lines: [`${pruned} forgotten`] }) };
    }),
};

function decideApproval(
  call: McpCall,
  decide: (approvals: Approvals, id: string) => Promise<Approval>,
): Promise<McpOutput> {
  return withPlane(call, async (plane) => {
    const approval = await decide(plane.approvals, call.args.id ?? '').catch((error: unknown) => {
      throw isAppError(error, 'conflict') ? asUsage(error) : error;
    });
    const { id, state, server, capability, scope } = approval;
    const how = state === 'approved' && scope !== undefined ? ` (${scope})` : '';
    return {
      data: approvalData(approval),
      lines: () => ({ lines: [`${id} ${state}${how}: ${server} ${printable(capability, 200)}`] }),
    };
  });
}

/** To try again later would not help. */
function asUsage({ message, hint = 'See: quire mcp approvals' }: AppError): McpFailure {
  return new McpFailure('usage', { message, code: 'conflict', hint });
}

function deciderOf(call: McpCall): { by: string; note?: string } {
  const { note } = call.options;
  return { by: operatorName(call), note: typeof note === 'string' ? printable(note, 500) : undefined };
}

function ttlOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(String(given))) return Number(given);
  throw new AppError('invalid_input', '--ttl must be a number of seconds');
}
