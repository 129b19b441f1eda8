/** Size and time of very many files, in turns: short synchronous calls, and no object kept for any of them. */
import { lstatSync, type Stats, statSync } from 'node:fs';
import type { Turns } from '../../shared/turns.ts';

/** What stands in for the size of a folder. */
export const FOLDER = -1;
/** What stands in for the size where there is neither a file nor a folder. */
export const NOTHING = -2;

export interface ManyStats {
  /** Bytes of a file, or one of the above. */
  size(at: number): number;
  modified(at: number): number;
}

const QUIETLY = { throwIfNoEntry: false } as const;
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
      const entry = quietly(stat, `${root}/${name}`);
      sizes[at] = entry?.isFile() ? entry.size : entry?.isDirectory() ? FOLDER : NOTHING;
      times[at] = entry ? entry.mtimeMs : 0;
      const pause = at % STATS_PER_LOOK_AT_THE_CLOCK === 0 ? turns() : undefined;
      if (pause) await pause;
    }
    return { size: (at: number) => sizes[at]!, modified: (at: number) => times[at]! };
  };
  return {
    folders: await statAll(paths.folders, (place) => lstatSync(place, QUIETLY)),
    files: await statAll(paths.files, (place) => statSync(place, QUIETLY)),
  };
}

/** Whatever is wrong on the way there, there is nothing to be had. */
function quietly(stat: (place: string) => Stats | undefined, place: string): Stats | undefined {
  try {
    return stat(place);
  } catch {
    return undefined;
  }
}
