/** Calls by exposed name. A hidden capability looks missing to the client, and the refusal is recorded in the audit log. */
import type { CompleteResult } from '@modelcontextprotocol/client';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { isAppError, isPolicyReason, type PolicyReason } from '../../shared/errors.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import { proposalOf, runAudited } from '../audit/audit.ts';
import { type CallAnswer, type CallContext, callCapability } from '../call.ts';
import { resultSteps, type ScannedResult } from '../catalog/scan/scan.ts';
import { type CallRequest, expands, judgeCapability } from '../judge-call.ts';
import type { Plane } from '../plane.ts';
import { classify } from '../policy/classify.ts';
import { canonicalUri } from '../policy/uri.ts';
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
  const { call, proposed } = proposalOf({
    server: server.name,
    capability: name,
    kind,
    by,
    class: classify(entry?.definition ?? { kind, name }, server, entry?.observed),
    args: { argument, value, known },
  });
  plane.audit.catchUp();
  const limit = plane.rates.problem(completionsOf(server.name));
  const { outcome, code, rule } = judged.decision;
  if (outcome !== 'allow' || limit !== undefined) {
    const made = limit === undefined ? { code, rule } : { code: 'rate_limited' as const, rule: 'limits' };
    const refusal = { outcome: 'deny', completes: true, ...made } as const;
    await plane.audit.record(proposed, { event: 'decided', ...call, ...refusal });
    throw denied(request, { ...judged.decision, ...refusal });
  }
  const ref =
    kind === 'prompt' ? { type: 'ref/prompt' as const, name } : { type: 'ref/resource' as const, uri: name };
  const { result } = await runAudited(plane.audit, {
    call,
    before: [proposed, { event: 'decided', ...call, outcome, code, rule, completes: true }],
    run: async () => {
      const upstream = await plane.upstream(server);
      const context = Object.keys(known).length > 0 ? { context: { arguments: { ...known } } } : {};
      const params = { ref, argument: { name: argument, value }, ...context };
      const completed = await upstream.complete(params, { signal });
      return withoutFindings(await plane.scan(server.name, resultSteps(completed)), server);
    },
    outcomeOf: () => 'ok',
    findingsOf: ({ findings }) => findings.map(({ code: found }) => found),
    outcomeOfError: () => 'transport',
    log: plane.log,
  });
  const { values, total, hasMore } = result.completion;
  return { values, total, hasMore };
}

/** A suggestion cannot be fenced: where something was found, there are none. */
function withoutFindings(
  scanned: ScannedResult<CompleteResult>,
  { results }: UpstreamServer,
): ScannedResult<CompleteResult> {
  if (scanned.findings.length === 0 || results.onFinding === 'pass') return scanned;
  return { ...scanned, result: { completion: { values: [] } } };
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

type CapabilityReference = Pick<ExposedCall, 'name'> & { readonly kind: CapabilityKind };

/** Refusals about the call, not about the capability: a client that sees the capability may read them. */
const ABOUT_THE_CALL: readonly PolicyReason[] = [
  'invalid_arguments',
  'rate_limited',
  'approval_denied',
  'findings',
];

/** Undefined for a name without the prefix of a configured server, or of one whose names are plain. */
export function partsOf({ config }: Pick<Plane, 'config'>, name: string): ExposedName | undefined {
  const at = name.indexOf('__');
  const server = config.servers.find((one) => at > 0 && one.name === name.slice(0, at));
  return server?.exposeAs === 'plain' ? undefined : server && { server, name: name.slice(at + 2) };
}

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
  const known = exposed.known(kind, name);
  if (known) return known;
  const of = (exposures: readonly Exposure[]) => exposures.find(({ isVisible }) => isVisible) ?? exposures[0];
  const all = await exposed.look();
  const ofKind = (wanted: CapabilityKind) =>
    all.filter(({ candidate }) => candidate.entry.definition.kind === wanted);
  const named = of(ofKind(kind).filter((one) => one.name === name));
  if (kind !== 'resource' || named?.isVisible) return named;
  const uri = canonicalUri(name);
  const found = named ?? of(ofKind(kind).filter((one) => canonicalUri(one.name) === uri));
  if (found?.isVisible) return found;
  const order = plane.config.servers.map((server) => server.name);
  const place = ({ candidate }: Exposure) => order.indexOf(candidate.entry.server);
  const templates = ofKind('template').filter((one) => expands(one.name, uri));
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

export async function completeExposed(
  plane: CallContext,
  exposed: ExposedCapabilities,
  request: Omit<CompleteRequest, 'server'>,
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
  request: CapabilityReference & Pick<ExposedCall, 'args' | 'by'>,
): Promise<Exposure | undefined> {
  const found = await findExposed(plane, exposed, request);
  if (found?.isVisible) return found;
  const parts = found
    ? { server: plane.server(found.candidate.entry.server), name: found.candidate.entry.definition.name }
    : request.kind === 'resource' || request.kind === 'template'
      ? undefined
      : partsOf(plane, request.name);
  if (parts) {
    const { kind, by, args } = request;
    const { server, name } = parts;
    const actionClass = classify({ kind, name }, server);
    const proposal = { server: server.name, capability: name, kind, by, class: actionClass, args };
    const { call, proposed } = proposalOf(proposal);
    const rule = found?.reason ?? 'catalog';
    const refusal = { event: 'decided', ...call, outcome: 'deny', code: 'not_exposed', rule } as const;
    await plane.audit.record(proposed, refusal);
  }
  const failed = found ? undefined : failedOwner(plane, exposed, request);
  if (failed) throw notReached(failed, request.name, exposed.failureOf(failed.name));
  return undefined;
}

/** The server that has a tool or prompt of this name, or may have it, and could not be asked. */
function failedOwner(
  plane: Pick<Plane, 'config' | 'server'>,
  exposed: ExposedCapabilities,
  { kind, name }: CapabilityReference,
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
