/**
 * The one way to something an upstream server offers: what it is, whether it may be used, an approval where one is
 * needed, a line in the audit log before anything happens, the call, and a look at what came back.
 */
import { randomUUID } from 'node:crypto';
import type { UpstreamServer } from '../config/control-plane.ts';
import { isAppError } from '../shared/errors.ts';
import type { CapabilityKind } from '../upstream/definition.ts';
import { reasonOf } from '../upstream/failure.ts';
import { isQuestions, type Questions } from '../upstream/nested/rounds.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { ApprovalRequest } from './approvals/approval.ts';
import { type AuditEvent, argumentsOf, type CallOutcome, NotStarted, runAudited } from './audit/audit.ts';
import { type ScannedResult, scanResult } from './catalog/scan/result.ts';
import {
  type CallRequest,
  type JudgedCall,
  judgedCall,
  judgedFromMemory,
  placeholder,
} from './judge-call.ts';
import type { Plane } from './plane.ts';
import { classify } from './policy/classify.ts';
import { denied, notApproved } from './refusals.ts';
import type { CatalogEntry, Decision } from './types.ts';

export interface CallAnswer {
  readonly decision: Decision;
  /** What the server answered, without hidden characters. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly findings: ScannedResult<unknown>['findings'];
  /** Instead of an answer, what the server wants to know first. */
  readonly questions?: Questions;
  readonly isError: boolean;
  readonly milliseconds: number;
}

/** What would become of the call; nothing but lists is asked for, no approval is taken, and it counts for no limit. */
export async function decideCall(plane: Plane, request: CallRequest): Promise<Decision> {
  const { judged } = await judge(plane, request);
  const { entry, decision } = judged;
  if (!entry) throw denied(request, decision);
  if (decision.outcome !== 'ask') return decision;
  const approval = await plane.approvals.find(approvalFor(plane, request, { ...judged, entry }));
  return approval ? approved(approval.id) : decision;
}

/** Throws `forbidden` for what may not be done, and `approval_required` for what somebody has to approve first. */
export async function callCapability(plane: Plane, request: CallRequest): Promise<CallAnswer> {
  const { judged, isLive } = await judge(plane, request);
  const { server, decision } = judged;
  // What nobody knows is written down all the same: somebody tried.
  const entry = judged.entry ?? placeholder(server, request);
  const call = {
    call: randomUUID(),
    server: server.name,
    capability: entry.definition.name,
    kind: request.kind,
  };
  const proposed: AuditEvent = {
    event: 'proposed',
    ...call,
    by: request.by,
    class: classify(entry.definition, server),
    ...argumentsOf(argumentsIn(request)),
  };
  if (decision.outcome === 'deny') {
    const { outcome, code, rule } = decision;
    await plane.audit.record(proposed, { event: 'decided', ...call, outcome, code, rule });
    throw denied(request, decision);
  }
  const run = async (approval?: string, ...first: AuditEvent[]): Promise<CallAnswer> => {
    const made = approval === undefined ? decision : approved(approval);
    const decided: AuditEvent = { event: 'decided', ...call, ...facts(made), ...withApproval(approval) };
    const before = [...first, decided];
    const running = { server, entry, call, decision: made, before, ...withApproval(approval) };
    const refuse = async (late: Decision) => {
      await plane.audit.record(...first, { event: 'decided', ...call, ...facts(late) });
      throw denied(request, late);
    };
    if (!isLive && !(await isStill(plane, request, entry))) return refuse(CHANGED);
    return runCall(plane, request, running).catch((error: unknown) => {
      if (!(error instanceof NotStarted)) throw error;
      return refuse(tooOften(plane, server));
    });
  };
  if (decision.outcome === 'allow') return run(undefined, proposed);
  if (request.continues !== undefined) return run(request.continues, proposed);
  await plane.audit.record(proposed);
  const wanted = approvalFor(plane, request, { server, entry });
  // The approval is taken in one step among all processes; the call itself keeps nobody waiting.
  const claim = await plane.approvals.claim(wanted, async ({ id }) => ({ running: settled(run(id)) }));
  if (claim.outcome === 'started') return (await claim.started.running)();
  const { id } = claim.approval;
  const made = claim.outcome === 'denied' ? refused(id) : decision;
  await plane.audit.record({ event: 'decided', ...call, ...facts(made), approval: id });
  throw notApproved(request, claim.outcome, id);
}

/** From memory as long as nothing is to run, so that nothing is started for what is refused or has to be asked first. */
async function judge(plane: Plane, request: CallRequest): Promise<{ judged: JudgedCall; isLive: boolean }> {
  const remembered = await judgedFromMemory(plane, request);
  if (remembered?.entry && !(await mayRun(plane, request, { ...remembered, entry: remembered.entry })))
    return { judged: remembered, isLive: false };
  return { judged: await judgedCall(plane, request), isLive: true };
}

