/** Judges a call: finds its capability in the server's present definitions or the last snapshot, and decides. */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { CapabilityKind, Definition, Rejection } from '../upstream/definition.ts';
import type { CallOptions } from '../upstream/nested/rounds.ts';
import type { Confinement } from '../upstream/sandbox/confinement.ts';
import type { Plane } from './plane.ts';
import { decide } from './policy/decide.ts';
import { canonicalUri } from './policy/uri.ts';
import { mayStart } from './safety/judge.ts';
import { type CatalogEntry, type Decision, STRICTEST_FIRST } from './types.ts';

export type JudgeContext = Pick<
  Plane,
  | 'config'
  | 'server'
  | 'verdict'
  | 'running'
  | 'freshCatalog'
  | 'lastCatalog'
  | 'audit'
  | 'rates'
  | 'argumentProblem'
>;

export interface CallRequest extends CallOptions {
  readonly server: string;
  readonly kind: CapabilityKind;
  /** A tool's or prompt's name, or the URI that is to be read. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The caller, for the log and for the approver. */
  readonly by: string;
  /** The texts are fenced by the caller, where they need it, or go to no model. */
  readonly unfenced?: true;
  /** Id of the approval that the first round of this call used, when this is a later round. */
  readonly continues?: string;
}

export interface CallVerdict {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry | undefined;
  readonly decision: Decision;
  /** What a stdio server runs in. */
  readonly confinement?: Confinement;
}

/** Of a capability that the server has. */
export interface KnownVerdict extends CallVerdict {
  readonly entry: CatalogEntry;
}

/** Judges by the definition of a server that runs; undefined where that takes a wait. */
export function judgeRunning(plane: JudgeContext, request: CallRequest): CallVerdict | undefined {
  const server = plane.server(request.server);
  const known = plane.running(server);
  if (!known || !mayStart(server, known.verdict.rejections)) return undefined;
  const entry = entryIn(known.comparison.entries, request);
  const { rejections, confinement } = known.verdict;
  return judgeEntry(plane, request, { server, entry, rejections, confinement });
}

/** Judges by the server's present definition; the server is started for it. */
export async function judgeCall(plane: JudgeContext, request: CallRequest): Promise<CallVerdict> {
  return judgeEntry(plane, request, await subjectOf(plane, request));
}

/** Judges by the last snapshot, without starting the server. Undefined when no snapshot has the capability. */
export async function judgeFromSnapshot(
  plane: JudgeContext,
  request: CallRequest,
): Promise<KnownVerdict | undefined> {
  const server = plane.server(request.server);
  const entries = await plane.lastCatalog(server);
  if (!entries) return undefined;
  const { rejections, confinement } = await plane.verdict(server);
  if (!mayStart(server, rejections)) return undefined;
  const entry = entryIn(entries, request);
  return entry && { ...judgeEntry(plane, request, { server, entry, rejections, confinement }), entry };
}

/** Judges the capability without arguments or limits, as lists do. */
export async function judgeCapability(
  plane: JudgeContext,
  capability: CapabilityReference,
): Promise<CallVerdict> {
  const subject = await subjectOf(plane, capability);
  const { server, entry } = subject;
  const { name: uri } = asSent(capability, entry);
  const own = decide(subject, plane.config);
  return { server, entry, decision: strictest([own, ...aboutUri(plane, server, { entry, uri })]) };
}

type CapabilityReference = Pick<CallRequest, 'server' | 'kind' | 'name' | 'signal'>;

interface CallSubject {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry | undefined;
  readonly rejections: readonly Rejection[];
  readonly confinement?: Confinement;
}

async function subjectOf(plane: JudgeContext, request: CapabilityReference): Promise<CallSubject> {
  const server = plane.server(request.server);
  const { rejections, confinement } = await plane.verdict(server);
  // Every call to a server that may not be started is refused for the same reason.
  const entry = mayStart(server, rejections)
    ? await entryFor(plane, server, request)
    : placeholder(server, request);
  return { server, entry, rejections, confinement };
}

