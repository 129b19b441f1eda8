/** Decides which capabilities agents see; each hidden one has the first reason why. */
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import type { Rejection } from '../../upstream/definition.ts';
import { classify } from '../policy/classify.ts';
import { decide } from '../policy/decide.ts';
import { isConsent } from '../score.ts';
import {
  type ActionClass,
  type CatalogEntry,
  type Consent,
  type Decision,
  STRICTEST_FIRST,
  type Trust,
} from '../types.ts';
import { fittingName } from './names.ts';

export interface ExposureCandidate {
  readonly entry: CatalogEntry;
  readonly class: ActionClass;
  readonly decision: Decision;
  readonly server: {
    readonly isEnabled: boolean;
    /** Why the server is not started or reached. */
    readonly rejection?: Rejection;
    readonly consent: Consent;
    readonly trust: Trust;
    readonly score: number;
    /** Its tools and prompts are exposed without a prefix. */
    readonly isPlain?: boolean;
  };
}

export interface ExposureLimits {
  readonly minScore: number;
  readonly maxTools: number;
  readonly minTrust: Trust;
  /** All configured servers: their names are reserved as prefixes. */
  readonly servers?: readonly string[];
}

/** The configured limits. Tools that are searched for take no room in a list. */
export function limitsOf({ exposure, tools, servers }: ControlPlane): ExposureLimits {
  const maxTools = tools.mode === 'search' ? Number.POSITIVE_INFINITY : exposure.maxTools;
  return { ...exposure, maxTools, servers: servers.map(({ name }) => name) };
}

export interface Exposure {
  /** As agents know it: `server__name`, or the name alone; of resources and templates the URI. */
  readonly name: string;
  /** Its name breaks the rule for names, so it has another one here. */
  readonly isRenamed: boolean;
  readonly candidate: ExposureCandidate;
  readonly isVisible: boolean;
  /** The first test it fails; `ok` when it is visible. */
  readonly reason: string;
  /** Only for visible entries, whose descriptions say so. */
  readonly needsApproval: boolean;
}

const TRUST_ORDER: readonly Trust[] = ['blocked', 'untrusted', 'reviewed', 'trusted'];
const VISIBLE = 'ok';
export const NAME_TAKEN = 'name_taken';

export function candidateOf(
  entry: CatalogEntry,
  { server, rejections, score }: { server: UpstreamServer; rejections: readonly Rejection[]; score: number },
  config: ControlPlane,
): ExposureCandidate {
  return {
    entry,
    class: classify(entry.definition, server, entry.observed),
    decision: decide({ server, entry, rejections }, config),
    server: {
      isEnabled: server.enabled,
      // Missing consent has a reason of its own.
      rejection: rejections.find((one) => !isConsent(one)),
      consent: server.clientConsent,
      trust: server.trust,
      score,
      isPlain: server.exposeAs === 'plain',
    },
  };
}

function exposedName({ entry, server }: ExposureCandidate): string {
  const { kind, name } = entry.definition;
  if (kind === 'resource' || kind === 'template') return name;
  return fittingName(prefixOf({ entry, server }), name);
}

function prefixOf({ entry, server }: Pick<ExposureCandidate, 'entry' | 'server'>): string {
  return server.isPlain ? '' : `${entry.server}__`;
}

/** Sorted by name. Of several with equal names only the first is visible. */
export function expose(candidates: readonly ExposureCandidate[], limits: ExposureLimits): Exposure[] {
  const judged = candidates.map((candidate) => ({ candidate, reason: firstFailure(candidate, limits) }));
  const passed = judged.filter(({ reason }) => reason === VISIBLE).map(({ candidate }) => candidate);
  const named = firstOfEachName(passed, limits.servers ?? []);
  const tools = passed.filter((one) => named.has(one) && one.entry.definition.kind === 'tool');
  const within = new Set(tools.sort(byWorth).slice(0, Math.max(0, limits.maxTools)));
  const reasonOf = (candidate: ExposureCandidate): string => {
    if (!named.has(candidate)) return NAME_TAKEN;
    return candidate.entry.definition.kind === 'tool' && !within.has(candidate) ? 'budget' : VISIBLE;
  };
  return judged
    .map(({ candidate, reason }) => exposureOf(candidate, reason === VISIBLE ? reasonOf(candidate) : reason))
    .sort((a, b) => compareText(keyOf(a.candidate), keyOf(b.candidate)));
}

/** A plain name that begins with another server's prefix is not exposed. */
function firstOfEachName(
  candidates: readonly ExposureCandidate[],
  servers: readonly string[],
): ReadonlySet<ExposureCandidate> {
  const poses = (candidate: ExposureCandidate) =>
    candidate.server.isPlain === true &&
    servers.some((name) => exposedName(candidate).startsWith(`${name}__`));
  const byName = new Map<string, ExposureCandidate>();
  for (const candidate of candidates.filter((one) => !poses(one))) {
    const name = `${candidate.entry.definition.kind} ${exposedName(candidate)}`;
    if (!byName.has(name)) byName.set(name, candidate);
  }
  return new Set(byName.values());
}

function exposureOf(candidate: ExposureCandidate, reason: string): Exposure {
  const isVisible = reason === VISIBLE;
  const name = exposedName(candidate);
  const { definition } = candidate.entry;
  return {
    name,
    isRenamed: name !== definition.name && name !== `${prefixOf(candidate)}${definition.name}`,
    candidate,
    isVisible,
    reason,
    needsApproval: isVisible && candidate.decision.outcome === 'ask',
  };
}

function firstFailure({ entry, decision, server }: ExposureCandidate, limits: ExposureLimits): string {
  if (!server.isEnabled) return 'disabled';
  if (server.trust === 'blocked') return 'blocked:server_blocked';
  if (server.rejection) return `blocked:${server.rejection.code}`;
  const failure = reservation(server, limits);
  if (failure !== undefined) return failure;
  if (entry.state === 'quarantined') return 'quarantined';
  if (entry.state !== 'approved') return `definition_${entry.state}`;
  if (decision.outcome === 'deny') return `policy:${decision.rule}`;
  if (server.score < limits.minScore) return `score ${server.score}<${limits.minScore}`;
  return VISIBLE;
}

/** The reason why every capability of a server is hidden; undefined when there is none. */
export function reservation(
  { consent, trust }: Pick<ExposureCandidate['server'], 'consent' | 'trust'>,
  { minTrust }: Pick<ExposureLimits, 'minTrust'>,
): string | undefined {
  if (consent !== 'approved') return 'consent';
  return TRUST_ORDER.indexOf(trust) < TRUST_ORDER.indexOf(minTrust) ? 'trust' : undefined;
}

/** Capabilities that need no approval first, then by score, then by name. */
function byWorth(a: ExposureCandidate, b: ExposureCandidate): number {
  const order = (one: ExposureCandidate) => STRICTEST_FIRST.indexOf(one.decision.outcome);
  return order(b) - order(a) || b.server.score - a.server.score || compareText(keyOf(a), keyOf(b));
}

function keyOf(candidate: ExposureCandidate): string {
  return `${exposedName(candidate)} ${candidate.entry.definition.kind} ${candidate.entry.server}`;
}

/** Independent of the machine's locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
