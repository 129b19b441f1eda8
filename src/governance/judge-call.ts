/** Judges a call: finds its capability in the server's present definitions or the last snapshot, and decides. */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { CapabilityKind, Definition, Rejection } from '../upstream/definition.ts';
import type { CallOptions } from '../upstream/nested/rounds.ts';
import type { Plane } from './plane.ts';
import { decide } from './policy/decide.ts';
import { mayStart } from './safety/judge.ts';
import { type CatalogEntry, type Decision, STRICTEST_FIRST } from './types.ts';

export type JudgeContext = Pick<
  Plane,
  'config' | 'server' | 'verdict' | 'freshCatalog' | 'lastCatalog' | 'audit' | 'rates' | 'argumentProblem'
>;

export interface CallRequest extends CallOptions {
  readonly server: string;
  readonly kind: CapabilityKind;
  /** A tool's or prompt's name, or the URI that is to be read. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The caller, for the log and for the approver. */
  readonly by: string;
  /** Id of the approval that the first round of this call used, when this is a later round. */
  readonly continues?: string;
}

export interface CallVerdict {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry | undefined;
  readonly decision: Decision;
}

/** Of a capability that the server has. */
export interface KnownVerdict extends CallVerdict {
  readonly entry: CatalogEntry;
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
  const { rejections } = await plane.verdict(server);
  if (!mayStart(server, rejections)) return undefined;
  const entry = entryIn((await plane.lastCatalog(server)) ?? [], request);
  return entry && { ...judgeEntry(plane, request, { server, entry, rejections }), entry };
}

/** Judges the capability without arguments or limits, as lists do. */
export async function judgeCapability(
  plane: JudgeContext,
  capability: CapabilityReference,
): Promise<CallVerdict> {
  const subject = await subjectOf(plane, capability);
  return { ...subject, decision: decide(subject, plane.config) };
}

type CapabilityReference = Pick<CallRequest, 'server' | 'kind' | 'name' | 'signal'>;

interface CallSubject {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry | undefined;
  readonly rejections: readonly Rejection[];
}

async function subjectOf(plane: JudgeContext, request: CapabilityReference): Promise<CallSubject> {
  const server = plane.server(request.server);
  const { rejections } = await plane.verdict(server);
  // Every call to a server that may not be started is refused for the same reason.
  const entry = mayStart(server, rejections)
    ? await entryFor(plane, server, request)
    : placeholder(server, request);
  return { server, entry, rejections };
}

function judgeEntry(plane: JudgeContext, request: CallRequest, subject: CallSubject): CallVerdict {
  const { server, entry } = subject;
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
  const decision = strictest([own, ...(entry ? aboutUri(plane, server, { entry, uri: request.name }) : [])]);
  return { server, entry, decision };
}

/** A rule may name one resource of a template; it applies to the URI as written and percent-decoded. */
function aboutUri(
  { config }: Pick<Plane, 'config'>,
  server: UpstreamServer,
  { entry, uri }: { entry: CatalogEntry; uri: string },
): Decision[] {
  if (entry.definition.kind !== 'template') return [];
  const asNamed = (name: string): CatalogEntry => ({ ...entry, definition: { ...entry.definition, name } });
  return [...new Set([uri, decoded(uri)])].map((name) =>
    decide({ server, entry: asNamed(name), rejections: [] }, config),
  );
}

function strictest(decisions: readonly [Decision, ...Decision[]]): Decision {
  const order = ({ outcome }: Decision) => STRICTEST_FIRST.indexOf(outcome);
  return decisions.reduce((held, one) => (order(one) < order(held) ? one : held));
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
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
  const found = of(kind, (known) => known === name);
  if (found || kind !== 'resource') return found;
  return of('template', (template) => expands(template, name));
}

/** An approximation of RFC 6570 matching: the URI begins and ends as the template does. */
export function expands(template: string, uri: string): boolean {
  const first = template.indexOf('{');
  const last = template.lastIndexOf('}');
  if (first < 0 || last < first) return template === uri;
  const [start, end] = [template.slice(0, first), template.slice(last + 1)];
  return uri.length >= start.length + end.length && uri.startsWith(start) && uri.endsWith(end);
}

/** Stands in for a capability that is unknown or of a server that may not be started. */
export function placeholder(
  { name: server }: UpstreamServer,
  { kind, name }: Pick<CapabilityReference, 'kind' | 'name'>,
): CatalogEntry {
  return { server, definition: { kind, name }, fingerprint: '', state: 'approved', findings: [] };
}
