/**
 * Places that no server may see or change, whatever its paths say: whoever writes the configuration, the approvals or the
 * audit log decides what runs, and the place of another server may hold its secrets.
 */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import type { Environment } from '../../config/plane-file.ts';
import type { PolicyReason } from '../../shared/errors.ts';
import { cacheFolderOf, stateFolderOf } from '../../shared/fs/errno.ts';
import { type Rejection, rejectIf, rejection } from '../../upstream/definition.ts';
import { isWithin, type MaskedPath, type PlacedPath } from '../../upstream/sandbox/backends.ts';
import { realPathOf } from '../../upstream/sandbox/confinement.ts';
import { auditKeyFile } from '../audit/key-place.ts';
import { openToOthers } from '../files.ts';

export type PlacesContext = Pick<ControlPlane, 'stateDir' | 'configFile' | 'servers' | 'audit'>;

export interface OwnPlace extends MaskedPath {
  /** For messages. */
  readonly what: string;
  /** The server it belongs to. */
  readonly server?: string;
  /** Each server has the folder of its name in it. */
  readonly isShared?: boolean;
}

/** Links are followed. */
export function ownPlaces(plane: PlacesContext, env: Environment = {}): OwnPlace[] {
  const folder = { isFolder: true };
  const settings = { ...folder, what: "Quire's own settings and keys" };
  const all: OwnPlace[] = [
    { ...folder, path: plane.stateDir, what: 'the state folder, with approvals and audit log' },
    {
      ...folder,
      path: join(dirname(plane.stateDir), 'servers'),
      what: 'the folders of other servers',
      isShared: true,
    },
    { ...settings, path: join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'quire') },
    { ...settings, path: stateFolderOf(env) },
    { ...folder, path: cacheFolderOf(env), what: "Quire's own copy of your notes" },
    ...plane.servers.flatMap(({ name, sandboxCwd: path }) =>
      path === undefined ? [] : [{ ...folder, path, what: `the folder of ${name}`, server: name }],
    ),
  ];
  const key = auditKeyFile(plane, env);
  if (key !== undefined)
    all.push(
      { path: key, what: 'the key of the audit log', isFolder: false },
      { ...folder, path: `${key}.heads`, what: 'the ends of the audit log' },
    );
  if (plane.configFile !== undefined)
    all.push({ path: plane.configFile, what: 'the configuration', isFolder: false });
  return all.map((one) => ({ ...one, path: realPathOf(one.path) }));
}

/** All but its own folder. Two servers with the same folder share it: that is written twice in the configuration. */
export function placesForeignTo(
  { name }: Pick<UpstreamServer, 'name'>,
  cwd: PlacedPath | undefined,
  places: readonly OwnPlace[],
): OwnPlace[] {
  return places.filter(
    ({ server, path }) => server === undefined || (server !== name && path !== cwd?.realPath),
  );
}

export interface GivenPath extends PlacedPath {
  readonly key: 'sandbox_cwd' | 'sandbox_read' | 'sandbox_write';
  readonly isWritable: boolean;
}

/**
 * A path inside a place of ours is refused. One around it is refused where the server could write, because a folder on
 * the way to a mask can be renamed; elsewhere the place is masked.
 */
export function judgePaths(
  given: readonly GivenPath[],
  places: readonly OwnPlace[],
  { name, canMask }: { readonly name: string; readonly canMask: boolean },
): Rejection[] {
  return given.flatMap(({ key, path, realPath, isWritable }) => {
    const isOwn = ({ path: folder, isShared }: OwnPlace) =>
      isShared && isWithin(realPath, join(folder, name));
    const inside = places.find((place) => isWithin(realPath, place.path) && !isOwn(place));
    const around = places.find((place) => isWithin(place.path, realPath));
    const found = inside ?? (isWritable || !canMask ? around : undefined);
    if (!found) return [];
    const link = path === realPath ? '' : ', with its links followed,';
    const isIn = inside ? 'lies in' : 'holds';
    return [rejection('sandbox_path', `${key}${link} ${isIn} ${found.what}. ${NEXT_STEP[key]}`)];
  });
}

const NEXT_STEP = {
  sandbox_cwd:
    'Give the server a folder of its own, such as ./servers/<name>; what it has to read goes into sandbox_read.',
  sandbox_read: 'Name the folders that the server really needs.',
  sandbox_write: 'Name the folders that the server really needs, without those of Quire.',
} as const;

/** The places within the given paths, without those that lie in another such place. */
export function masksIn(given: readonly PlacedPath[], places: readonly OwnPlace[]): MaskedPath[] {
  const seen = places.filter(
    ({ path }) => isWithin(path, '/usr') || given.some(({ realPath }) => isWithin(path, realPath)),
  );
  const outer = seen.filter(
    (one, at) =>
      !seen.some((other, index) =>
        other.path === one.path ? index < at : other.isFolder && isWithin(one.path, other.path),
      ),
  );
  return outer.map(({ path, isFolder }) => ({ path, isFolder }));
}

/** Nothing is run by a configuration, or with approvals, that every user of this machine could have written. */
export async function judgeOwnFiles({
  configFile,
  stateDir,
}: Pick<ControlPlane, 'configFile' | 'stateDir'>): Promise<Rejection[]> {
  const isOpen = async (path: string | undefined) =>
    path !== undefined && (await openToOthers(path)) !== undefined;
  const code: PolicyReason = 'config_world_writable';
  const next = 'Take the right away (chmod o-w); quire mcp doctor names the place.';
  return [
    ...rejectIf(
      await isOpen(configFile),
      code,
      `Everybody on this machine may change the configuration, or a folder on the way to it, and with it what is started. ${next}`,
    ),
    ...rejectIf(
      await isOpen(stateDir),
      code,
      `Everybody on this machine may change the state folder, or a folder on the way to it, and with it the approvals. ${next}`,
    ),
  ];
}