function judgeEntry(plane: JudgeContext, request: CallRequest, subject: CallSubject): CallVerdict {
  const { server, entry, confinement } = subject;
  const own = decide(
    {
      ...subject,
      argumentProblem: () => entry && plane.argumentProblem(entry.definition, request.args),
      limitProblem: () => {
        plane.audit.catchUp();
        return plane.rates.problem(server.name);
      },
    },
    plane.config,
  );
  const { name: uri } = asSent(request, entry);
  const decision = strictest([own, ...aboutUri(plane, server, { entry, uri })]);
  return { server, entry, decision, confinement };
}

/** A rule may name one resource of a template; it applies to everything the URI may mean to a server. */
function aboutUri(
  { config }: Pick<Plane, 'config'>,
  server: UpstreamServer,
  { entry, uri }: { entry: CatalogEntry | undefined; uri: string },
): Decision[] {
  if (entry?.definition.kind !== 'template') return [];
  const definition: Definition = { ...entry.definition, kind: 'resource', name: uri };
  return [decide({ server, entry: { ...entry, definition }, rejections: [] }, config)];
}

function strictest(decisions: readonly [Decision, ...Decision[]]): Decision {
  const order = ({ outcome }: Decision) => STRICTEST_FIRST.indexOf(outcome);
  return decisions.reduce((held, one) => (order(one) < order(held) ? one : held));
}

/** The definition of the called capability; undefined for a server that may not be started. */
export async function definitionOf(
  plane: JudgeContext,
  request: CallRequest,
): Promise<Definition | undefined> {
  const server = plane.server(request.server);
  const { rejections } = await plane.verdict(server);
  if (!mayStart(server, rejections)) return undefined;
  const remembered = entryIn((await plane.lastCatalog(server)) ?? [], request);
  return (remembered ?? (await entryFor(plane, server, request)))?.definition;
}

export async function entryFor(
  plane: JudgeContext,
  server: UpstreamServer,
  request: Pick<CapabilityReference, 'kind' | 'name' | 'signal'>,
): Promise<CatalogEntry | undefined> {
  const { entries } = await plane.freshCatalog(server, request.signal);
  return entryIn(entries, request);
}

function entryIn(
  entries: readonly CatalogEntry[],
  { kind, name }: Pick<CapabilityReference, 'kind' | 'name'>,
): CatalogEntry | undefined {
  const of = (wanted: CapabilityKind, fits: (found: string) => boolean) =>
    entries.find(({ definition }) => definition.kind === wanted && fits(definition.name));
  if (kind !== 'resource') return of(kind, (known) => known === name);
  const uri = canonicalUri(name);
  return (
    of('resource', (known) => known === name) ??
    of('resource', (known) => canonicalUri(known) === uri) ??
    of('template', (template) => expands(template, uri))
  );
}

/** What is sent: a resource as its server lists it, any other URI in its canonical form. */
export function asSent<Request extends Pick<CallRequest, 'kind' | 'name'>>(
  request: Request,
  entry: CatalogEntry | undefined,
): Request {
  if (request.kind !== 'resource') return request;
  const name = entry?.definition.kind === 'resource' ? entry.definition.name : canonicalUri(request.name);
  return { ...request, name };
}

/** An approximation of RFC 6570 matching: the URI, in its canonical form, begins and ends as the template does. */
export function expands(template: string, uri: string): boolean {
  const first = template.indexOf('{');
  const last = template.lastIndexOf('}');
  if (first < 0 || last < first) return template === uri;
  const [written, end] = [template.slice(0, first), template.slice(last + 1)];
  return [written, canonicalUri(written)].some(
    (start) => uri.length >= start.length + end.length && uri.startsWith(start) && uri.endsWith(end),
  );
}

/** Stands in for a capability that is unknown or of a server that may not be started. */
export function placeholder(
  { name: server }: UpstreamServer,
  { kind, name }: Pick<CapabilityReference, 'kind' | 'name'>,
): CatalogEntry {
  return { server, definition: { kind, name }, fingerprint: '', state: 'approved', findings: [] };
}
