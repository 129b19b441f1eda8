/** Calls by exposed name. A hidden capability looks missing to the client, and the refusal is recorded in the audit log. */
import { randomUUID } from 'node:crypto';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { isAppError, isPolicyReason, type PolicyReason } from '../../shared/errors.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import { argumentsOf, runAudited } from '../audit/audit.ts';
import { type CallAnswer, type CallContext, callCapability } from '../call.ts';
import { scanResult } from '../catalog/scan/scan.ts';
import { type CallRequest, expands, judgeCapability } from '../judge-call.ts';
import type { Plane } from '../plane.ts';
import { classify } from '../policy/classify.ts';
import { denied, notReached } from '../refusals.ts';
import { completionsOf } from '../usage.ts';
import type { ExposedCapabilities } from './list.ts';
import { type Exposure, reservation } from './visibility.ts';

/** A completion sends the typed text to the server, so it is judged and recorded like a call. */
interface CompleteRequest {
  readonly server: string;
  readonly kind: 'prompt' | 'template';
  /** Name of the prompt, or the URI template. */
  readonly name: string;
  readonly argument: string;
  readonly value: string;
  readonly known: Readonly<Record<string, string>>;
  readonly by: string;
  readonly signal: AbortSignal;
}

interface CompletionResult {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Throws `forbidden` also for a capability that needs an approval: a completion cannot wait for one. */
async function completeCapability(plane: CallContext, request: CompleteRequest): Promise<CompletionResult> {
  const { kind, name, argument, value, known, by, signal } = request;
  const judged = await judgeCapability(plane, request);
  const { server, entry } = judged;
  const call = { call: randomUUID(), server: server.name, capability: name, kind };
  const args = argumentsOf({ argument, value, known });
  const proposed = {
    event: 'proposed',
    ...call,
    by,
    class: classify(entry?.definition ?? { kind, name }, server),
    ...args,
  } as const;
  plane.audit.catchUp();
  const limit = plane.rates.problem(completionsOf(server.name));
  const isFree = judged.decision.outcome === 'allow' && limit === undefined;
  if (!isFree) {
    const { code, rule } = judged.decision;
    const made = limit === undefined ? { code, rule } : { code: 'rate_limited' as const, rule: 'limits' };
    await plane.audit.record(proposed, {
      event: 'decided',
      ...call,
      outcome: 'deny',
      completes: true,
      ...made,
    });
    throw denied(request, { ...judged.decision, ...made, outcome: 'deny' });
  }
  const { outcome, code, rule } = judged.decision;
  const ref =
    kind === 'prompt' ? { type: 'ref/prompt' as const, name } : { type: 'ref/resource' as const, uri: name };
  const { result } = await runAudited(plane.audit, {
    ...call,
    before: [proposed, { event: 'decided', ...call, outcome, code, rule, completes: true }],
    run: async () => {
      const upstream = await plane.upstream(server);
      const context = Object.keys(known).length > 0 ? { context: { arguments: { ...known } } } : {};
      const params = { ref, argument: { name: argument, value }, ...context };
      return scanResult(await upstream.complete(params, { signal }));
    },
    outcomeOf: () => 'ok',
    findingsOf: ({ findings }) => findings.map(({ code: found }) => found),
    outcomeOfError: () => 'transport',
    log: plane.log,
  });
  const { values, total, hasMore } = result.completion;
  return { values, total, hasMore };
}

interface ExposedCall extends Omit<CallRequest, 'server' | 'kind' | 'name'> {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** `server__tool`, or as the server calls it; of a resource its URI. */
  readonly name: string;
}

interface ExposedName {
  readonly server: UpstreamServer;
  readonly name: string;
}

/** Throws for a caller that may not use the capability. */
type UsageGuard = (exposure: Exposure) => void;

/** Refusals about the call, not about the capability: a client that sees the capability may read them. */
const ABOUT_THE_CALL: readonly PolicyReason[] = ['invalid_arguments', 'rate_limited', 'approval_denied'];

/** Undefined for a name without the prefix of a configured server, or of one whose names are plain. */
export function partsOf({ config }: Pick<Plane, 'config'>, name: string): ExposedName | undefined {
  const at = name.indexOf('__');
  const server = config.servers.find((one) => at > 0 && one.name === name.slice(0, at));
  return server?.exposeAs === 'plain' ? undefined : server && { server, name: name.slice(at + 2) };
}

type CapabilityReference = Pick<ExposedCall, 'name'> & { readonly kind: CapabilityKind };

/**
 * Finds a capability by its exposed name, a visible one first. Lists do not wait long for a slow server; a lookup that
 * finds nothing waits for the servers that may still have it.
 */
export async function findExposed(
  plane: Pick<Plane, 'config'>,
  exposed: ExposedCapabilities,
  wanted: CapabilityReference,
): Promise<Exposure | undefined> {
  const found = await findListed(plane, exposed, wanted);
  if (found) return found;
  const isUri = wanted.kind === 'resource' || wanted.kind === 'template';
  const owner = isUri ? undefined : partsOf(plane, wanted.name)?.server.name;
  return (await exposed.arrival(owner)) ? findListed(plane, exposed, wanted) : undefined;
}

async function findListed(
  plane: Pick<Plane, 'config'>,
  exposed: ExposedCapabilities,
  { kind, name }: CapabilityReference,
): Promise<Exposure | undefined> {
  const of = (exposures: readonly Exposure[]) => exposures.find(({ isVisible }) => isVisible) ?? exposures[0];
  const all = await exposed.look();
  const ofKind = (wanted: CapabilityKind) =>
    all.filter(({ candidate }) => candidate.entry.definition.kind === wanted);
  const found = of(ofKind(kind).filter((one) => one.name === name));
  if (kind !== 'resource' || found?.isVisible) return found;
  const order = plane.config.servers.map((server) => server.name);
  const place = ({ candidate }: Exposure) => order.indexOf(candidate.entry.server);
  const templates = ofKind('template').filter((one) => expands(one.name, name));
  return of(templates.sort((a, b) => place(a) - place(b))) ?? found;
}

/** Undefined when nothing of that name is offered. */
export async function callExposed(
  plane: CallContext,
  exposed: ExposedCapabilities,
  request: ExposedCall,
  mayUse: UsageGuard,
): Promise<CallAnswer | undefined> {
  const { kind, name } = request;
  const found = await visible(plane, exposed, request);
  if (!found) return undefined;
  mayUse(found);
  const { server, definition } = found.candidate.entry;
  const own = kind === 'resource' ? name : definition.name;
  return unlessHidden(exposed, () => callCapability(plane, { ...request, server, name: own }));
}

interface ExposedCompletion extends Omit<CompleteRequest, 'server'> {}

export async function completeExposed(
  plane: CallContext,
  exposed: ExposedCapabilities,
  request: ExposedCompletion,
  mayUse: UsageGuard,
): Promise<CompletionResult | undefined> {
  const found = await visible(plane, exposed, { ...request, args: {} });
  if (!found || found.needsApproval) return undefined;
  mayUse(found);
  const { server, definition } = found.candidate.entry;
  return unlessHidden(exposed, () =>
    completeCapability(plane, { ...request, server, name: definition.name }),
  );
}

/** Undefined for a hidden capability; the refusal is recorded when its server is known. */
async function visible(
  plane: Pick<Plane, 'config' | 'server' | 'audit'>,
  exposed: ExposedCapabilities,
  request: Pick<ExposedCall, 'name' | 'args' | 'by'> & { readonly kind: CapabilityKind },
): Promise<Exposure | undefined> {
  const found = await findExposed(plane, exposed, request);
  if (found?.isVisible) return found;
  const parts = found
    ? { server: plane.server(found.candidate.entry.server), name: found.candidate.entry.definition.name }
    : request.kind === 'resource' || request.kind === 'template'
      ? undefined
      : partsOf(plane, request.name);
  if (parts) await recordRefusal(plane, parts, { ...request, rule: found?.reason ?? 'catalog' });
  const failed = found ? undefined : failedOwner(plane, exposed, request);
  if (failed) throw notReached(failed, request.name, exposed.failureOf(failed.name));
  return undefined;
}

/** The server that has a tool or prompt of this name, or may have it, and could not be asked. */
function failedOwner(
  plane: Pick<Plane, 'config' | 'server'>,
  exposed: ExposedCapabilities,
  { kind, name }: { readonly kind: CapabilityKind; readonly name: string },
): UpstreamServer | undefined {
  if (kind !== 'tool' && kind !== 'prompt') return undefined;
  const { servers, exposure } = plane.config;
  const owner = partsOf(plane, name)?.server;
  const candidates = owner ? [owner] : servers.filter(({ exposeAs }) => exposeAs === 'plain');
  // The name of a hidden server stays hidden in errors too.
  const isShown = (server: UpstreamServer) =>
    server.expose &&
    reservation({ consent: server.clientConsent, trust: server.trust }, exposure) === undefined;
  return candidates.find((server) => isShown(server) && exposed.failureOf(server.name) !== undefined);
}

async function unlessHidden<T>(exposed: ExposedCapabilities, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error) || !isPolicyReason(error.reason)) throw error;
    const isHidden = error.code === 'not_found' || error.code === 'forbidden';
    if (!isHidden || ABOUT_THE_CALL.includes(error.reason)) throw error;
    exposed.stale();
    return undefined;
  }
}

interface Refusal extends Pick<ExposedCall, 'args' | 'by'> {
  readonly kind: CapabilityKind;
  readonly rule: string;
}

async function recordRefusal(
  plane: Pick<Plane, 'audit'>,
  { server, name }: ExposedName,
  { kind, args, by, rule }: Refusal,
): Promise<void> {
  const call = { call: randomUUID(), server: server.name, capability: name, kind } as const;
  const actionClass = classify({ kind, name }, server);
  await plane.audit.record(
    { event: 'proposed', ...call, by, class: actionClass, ...argumentsOf(args) },
    { event: 'decided', ...call, outcome: 'deny', code: 'not_exposed', rule },
  );
}
