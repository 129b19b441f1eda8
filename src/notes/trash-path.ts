/** Where deleted pages go: `_trash/YYYY-MM/<path>`, with the moment in the name when that one is taken. */
import { type NotePath, pathKey } from './path.ts';

export const TRASH = '_trash' as NotePath;

const EXTENSION = /\.[^./]+$/;

/** In whatever letter case, for disks that do not tell the difference. */
export function isTrashed(path: string): boolean {
  return pathKey(path).startsWith(`${TRASH}/`);
}

export function trashPathOf(path: NotePath, now: number): NotePath {
  return `${TRASH}/${monthOf(now)}/${path}` as NotePath;
}

/** For a second page of the same name in the same month. */
export function stampedPath(path: NotePath, now: number): NotePath {
  const extension = EXTENSION.exec(path)?.[0] ?? '';
  return `${path.slice(0, path.length - extension.length)}-${now}${extension}` as NotePath;
}

export interface TrashedPage {
  readonly path: NotePath;
  /** Where it stood. */
  readonly original: NotePath;
  /** `YYYY-MM`. */
  readonly month: string;
  /** Milliseconds since 1970, where the name tells it. */
  readonly deletedAt?: number;
}

/**
 * A name may end in digits of its own, so a stamp is one only when it is a moment of that month and a page
 * without it is, or was just now, beside it: `isThere` says so.
 */
export function parseTrashPath(
  path: NotePath,
  isThere: (path: NotePath) => boolean,
): TrashedPage | undefined {
  const [, month, original] = /^_trash\/(\d{4}-\d{2})\/(.+)$/.exec(path) ?? [];
  if (month === undefined || original === undefined) return undefined;
  const [, stem, stamp, extension] = /^(.+)-(\d{12,14})(\.md)$/i.exec(original) ?? [];
  const unstamped = `${stem}${extension}` as NotePath;
  if (
    stamp !== undefined &&
    monthOf(Number(stamp)) === month &&
    isThere(`${TRASH}/${month}/${unstamped}` as NotePath)
  )
    return { path, original: unstamped, month, deletedAt: Number(stamp) };
  return { path, original: original as NotePath, month };
}

function monthOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 7);
}
