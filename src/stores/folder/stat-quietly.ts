/** Looks at an entry. Whatever is wrong on the way there, there is nothing to be had: then undefined. */
import { lstatSync, type Stats, statSync } from 'node:fs';

const QUIETLY = { throwIfNoEntry: false } as const;

export function statQuietly(place: string): Stats | undefined {
  try {
    return statSync(place, QUIETLY);
  } catch {
    return undefined;
  }
}

/** The same of a link itself. */
export function lstatQuietly(place: string): Stats | undefined {
  try {
    return lstatSync(place, QUIETLY);
  } catch {
    return undefined;
  }
}
