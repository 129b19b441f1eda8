/**
 * The one path to a capability of an upstream server: verdict, approval where one is needed, audit record before the
 * call, the call itself, and a scan of its result.
 */
import type { UpstreamServer } from '../config/control-plane.ts';
import { isAppError } from '../shared/errors.ts';
import { isQuestions, type Questions } from '../upstream/nested/rounds.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type AuditEvent, type CallOutcome, proposalOf, runAudited, StartRefusal } from './audit/audit.ts';
import {
  approvalFor,
  argumentsIn,
  type CallAnswer,
  type CallContext,
  decisionFields,
  refused,
} from './call-parts.ts';
import { resultSteps, type ScannedResult } from './catalog/scan/scan.ts';
import {
  asSent,
  type CallRequest,
  type CallVerdict,
  type JudgeContext,
  judgeCall,
  judgeFromSnapshot,
  judgeRunning,
  type KnownVerdict,
  placeholder,
} from './judge-call.ts';
import type { Plane } from './plane.ts';
import { classify } from './policy/classify.ts';
import { allowedBy, CHANGED } from './policy/decide.ts';
import { denied, notApproved } from './refusals.ts';
import { deliver, release } from './results/deliver.ts';
import { handlingOf } from './results/handle.ts';
import type { CatalogEntry, Decision } from './types.ts';

export type { CallAnswer, CallContext } from './call-parts.ts';

/** A dry run: the server is asked for lists only, no approval is used up and no limit counts it. */
export async function decideCall(plane: CallContext, request: CallRequest): Promise<Decision> {
  const { judged } = await judge(plane, request);
  const { entry, decision } = judged;
  if (!entry) throw denied(request, decision);
  if (decision.outcome !== 'ask') return decision;
  const approval = await plane.approvals.find(approvalFor(plane, request, { ...judged, entry }));
  return approval ? allowedBy(approval.id) : decision;
}

/** Throws `forbidden` for a call that is denied, and `approval_required` for one that waits for an approval. */
export async function callCapability(plane: CallContext, request: CallRequest): Promise<CallAnswer> {
  await plane.ready();
  const { judged, isLive } = await judge(plane, request);
  const { server, decision, confinement } = judged;
  // A call of an unknown capability is recorded too.
  const entry = judged.entry ?? placeholder(server, request);
  const { call, proposed } = proposalOf({
    server: server.name,
    capability: entry.definition.name,
    kind: request.kind,
    by: request.by,
    class: classify(entry.definition, server, entry.observed),
    args: argumentsIn(request, entry),
  });
  if (decision.outcome === 'deny') {
    await plane.audit.record(proposed, { event: 'decided', ...call, ...decisionFields(decision) });
    throw denied(request, decision);
  }
  const run = async (approval?: string, ...first: AuditEvent[]): Promise<CallAnswer> => {
    const made = approval === undefined ? decision : allowedBy(approval);
    const decided: AuditEvent = { event: 'decided', ...call, ...decisionFields(made), approval };
    const before = [...first, decided];
    const running = { server, entry, call, decision: made, before, approval, confinement };
    const refuse = async (late: Decision) => {
      await plane.audit.record(...first, { event: 'decided', ...call, ...decisionFields(late) });
      throw denied(request, late);
    };
    if (!isLive && !(await isUnchanged(plane, request, entry))) return refuse(CHANGED);
    const answer = runCall(plane, request, running).catch((error: unknown) => {
      if (!(error instanceof StartRefusal)) throw error;
      return refuse(tooOften(plane, server));
    });
    return deliver(plane, request, { server, entry, answer: await answer });
  };
  const released = await release(plane, request, { server, entry, call, proposed });
  if (released) return released;
  if (decision.outcome === 'allow') return run(undefined, proposed);
  if (request.continues !== undefined) return run(request.continues, proposed);
  await plane.audit.record(proposed);
  const wanted = approvalFor(plane, request, { server, entry });
  // The approval is claimed under a lock shared by all processes; the call itself runs outside it.
  const claim = await plane.approvals.claim(wanted, async ({ id }) => ({ running: settle(run(id)) }));
  if (claim.outcome === 'started') return (await claim.started.running)();
  const { id } = claim.approval;
  const made = claim.outcome === 'denied' ? refused(id) : decision;
  await plane.audit.record({ event: 'decided', ...call, ...decisionFields(made), approval: id });
  throw notApproved(request, claim.outcome, { id, page: plane.approvalUrl(id) });
}

/** A call that may not run is judged by the last snapshot, so that no server is started to refuse it. */
async function judge(
  plane: CallContext,
  request: CallRequest,
): Promise<{ judged: CallVerdict; isLive: boolean }> {
  const now = judgeRunning(plane, request);
  if (now) return { judged: now, isLive: true };
  const judged = await judgeFromSnapshot(plane, request);
  if (judged && !(await mayRun(plane, request, judged))) return { judged, isLive: false };
  return { judged: await judgeCall(plane, request), isLive: true };
}

