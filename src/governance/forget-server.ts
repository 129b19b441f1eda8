/**
 * What a server that is removed loses, and what it leaves. It loses everything it was given: its approvals, accepted
 * definitions and login. Data and log are its own and a person's to delete; the audit log stays whole.
 */
import { dirname, join } from 'node:path';
import type { ControlPlane } from '../config/control-plane.ts';
import { isWithin } from '../upstream/sandbox/backends.ts';
import { realPathOf } from '../upstream/sandbox/confinement.ts';
import { answerApproval } from './approvals/answer-approval.ts';
import type { Decider } from './decider.ts';
import { modeOf, removeTree } from './files.ts';
import { openLoginStore } from './login/provider.ts';
import type { Plane } from './plane.ts';

/** Something that a removed server leaves behind. */
export interface LeftPlace {
  readonly path: string;
  /** The server that is left and is configured to use it, too. */
  readonly usedBy?: string;
}

/** The places that exist: the server's own folder beside the state folder, and its log. */
export async function placesLeftBy(
  { stateDir, servers }: Pick<ControlPlane, 'stateDir' | 'servers'>,
  name: string,
): Promise<LeftPlace[]> {
  // A name that is not valid may hold a path.
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) return [];
  const folder = join(dirname(stateDir), 'servers', name);
  const user = servers.find(({ sandboxCwd, sandboxRead, sandboxWrite }) =>
    [sandboxCwd, ...sandboxRead, ...sandboxWrite].some(
      (path) => path !== undefined && isWithin(realPathOf(path), realPathOf(folder)),
    ),
  );
  const logs = ['log', 'log.1'].map((ending) => ({ path: join(stateDir, `${name}.${ending}`) }));
  const found: LeftPlace[] = [];
  for (const place of [{ path: folder, usedBy: user?.name }, ...logs])
    if (await modeOf(place.path)) found.push(place);
  return found;
}

/** Not those that another server uses. */
export async function deletePlaces(places: readonly LeftPlace[]): Promise<void> {
  for (const { path, usedBy } of places) if (usedBy === undefined) await removeTree(path);
}

type ForgettingPlane = Pick<
  Plane,
  'approvals' | 'audit' | 'catalog' | 'config' | 'manifests' | 'now' | 'observations' | 'snapshots'
>;

/** As if the server had never been seen. Resolves to whether it had a login. */
export async function forgetServer(
  plane: ForgettingPlane,
  name: string,
  decider: Decider,
): Promise<{ readonly hadLogin: boolean }> {
  for (const { id, state } of await plane.approvals.list({ server: name })) {
    const kind = ({ pending: 'deny', approved: 'revoke' } as const)[state as 'pending' | 'approved'];
    if (kind) await answerApproval(plane, id, { kind }, decider);
  }
  for (const { forget } of [plane.catalog, plane.snapshots, plane.observations, plane.manifests])
    await forget(name);
  const login = await openLoginStore(plane.config.stateDir, plane.now).forget(name);
  return { hadLogin: login?.tokens !== undefined };
}