async function mayRun(
  plane: Plane,
  request: CallRequest,
  judged: JudgedCall & { readonly entry: CatalogEntry },
): Promise<boolean> {
  if (judged.decision.outcome !== 'ask') return judged.decision.outcome === 'allow';
  return (await plane.approvals.find(approvalFor(plane, request, judged))) !== undefined;
}

/** Somebody approved it between the look and the claim: the server has not been looked at yet. */
async function isStill(plane: Plane, request: CallRequest, { fingerprint }: CatalogEntry): Promise<boolean> {
  const { entry, decision } = await judgedCall(plane, request);
  return entry?.fingerprint === fingerprint && decision.outcome !== 'deny';
}

const CHANGED: Decision = {
  outcome: 'deny',
  code: 'definition_changed',
  rule: 'definition',
  reason: 'It is not what was approved any more.',
};

/** Of a template's resources, the one that was meant. */
function argumentsIn({ kind, name, args }: CallRequest): CallRequest['args'] {
  return kind === 'resource' ? { uri: name } : args;
}

function approvalFor(
  plane: Plane,
  request: CallRequest,
  { server, entry }: { server: UpstreamServer; entry: CatalogEntry },
): ApprovalRequest {
  return {
    kind: 'call',
    server: server.name,
    capability: entry.definition.name,
    class: classify(entry.definition, server),
    args: argumentsIn(request),
    fingerprint: entry.fingerprint,
    policyVersion: plane.policyVersion,
    requestedBy: request.by,
    session: plane.session,
  };
}

interface RunningCall {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry;
  readonly call: { call: string; server: string; capability: string; kind: CapabilityKind };
  readonly decision: Decision;
  readonly before: readonly AuditEvent[];
  readonly approval?: string;
}

async function runCall(plane: Plane, request: CallRequest, running: RunningCall): Promise<CallAnswer> {
  const { server, entry, call, decision, before, approval } = running;
  const begun = performance.now();
  const { result, findings, questions } = await runAudited(plane.audit, {
    ...call,
    ...withApproval(approval),
    before,
    // Another process may have been first since this was decided.
    mayStart: () => plane.rates.problem(server.name) === undefined,
    run: async () => scanned(await ask(await plane.upstream(server), request, entry)),
    outcomeOf: ({ result: { isError } }) => (isError === true ? 'tool_error' : 'ok'),
    findingsOf: (answer) => answer.findings.map(({ code }) => code),
    outcomeOfError: outcomeOf,
    log: plane.log,
  });
  return {
    decision,
    result,
    findings,
    questions,
    isError: result.isError === true,
    milliseconds: performance.now() - begun,
  };
}

type ScannedAnswer = ScannedResult<Record<string, unknown>> & Pick<CallAnswer, 'questions'>;

function scanned(answer: Record<string, unknown>): ScannedAnswer {
  const scan = scanResult(answer);
  if (!isQuestions(answer)) return scan;
  // What the server keeps for itself goes back to it as it is.
  const { requestState } = answer;
  const shown = scan.result as unknown as Questions;
  const questions = { ...shown, ...(requestState !== undefined && { requestState }) };
  return { ...scan, questions };
}

async function ask(
  upstream: Upstream,
  request: CallRequest,
  { definition }: CatalogEntry,
): Promise<Record<string, unknown>> {
  const { server: _, kind, name, args, by: __, continues: ___, ...options } = request;
  switch (kind) {
    case 'tool':
      return upstream.call(name, { ...args }, { ...options, inputSchema: definition.inputSchema });
    case 'prompt':
      return upstream.getPrompt(name, textsOf(args), options);
    case 'resource':
    case 'template':
      return upstream.read(name, options);
  }
}

function textsOf(args: CallRequest['args']): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
}

function outcomeOf(error: unknown): CallOutcome {
  switch (reasonOf(error)) {
    case 'timeout':
      return 'timeout';
    case 'cancelled':
      return 'cancelled';
    default:
      return isAppError(error) ? 'transport' : 'tool_error';
  }
}

/** A promise that can be carried out of a lock: nobody else waits for it, and its failure is not lost. */
async function settled<T>(work: Promise<T>): Promise<() => T> {
  const [end] = await Promise.allSettled([work]);
  return () => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  };
}

function facts({ outcome, code, rule }: Decision): Pick<Decision, 'outcome' | 'code' | 'rule'> {
  return { outcome, code, rule };
}

function withApproval(approval: string | undefined): { approval?: string } {
  return approval === undefined ? {} : { approval };
}

function tooOften({ rates }: Plane, { name }: UpstreamServer): Decision {
  const reason = rates.problem(name) ?? 'Too many calls at once. Try again.';
  return { outcome: 'deny', code: 'rate_limited', rule: 'limits', reason };
}

function approved(id: string): Decision {
  return { outcome: 'allow', code: 'approval', rule: `approval:${id}`, reason: 'It was approved.' };
}

function refused(id: string): Decision {
  return {
    outcome: 'deny',
    code: 'approval_denied',
    rule: `approval:${id}`,
    reason: 'Somebody refused this call.',
  };
}
