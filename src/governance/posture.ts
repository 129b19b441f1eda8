/**
 * The posture of every server, from the configuration, the snapshots and the audit log: no server is started. A server
 * that cannot be used is an entry like the others.
 */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { Rejection } from '../upstream/definition.ts';
import type { Confinement } from '../upstream/sandbox/confinement.ts';
import type { InstructionsEntry } from './catalog/compare.ts';
import type { ServerPins } from './catalog/pins.ts';
import {
  candidateOf,
  type Exposure,
  type ExposureCandidate,
  type ExposureLimits,
  expose,
  limitsOf,
} from './exposure/visibility.ts';
import type { ManifestState } from './manifest.ts';
import type { Plane } from './plane.ts';
import { isConsent, type ServerStanding, standingOf } from './score.ts';
import { withPin, withTextPin } from './snapshots.ts';
import type { CatalogEntry } from './types.ts';
import { NO_USAGE, readUsage, type Usage, usageSince } from './usage.ts';

export type PostureContext = Pick<
  Plane,
  'config' | 'server' | 'verdict' | 'snapshots' | 'catalog' | 'switches' | 'audit' | 'now'
>;

/** What is known of a server and its definitions without the audit log. */
export interface ServerReview {
  readonly server: UpstreamServer;
  readonly status: PostureStatus;
  /** Why the server may not be started or reached; empty when it may. */
  readonly rejections: readonly Rejection[];
  /** What a stdio server runs in; undefined where its sandbox is why it may not be used. */
  readonly confinement?: Confinement;
  readonly manifest: ManifestState;
  /** The definitions of the last snapshot, with their present review state. */
  readonly entries: readonly CatalogEntry[];
  readonly instructions?: InstructionsEntry;
  /** Undefined without a snapshot. */
  readonly seenAt?: number;
  readonly pins?: ServerPins;
  /** A person has switched it off. */
  readonly isSwitchedOff: boolean;
}

export interface Posture extends ServerReview, ServerStanding {
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
  const review = await reviewOf(plane, server);
  return { ...review, usage, ...standingOf(server, { ...review, usage }) };
}

export async function reviewOf(
  plane: Pick<Plane, 'verdict' | 'snapshots' | 'catalog' | 'switches'>,
  server: UpstreamServer,
): Promise<ServerReview> {
  const [{ rejections, confinement, manifest }, seen, pins, off] = await Promise.all([
    plane.verdict(server),
    plane.snapshots.of(server.name),
    plane.catalog.pinned(server.name),
    plane.switches.of(server.name),
  ]);
  const entries = (seen?.entries ?? []).map((entry) => withPin(entry, pins));
  const status = statusOf(server, rejections, entries);
  const instructions = seen?.instructions && withTextPin(seen.instructions, pins);
  const isSwitchedOff = off !== undefined;
  return {
    server,
    status,
    rejections,
    confinement,
    manifest,
    entries,
    instructions,
    seenAt: seen?.at,
    pins,
    isSwitchedOff,
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

/** `local`: for the operator's own commands. `agent`: for clients of our endpoint. */
export type ExposureProfile = 'local' | 'agent';

const NO_LIMITS: ExposureLimits = { minScore: 0, maxTools: Number.MAX_SAFE_INTEGER, minTrust: 'untrusted' };

/** Every capability of the servers, visible or hidden, with the reason. */
export function exposureFor(
  plane: Pick<Plane, 'config' | 'server'>,
  postures: readonly Posture[],
  profile: ExposureProfile,
): Exposure[] {
  const limits = profile === 'agent' ? limitsOf(plane.config) : NO_LIMITS;
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
  // The operator always names the server, so names do not conflict.
  const shown =
    profile === 'local' ? offered.flatMap((one) => expose([one], limits)) : expose(offered, limits);
  // A capability that is not offered must not use up the budget of those that are.
  return [...shown, ...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function notOffered(exposed: Exposure): Exposure {
  if (!exposed.isVisible) return exposed;
  return { ...exposed, isVisible: false, reason: 'not_exposed', needsApproval: false };
}
