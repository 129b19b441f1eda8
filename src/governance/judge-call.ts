/** Judges a call: which capability it means, by the server's present definition or the last snapshot, and the decision. */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { CapabilityKind, Definition, Rejection } from '../upstream/definition.ts';
import type { CallOptions } from '../upstream/nested/rounds.ts';
import type { Plane } from './plane.ts';
import { decide } from './policy/decide.ts';
import type { CatalogEntry, Decision, Outcome } from './types.ts';

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

/** By the server's present definition; the server is started for it. */
export async function judgeCall(plane: JudgeContext, request: CallRequest): Promise<CallVerdict> {
  const server = plane.server(request.server);
  const { rejections } = await plane.verdict(server);
  // Every call to a server that may not be started is refused for the same reason.
  const entry = isStopped(server, rejections)
    ? placeholder(server, request)
    : await entryFor(plane, server, request);
  return judgeEntry(plane, request, { server, entry, rejections });
}

/** By the last snapshot, without starting the server. Undefined when no snapshot has the capability. */
export async function judgeFromSnapshot(
  plane: JudgeContext,
  request: CallRequest,
): Promise<CallVerdict | undefined> {
  const server = plane.server(request.server);
  const { rejections } = await plane.verdict(server);
  if (isStopped(server, rejections)) return undefined;
  const entry = entryIn((await plane.lastCatalog(server)) ?? [], request);
  return entry && judgeEntry(plane, request, { server, entry, rejections });
}

interface CallSubject {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry | undefined;
  readonly rejections: readonly Rejection[];
}

function judgeEntry(plane: JudgeContext, request: CallRequest, about: CallSubject): CallVerdict {
  const { server, entry, rejections } = about;
  const own = decide(
    {
      server,
      entry,
      rejections,
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

/** Judges the capability without arguments or limits, as lists do. */
export async function judgeCapability(
  plane: JudgeContext,
  { server: name, ...capability }: Pick<CallRequest, 'server' | 'kind' | 'name' | 'signal'>,
): Promise<CallVerdict> {
  const server = plane.server(name);
  const { rejections } = await plane.verdict(server);
  const wanted = { ...capability, server: name, args: {}, by: '' };
  const entry = isStopped(server, rejections)
    ? placeholder(server, wanted)
    : await entryFor(plane, server, wanted);
  return { server, entry, decision: decide({ server, entry, rejections }, plane.config) };
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

const STRICTEST_FIRST: readonly Outcome[] = ['deny', 'ask', 'allow'];

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

/** The definition that a call means; undefined for a server that may not be started. */
export async function definitionOf(
  plane: JudgeContext,
  request: CallRequest,
): Promise<Definition | undefined> {
  const server = plane.server(request.server);
  const { rejections } = await plane.verdict(server);
  if (isStopped(server, rejections)) return undefined;
  const remembered = entryIn((await plane.lastCatalog(server)) ?? [], request);
  return (remembered ?? (await entryFor(plane, server, request)))?.definition;
}

function isStopped({ enabled, trust }: UpstreamServer, rejections: readonly Rejection[]): boolean {
  return !enabled || trust === 'blocked' || rejections.length > 0;
}

export async function entryFor(
  plane: JudgeContext,
  server: UpstreamServer,
  request: CallRequest,
): Promise<CatalogEntry | undefined> {
  const { entries } = await plane.freshCatalog(server, request.signal);
  return entryIn(entries, request);
}

function entryIn(
  entries: readonly CatalogEntry[],
  { kind, name }: Pick<CallRequest, 'kind' | 'name'>,
): CatalogEntry | undefined {
  const of = (wanted: CapabilityKind, fits: (found: string) => boolean) =>
    entries.find(({ definition }) => definition.kind === wanted && fits(definition.name));
  const found = of(kind, (known) => known === name);
  if (found || kind !== 'resource') return found;
  return of('template', (template) => expands(template, name));
}

/** Whether a URI may be one of a template's: its fixed beginning and end are there. */
export function expands(template: string, uri: string): boolean {
  const first = template.indexOf('{');
  const last = template.lastIndexOf('}');
  if (first < 0 || last < first) return template === uri;
  const [start, end] = [template.slice(0, first), template.slice(last + 1)];
  return uri.length >= start.length + end.length && uri.startsWith(start) && uri.endsWith(end);
}

/** Stands in for a capability that is unknown or of a server that may not be started. */
export function placeholder({ name: server }: UpstreamServer, { kind, name }: CallRequest): CatalogEntry {
  return { server, definition: { kind, name }, fingerprint: '', state: 'approved', findings: [] };
}
