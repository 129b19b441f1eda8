/**
 * Reads a small file in one go. Five short synchronous calls take a tenth of the time of five asynchronous
 * ones, and indexing a notebook is little else; a file of this size is read before a turn is over.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { sep } from 'node:path';
import type { NotePath } from '../../notes/path.ts';
import type { Note } from '../../notes/store.ts';
import { versionOf } from './file.ts';
import { HAS_PROC, type Root } from './root.ts';
import { toMeta } from './walk.ts';

const LARGEST = 256 * 1024;

/** Undefined whenever anything is out of the ordinary: then the careful way decides and explains. */
export function readSmallNote(root: Root, path: NotePath): Note | undefined {
  if (!HAS_PROC) return undefined;
  const place = root.real + sep + path;
  let file: number;
  try {
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    // Where the open file really is: exactly where it was asked for, so no link was followed on the way.
    if (readlinkSync(`/proc/self/fd/${file}`) !== place || !root.isVisible(path, 'file')) return undefined;
    const entry = fstatSync(file);
    if (!entry.isFile() || entry.size > LARGEST) return undefined;
    const buffer = Buffer.allocUnsafe(entry.size + 1);
    const length = readSync(file, buffer, 0, buffer.length, 0);
    if (length !== entry.size) return undefined;
    const bytes = buffer.subarray(0, length);
    let version: string | undefined;
    return {
      ...toMeta(path, entry),
      bytes,
      // Most who read do not ask for it, and it takes as long as the reading.
      get version() {
        version ??= versionOf(bytes);
        return version;
      },
    };
  } finally {
    closeSync(file);
  }
}

/** Looks at an entry. Whatever is wrong on the way there, there is nothing to be had: then undefined. */

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
