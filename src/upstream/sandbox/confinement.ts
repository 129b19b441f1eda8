/**
 * What a server really runs in. It is computed once, before the server may start; listings show this value, and the start
 * uses it. Paths are resolved when it is computed and again at the start: a link that was turned since is refused.
 */
import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
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
  /** The hosts and ports that it reaches, and no others; undefined: what its profile says. */
  readonly network?: readonly string[];
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

/** Follows the links of the part that exists. Not asynchronous: fifty servers have hundreds of paths, and each takes microseconds. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
  }
}

export function placed(path: string): PlacedPath {
  return { path, realPath: realPathOf(path) };
}

/** The first path that leads elsewhere than when it was checked. */
export function turnedSince({ cwd, read, write }: Confinement): PlacedPath | undefined {
  const all = [...(cwd ? [cwd] : []), ...read, ...write];
  return all.find(({ path, realPath }) => realPathOf(path) !== realPath);
}

/**
 * The masked paths that exist. A missing folder is made, because one that came later would be visible; where that fails, the user
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
