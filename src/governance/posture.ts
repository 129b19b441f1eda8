/**
 * The posture of every server, from the configuration, the snapshots and the audit log: no server is started. A server
 * that cannot be used is an entry like the others.
 */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { Rejection } from '../upstream/definition.ts';
import type { ServerPins } from './catalog/pins.ts';
import {
  candidateOf,
  type Exposure,
  type ExposureCandidate,
  type ExposureLimits,
  expose,
} from './exposure/visibility.ts';
import type { Plane } from './plane.ts';
import { isConsent, type ScoreContext, type ServerStanding, standingOf } from './score.ts';
import { withPin } from './snapshots.ts';
import type { CatalogEntry } from './types.ts';
import { NO_USAGE, readUsage, type Usage, usageSince } from './usage.ts';

export type PostureContext = ScoreContext &
  Pick<Plane, 'server' | 'verdict' | 'snapshots' | 'catalog' | 'audit' | 'now'>;

export interface Posture extends ServerStanding {
  readonly server: UpstreamServer;
  readonly status: PostureStatus;
  /** Why it may not be started or reached; empty for a server that may. */
  readonly rejections: readonly Rejection[];
  /** Of the last snapshot, in their present state. */
  readonly entries: readonly CatalogEntry[];
  /** Undefined when it was never asked. */
  readonly seenAt?: number;
  readonly pins?: ServerPins;
  readonly usage: Usage;
}

type PostureStatus = 'ready' | 'disabled' | 'blocked' | 'consent' | 'quarantined';

/** In the order of the configuration. */
export async function posturesOf(
  plane: PostureContext,
  servers: readonly UpstreamServer[] = plane.config.servers,
): Promise<Posture[]> {
  const now = plane.now();
  const usage = await readUsage(plane.audit.read({ since: usageSince(now) }), now);
  return Promise.all(servers.map((server) => postureOf(plane, server, usage.get(server.name) ?? NO_USAGE)));
}

async function postureOf(plane: PostureContext, server: UpstreamServer, usage: Usage): Promise<Posture> {
  const [{ rejections }, seen, pins] = await Promise.all([
    plane.verdict(server),
    plane.snapshots.of(server.name),
    plane.catalog.pinned(server.name),
  ]);
  const entries = (seen?.entries ?? []).map((entry) => withPin(entry, pins));
  return {
    server,
    status: statusOf(server, rejections, entries),
    rejections,
    entries,
    seenAt: seen ? seen.at : undefined,
    pins,
    usage,
    ...(await standingOf(plane, server, { rejections, entries, usage })),
  };
}

function statusOf(
  server: UpstreamServer,
  rejections: readonly Rejection[],
  entries: readonly CatalogEntry[],
): PostureStatus {
  if (!server.enabled) return 'disabled';
  if (server.trust === 'blocked' || rejections.some((one) => !isConsent(one))) return 'blocked';
  if (rejections.length > 0) return 'consent';
  return entries.some(({ state }) => state === 'quarantined' || state === 'changed')
    ? 'quarantined'
    : 'ready';
}

/** `local`: what the operator may call from here. `agent`: what is offered to others at our own endpoint. */
export type ExposureProfile = 'local' | 'agent';

const NO_LIMITS: ExposureLimits = { minScore: 0, maxTools: Number.MAX_SAFE_INTEGER, minTrust: 'untrusted' };

/** Everything the servers offer, seen or not, with the reason. */
export function exposureFor(
  plane: Pick<Plane, 'config' | 'server'>,
  postures: readonly Posture[],
  profile: ExposureProfile,
): Exposure[] {
  const servers = plane.config.servers.map(({ name }) => name);
  const limits = profile === 'agent' ? { ...plane.config.exposure, servers } : NO_LIMITS;
  const all = postures.flatMap((posture) =>
    posture.entries.map((entry) =>
      candidateOf(entry, { ...posture, score: posture.score.score }, plane.config),
    ),
  );
  const isOffered = ({ entry }: ExposureCandidate) =>
    profile === 'local' || plane.server(entry.server).expose;
  const kept = all
    .filter((candidate) => !isOffered(candidate))
    .flatMap((candidate) => expose([candidate], limits).map(notOffered));
  const offered = all.filter(isOffered);
  // Here a server is always named, so no name is taken by another's.
  const shown =
    profile === 'local' ? offered.flatMap((one) => expose([one], limits)) : expose(offered, limits);
  // A capability that is not offered must not use up the budget of those that are.
  return [...shown, ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function notOffered(exposed: Exposure): Exposure {
  if (!exposed.isVisible) return exposed;
  return { ...exposed, isVisible: false, reason: 'not_exposed', needsApproval: false };
}
