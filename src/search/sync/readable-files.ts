/** Which files are read to be searched. */
import type { NoteMeta } from '../../notes/store.ts';

/** A larger file of unknown type is hardly a note. */
const LARGEST_UNKNOWN = 1024 * 1024;
/** The worker reads small notes only. */
const LARGEST_LENT = 256 * 1024;

export function mayLend(meta: NoteMeta): boolean {
  return meta.size <= LARGEST_LENT && mayBeText(meta);
}

/** Other files are found by name only; whether these are text is known when they have been read. */
export function mayBeText({ contentType, size }: NoteMeta): boolean {
  if (contentType === 'application/octet-stream') return size <= LARGEST_UNKNOWN;
  return /^text\/|^application\/(?:json|yaml)$|^image\/svg/.test(contentType);
}
