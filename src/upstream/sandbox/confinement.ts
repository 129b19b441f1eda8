/**
 * What a server really runs in. It is computed once, before the server may start; listings show this value, and the start
 * uses it. Paths are resolved when it is computed and again at the start: a link that was turned since is refused.
 */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ifPresent } from '../../shared/fs/errno.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';
import type { Bounds, MaskedPath, PlacedPath, SandboxBackend, SandboxProfile } from './backends.ts';

export interface Waiver {
  readonly by: string;
  readonly why: string;
  /** The last day on which it holds, by UTC. */
  readonly until: string;
}

export interface Confinement {
  /** `process`: no sandbox, only an environment and a process group of its own. */
  readonly backend: SandboxBackend;
  /** `none`: the sandbox is waived. */
  readonly profile: SandboxProfile | 'none';
  /** Undefined: each start gets a new temporary folder. */
  readonly cwd?: PlacedPath;
  /** Further paths that the server may read. */
  readonly read: readonly PlacedPath[];
  /** Further paths that it may also write, unless its profile is `readonly`. */
  readonly write: readonly PlacedPath[];
  /** Paths within these that it cannot see. */
  readonly masked: readonly MaskedPath[];
  /** Undefined: nothing is bounded. */
  readonly bounds?: Bounds;
  /** The server cannot make user namespaces of its own. */
  readonly isSealed: boolean;
  readonly waiver?: Waiver;
  /** Why it runs without a sandbox, or what its sandbox lacks. */
  readonly warnings: readonly string[];
}

/** A server without a sandbox sees and reaches all that Quire does. */
export function isConfined({ backend }: Pick<Confinement, 'backend'>): boolean {
  return backend !== 'process';
}

/** Follows the links of the part that exists. */
export async function realPathOf(path: string): Promise<string> {
  const found = await realpath(path).catch(() => undefined);
  if (found !== undefined || dirname(path) === path) return found ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}

export async function placed(path: string): Promise<PlacedPath> {
  return { path, realPath: await realPathOf(path) };
}

/** The first path that leads elsewhere than when it was checked. */
export async function turnedSince({ cwd, read, write }: Confinement): Promise<PlacedPath | undefined> {
  for (const one of [...(cwd ? [cwd] : []), ...read, ...write])
    if ((await realPathOf(one.path)) !== one.realPath) return one;
  return undefined;
}

/**
 * Those that exist. A missing folder is made, because one that came later would be visible; where that fails, the user
 * who runs Quire could not make it later either.
 */
export async function existingMasks(masked: readonly MaskedPath[]): Promise<MaskedPath[]> {
  const found: MaskedPath[] = [];
  for (const one of masked) {
    if (one.isFolder) await makeFolders(one.path, 0o700).catch(() => undefined);
    if (await ifPresent(stat(one.path))) found.push(one);
  }
  return found;
}
