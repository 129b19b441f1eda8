/** Decides what a server runs in: its sandbox, or none where the configuration waives it or only warns. */
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import { type Rejection, rejection } from '../../upstream/definition.ts';
import type { Bounds, SandboxProfile } from '../../upstream/sandbox/backends.ts';
import { chooseBackend, isRejection } from '../../upstream/sandbox/choose.ts';
import { type Confinement, placed } from '../../upstream/sandbox/confinement.ts';
import type { Backends } from '../../upstream/sandbox/detect.ts';
import {
  type GivenPath,
  judgePaths,
  masksIn,
  type OwnPlace,
  ownPlaces,
  type PlacesContext,
  placesForeignTo,
} from './own-places.ts';

export type ConfineContext = PlacesContext & Pick<ControlPlane, 'sandbox' | 'limits'>;

export interface ConfineFacts {
  /** The sandboxes of this machine. */
  readonly backends: Backends;
  readonly now: number;
  /** Where they are known already: they are the same for all servers. */
  readonly ownPlaces?: () => readonly OwnPlace[];
}

export interface ConfineVerdict {
  readonly rejections: readonly Rejection[];
  /** Undefined for a server that is not started for what its sandbox would be. */
  readonly confinement?: Confinement;
}

const PROFILES = ['restricted', 'readonly', 'network'] as const;
const NO_SANDBOX: readonly (string | undefined)[] = [undefined, '', 'disabled', 'none'];

export function confine(
  server: UpstreamServer,
  plane: ConfineContext,
  { backends, now, ownPlaces: ownPlacesOnce }: ConfineFacts,
): ConfineVerdict {
  const profile = PROFILES.find((name) => name === server.sandboxProfile);
  if (!profile) return withoutProfile(server, now);
  const network = server.sandboxNetwork?.length ? server.sandboxNetwork : undefined;
  const choice = chooseBackend(plane.sandbox, backends, { profile, hasHosts: network !== undefined });
  if (isRejection(choice)) return { rejections: [choice] };
  const { cwd, read, write } = pathsOf(server);
  if (choice.backend === 'process')
    return { rejections: [], confinement: { ...choice, ...NOTHING, profile, cwd, read, write } };
  const canMask = choice.backend === 'bwrap';
  const isWritable = profile !== 'readonly';
  const given: GivenPath[] = [
    ...(cwd ? [{ ...cwd, key: 'sandbox_cwd', isWritable } as const] : []),
    ...write.map((one) => ({ ...one, key: 'sandbox_write', isWritable }) as const),
    ...read.map((one) => ({ ...one, key: 'sandbox_read', isWritable: false }) as const),
  ];
  const places = placesForeignTo(server, cwd, ownPlacesOnce?.() ?? ownPlaces(plane));
  const rejections = judgePaths(given, places, { name: server.name, canMask });
  if (rejections.length > 0) return { rejections };
  const bounds = canMask ? boundsOf(server, plane, backends.bwrap.processCount) : undefined;
  const isSealed = canMask && backends.bwrap.canSeal === true;
  const warnings = [...choice.warnings, ...lacksOf({ backend: choice.backend, bounds, isSealed })];
  const masked = masksIn(given, places);
  return {
    rejections: [],
    confinement: {
      ...{ backend: choice.backend, profile, cwd, read, write, masked, bounds, isSealed, warnings },
      ...(network && { network }),
    },
  };
}

const NOTHING = { masked: [], isSealed: false } as const;

function pathsOf({ sandboxCwd, sandboxRead, sandboxWrite }: UpstreamServer) {
  return {
    cwd: sandboxCwd === undefined ? undefined : placed(sandboxCwd),
    read: sandboxRead.map(placed),
    write: sandboxWrite.map(placed),
  };
}

function boundsOf(
  { sandboxLimits = {} }: UpstreamServer,
  { limits }: ConfineContext,
  processCount: Bounds['processCount'],
): Bounds {
  const { memoryMb, processes, cpuS, tmpMb, openFiles } = { ...limits, ...sandboxLimits };
  return { memoryMb, cpuS, tmpMb, openFiles, ...(processCount && { processes, processCount }) };
}

/** A sandbox that is weaker than it could be is used, and says so. */
function lacksOf({ backend, isSealed }: Pick<Confinement, 'backend' | 'bounds' | 'isSealed'>): string[] {
  if (backend === 'srt') return ['sandbox-runtime bounds neither memory nor processes.'];
  return isSealed
    ? []
    : ['bubblewrap is older than 0.8: the server can make user namespaces, and its /tmp has no limit.'];
}

/** `until` counts to its end, by UTC. */
export function isWaived({ sandboxProfile, sandboxWaiver }: UpstreamServer, now: number): boolean {
  if (sandboxProfile !== 'none' || !sandboxWaiver) return false;
  return new Date(now).toISOString().slice(0, 10) <= sandboxWaiver.until;
}

function withoutProfile(server: UpstreamServer, now: number): ConfineVerdict {
  const { sandboxProfile, sandboxWaiver: waiver } = server;
  const choice = `Set sandbox_profile to ${PROFILES.join(', ')}`;
  if (!NO_SANDBOX.includes(sandboxProfile?.trim().toLowerCase()))
    return refused('sandbox_unknown', `There is no such sandbox profile. ${choice}.`);
  if (sandboxProfile !== 'none' || !waiver)
    return refused(
      'sandbox_disabled',
      `It would run without a sandbox. ${choice}; or let it, with sandbox_profile: none and sandbox_waiver: { by, why, until }.`,
    );
  if (!isWaived(server, now))
    return refused(
      'sandbox_waiver_expired',
      `Its waiver ended on ${waiver.until}. ${choice}, or decide again and set sandbox_waiver.until.`,
    );
  const warning = `Runs without a sandbox, by a waiver of ${waiver.by} until ${waiver.until}: ${waiver.why}`;
  const bare = { backend: 'process', profile: 'none', waiver, warnings: [warning] } as const;
  return { rejections: [], confinement: { ...bare, ...NOTHING, ...pathsOf(server) } };
}

function refused(code: Rejection['code'], reason: string): ConfineVerdict {
  return { rejections: [rejection(code, reason)] };
}

/** The profile that decides what a launcher can fetch. */
export function profileReach({
  backend,
  profile,
  network,
}: Pick<Confinement, 'backend' | 'profile' | 'network'>): SandboxProfile {
  return backend === 'process' || profile === 'none' || network ? 'network' : profile;
}