async function mayRun(plane: CallContext, request: CallRequest, judged: KnownVerdict): Promise<boolean> {
  if (judged.decision.outcome !== 'ask') return judged.decision.outcome === 'allow';
  return (await plane.approvals.find(approvalFor(plane, request, judged))) !== undefined;
}

/** The approval came between the verdict from the snapshot and the claim, so the server's definition is checked now. */
async function isUnchanged(
  plane: JudgeContext,
  request: CallRequest,
  { fingerprint }: CatalogEntry,
): Promise<boolean> {
  const { entry, decision } = await judgeCall(plane, request);
  return entry?.fingerprint === fingerprint && decision.outcome !== 'deny';
}

interface RunningCall extends KnownVerdict {
  readonly call: ReturnType<typeof proposalOf>['call'];
  readonly before: readonly AuditEvent[];
  readonly approval?: string;
}

async function runCall(plane: CallContext, request: CallRequest, running: RunningCall): Promise<CallAnswer> {
  const { server, entry, call, decision, before, approval, confinement } = running;
  const begun = performance.now();
  const { result, findings, suspicious, questions } = await runAudited(plane.audit, {
    call,
    approval,
    before,
    // Another process may have used up the rate limit since the decision.
    room: () => plane.rates.room(server.name),
    run: async () => scanAnswer(plane, server, await observedAnswer(plane, request, running)),
    outcomeOf: ({ result: { isError } }) => (isError === true ? 'tool_error' : 'ok'),
    findingsOf: (answer) => answer.findings.map(({ code }) => code),
    handlingOf: (answer) => handlingOf(server, answer.findings),
    outcomeOfError: outcomeOf,
    log: plane.log,
  });
  return {
    decision,
    result,
    findings,
    suspicious,
    questions,
    isError: result.isError === true,
    sent: asSent(request, entry).name,
    milliseconds: performance.now() - begun,
    confinement,
  };
}

/** Asks the server, and notes what the tool does beside its answer. */
async function observedAnswer(
  plane: CallContext,
  request: CallRequest,
  { server, entry }: Pick<RunningCall, 'server' | 'entry'>,
): Promise<Record<string, unknown>> {
  const upstream = await plane.upstream(server);
  const isReading = classify(entry.definition, server, entry.observed) === 'read_only';
  const tool = entry.definition.name;
  const end =
    request.kind === 'tool'
      ? plane.observations.begin({ server: server.name, tool, isReading }, upstream)
      : undefined;
  let result: Record<string, unknown> | undefined;
  try {
    result = await ask(upstream, request, entry);
    return result;
  } finally {
    end?.(result);
  }
}

type ScannedAnswer = ScannedResult<Record<string, unknown>> & Pick<CallAnswer, 'questions'>;

async function scanAnswer(
  plane: Pick<Plane, 'scan'>,
  { name }: UpstreamServer,
  answer: Record<string, unknown>,
): Promise<ScannedAnswer> {
  const scan = await plane.scan(name, resultSteps(answer));
  if (!isQuestions(answer)) return scan;
  // The server's `requestState` goes back to it unscanned.
  const { requestState } = answer;
  const shown = scan.result as unknown as Questions;
  return { ...scan, questions: { ...shown, requestState } };
}

async function ask(
  upstream: Upstream,
  request: CallRequest,
  entry: CatalogEntry,
): Promise<Record<string, unknown>> {
  const sent = asSent(request, entry);
  const { kind, name, args } = sent;
  switch (kind) {
    case 'tool':
      return upstream.call(name, { ...args }, { ...sent, inputSchema: entry.definition.inputSchema });
    case 'prompt':
      return upstream.getPrompt(name, textsOf(args), sent);
    case 'resource':
    case 'template':
      return upstream.read(name, sent);
  }
}

function textsOf(args: CallRequest['args']): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
}

function outcomeOf(error: unknown): CallOutcome {
  switch (isAppError(error) ? error.reason : undefined) {
    case 'timeout':
      return 'timeout';
    case 'cancelled':
      return 'cancelled';
    default:
      return isAppError(error) ? 'transport' : 'tool_error';
  }
}

/** Lets a lock return a promise without awaiting it; its failure is rethrown by the returned function. */
async function settle<T>(work: Promise<T>): Promise<() => T> {
  const [end] = await Promise.allSettled([work]);
  return () => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  };
}

function tooOften({ rates }: Pick<Plane, 'rates'>, { name }: UpstreamServer): Decision {
  const reason = rates.problem(name) ?? 'Too many calls at once. Try again.';
  return { outcome: 'deny', code: 'rate_limited', rule: 'limits', reason };
}
