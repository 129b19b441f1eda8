/** Size and time of very many files, in turns: short synchronous calls, and no object kept for any of them. */
import type { Stats } from 'node:fs';
import type { Turns } from '../../shared/turns.ts';
import { FOLDER, NOTHING } from './differences.ts';
import { lstatQuietly, statQuietly } from './stat-quietly.ts';

export interface ManyStats {
  /** Bytes of a file, or one of the above. */
  size(at: number): number;
  modified(at: number): number;
}

const STATS_PER_LOOK_AT_THE_CLOCK = 50;

/** Folders, which are not followed when they are links, and files, which are. */
export async function statMany(
  root: string,
  paths: { readonly folders: readonly string[]; readonly files: readonly string[] },
  turns: Turns,
): Promise<{ readonly folders: ManyStats; readonly files: ManyStats }> {
  const statAll = async (names: readonly string[], stat: (place: string) => Stats | undefined) => {
    const sizes = new Float64Array(names.length);
    const times = new Float64Array(names.length);
    for (const [at, name] of names.entries()) {
      const entry = stat(`${root}/${name}`);
      sizes[at] = entry?.isFile() ? entry.size : entry?.isDirectory() ? FOLDER : NOTHING;
      times[at] = entry ? entry.mtimeMs : 0;
      const pause = at % STATS_PER_LOOK_AT_THE_CLOCK === 0 ? turns() : undefined;
      if (pause) await pause;
    }
    return { size: (at: number) => sizes[at]!, modified: (at: number) => times[at]! };
  };
  return {
    folders: await statAll(paths.folders, lstatQuietly),
    files: await statAll(paths.files, statQuietly),
  };
}
