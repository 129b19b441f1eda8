/**
 * Delivers the result of a call as `results.on_finding` of its server says: as it is, fenced, not at all, or once a person
 * has released it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApprovalRequest } from '../approvals/approval.ts';
import type { proposalOf } from '../audit/audit.ts';
import {
  approvalFor,
  argumentsIn,
  type CallAnswer,
  type CallContext,
  decisionFields,
  refused,
} from '../call-parts.ts';
import { resultSteps } from '../catalog/scan/scan.ts';
import { asSent, type CallRequest, type KnownVerdict } from '../judge-call.ts';
import type { Plane } from '../plane.ts';
import { allowedBy } from '../policy/decide.ts';
import { notApproved } from '../refusals.ts';
import type { CatalogEntry } from '../types.ts';
import { fenceResult } from './fence.ts';
import { blockedResult, handlingOf, heldResult, releaseArguments } from './handle.ts';
import type { HeldCall, HeldResult } from './held.ts';

interface AnsweredCall extends Pick<KnownVerdict, 'server' | 'entry'> {
  readonly answer: CallAnswer;
}

/** The answer as the caller gets it: as it is, fenced, after an approval, or not at all. */
export async function deliver(
  plane: CallContext,
  request: CallRequest,
  { server, entry, answer }: AnsweredCall,
): Promise<CallAnswer> {
  const { result, findings } = answer;
  switch (answer.questions ? 'pass' : handlingOf(server, findings)) {
    case 'pass':
      return answer;
    case 'fence': {
      const wrapped = fenced(request, answer);
      // A large answer is sent in another turn than it is fenced in.
      await nextTurn();
      return wrapped;
    }
    case 'block':
      throw blockedResult(request, findings);
    case 'ask': {
      const approvalArgs = releaseArguments(argumentsIn(request, entry), result, findings);
      await plane.held.put(heldCall(request, entry), { result: { ...result }, findings, approvalArgs });
      const wanted = releaseFor(plane, request, { server, entry, approvalArgs });
      const { approval } = await plane.approvals.claim(wanted, async () => undefined);
      throw heldResult(request, findings, { id: approval.id, page: plane.approvalUrl(approval.id) });
    }
  }
}

function fenced({ server, unfenced }: CallRequest, answer: CallAnswer): CallAnswer {
  if (unfenced) return answer;
  const { findings, suspicious } = answer;
  return { ...answer, result: fenceResult(answer.result, { server, findings, suspicious }) };
}

function heldCall(request: CallRequest, entry: CatalogEntry): HeldCall {
  const { server, by } = request;
  return { server, capability: entry.definition.name, by, args: argumentsIn(request, entry) };
}

interface ReleasedCall extends Pick<KnownVerdict, 'server' | 'entry'> {
  readonly approvalArgs: HeldResult['approvalArgs'];
}

function releaseFor(
  plane: Pick<Plane, 'policyVersion' | 'session'>,
  request: CallRequest,
  { server, entry, approvalArgs }: ReleasedCall,
): ApprovalRequest {
  return { ...approvalFor(plane, request, { server, entry }), kind: 'result', args: approvalArgs };
}

/** The held answer of an earlier call, once a person has released it; undefined where none is held. */
export async function release(
  plane: CallContext,
  request: CallRequest,
  { server, entry, call, proposed }: Pick<KnownVerdict, 'server' | 'entry'> & ReturnType<typeof proposalOf>,
): Promise<CallAnswer | undefined> {
  if (server.results.onFinding !== 'ask' || request.continues !== undefined) return undefined;
  const held = await plane.held.of(heldCall(request, entry));
  if (!held) return undefined;
  const { result, findings, approvalArgs } = held;
  const wanted = releaseFor(plane, request, { server, entry, approvalArgs });
  const { outcome, approval } = await plane.approvals.claim(wanted, async () => undefined);
  const { id } = approval;
  if (outcome === 'pending') throw heldResult(request, findings, { id, page: plane.approvalUrl(id) });
  await plane.held.remove(heldCall(request, entry));
  if (outcome === 'expired') return undefined;
  const decision = outcome === 'started' ? allowedBy(id) : refused(id);
  await plane.audit.record(proposed, {
    event: 'decided',
    ...call,
    ...decisionFields(decision),
    approval: id,
  });
  if (outcome === 'denied') throw notApproved(request, outcome, { id, page: undefined });
  const isError = result.isError === true;
  const sent = asSent(request, entry).name;
  const { suspicious } = await plane.scan(server.name, resultSteps(result));
  return fenced(request, { decision, result, findings, suspicious, isError, sent, milliseconds: 0 });
}
