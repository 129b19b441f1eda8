/** What a call is about, as its server describes it now, and what is to become of it. */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { CapabilityKind, Definition, Rejection } from '../upstream/definition.ts';
import type { CallOptions } from '../upstream/nested/rounds.ts';
import type { Plane } from './plane.ts';
import { argumentProblem } from './policy/arguments.ts';
import { decide } from './policy/decide.ts';
import type { CatalogEntry, Decision, Outcome } from './types.ts';

export interface CallRequest extends CallOptions {
  readonly server: string;
  readonly kind: CapabilityKind;
  /** A tool's or prompt's name, or the URI that is to be read. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Who asks, for the log and for who decides. */
  readonly by: string;
  /** The approval that a call was begun with which goes on now, with answers to what the server asked. */
  readonly continues?: string;
}

export interface JudgedCall {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry | undefined;
  readonly decision: Decision;
}

/** As the server describes it now: it is started for that. */
export async function judgedCall(plane: Plane, request: CallRequest): Promise<JudgedCall> {
  const server = plane.server(request.server);
  const { rejections } = await plane.judged(server);
  // Whatever is asked of a server that may not be started is refused for the same reason.
  const entry = isStopped(server, rejections)
    ? placeholder(server, request)
    : await entryFor(plane, server, request);
  return judgedEntry(plane, request, { server, entry, rejections });
}

/** As the server described it last, nothing being started. Undefined where nobody remembers: only the server knows. */
export async function judgedFromMemory(plane: Plane, request: CallRequest): Promise<JudgedCall | undefined> {
  const server = plane.server(request.server);
  const { rejections } = await plane.judged(server);
  if (isStopped(server, rejections)) return undefined;
  const entry = entryIn((await plane.remembered(server)) ?? [], request);
  return entry && judgedEntry(plane, request, { server, entry, rejections });
}

interface CallSubject {
  readonly server: UpstreamServer;
  readonly entry: CatalogEntry | undefined;
  readonly rejections: readonly Rejection[];
}

function judgedEntry(plane: Plane, request: CallRequest, about: CallSubject): JudgedCall {
  const { server, entry, rejections } = about;
  const own = decide(
    {
      server,
      entry,
      rejections,
      argumentProblem: () => entry && argumentProblem(entry.definition, request.args),
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

/** The same of the capability alone, as lists judge it. */
export async function judgedCapability(
  plane: Plane,
  { server: name, ...capability }: Pick<CallRequest, 'server' | 'kind' | 'name' | 'signal'>,
): Promise<JudgedCall> {
  const server = plane.server(name);
  const { rejections } = await plane.judged(server);
  const wanted = { ...capability, server: name, args: {}, by: '' };
  const entry = isStopped(server, rejections)
    ? placeholder(server, wanted)
    : await entryFor(plane, server, wanted);
  return { server, entry, decision: decide({ server, entry, rejections }, plane.config) };
}

/** A rule may be about one resource of a template: whatever holds that one back counts, however it is spelled. */
function aboutUri(
  { config }: Plane,
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

/** What is meant, as the server describes or described it; undefined for a server that may not be started. */
export async function definitionOf(plane: Plane, request: CallRequest): Promise<Definition | undefined> {
  const server = plane.server(request.server);
  const { rejections } = await plane.judged(server);
  if (isStopped(server, rejections)) return undefined;
  const remembered = entryIn((await plane.remembered(server)) ?? [], request);
  return (remembered ?? (await entryFor(plane, server, request)))?.definition;
}

function isStopped({ enabled, trust }: UpstreamServer, rejections: readonly Rejection[]): boolean {
  return !enabled || trust === 'blocked' || rejections.length > 0;
}

export async function entryFor(
  plane: Plane,
  server: UpstreamServer,
  request: CallRequest,
): Promise<CatalogEntry | undefined> {
  const { entries } = await plane.fresh(server, request.signal);
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

/** For what nobody knows, or may know. */
export function placeholder({ name: server }: UpstreamServer, { kind, name }: CallRequest): CatalogEntry {
  return { server, definition: { kind, name }, fingerprint: '', state: 'approved', findings: [] };
}
