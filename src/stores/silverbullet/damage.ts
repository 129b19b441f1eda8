/** Tells a page that our own broken write left behind from one that somebody else wrote. */

/**
 * Whether `there` is a part of `intended`: its beginning alone, or with the end of what stood there before, or with
 * nothing but zeros where the rest should be. A page left so by a full disk or a cut connection is nobody's text.
 */
export function isDamage(
  there: Uint8Array,
  intended: Uint8Array,
  before: Uint8Array = new Uint8Array(),
): boolean {
  const length = sharedStart(there, intended);
  const rest = there.subarray(length);
  if (rest.length === 0) return length < intended.length;
  const tail = before.subarray(length);
  const isOldTail = there.length === before.length && Buffer.compare(rest, tail) === 0;
  return isOldTail || rest.every((byte) => byte === 0);
}

/** More than a write, a retry and every attempt at putting the old text back can leave one behind the other. */
const MOST_PATCHES = 8;

/**
 * Whether several broken writes in a row can have left `there`: every piece of it stands at its own place in one of
 * `texts`, or is zeros.
 */
export function isPatchwork(there: Uint8Array, texts: readonly Uint8Array[]): boolean {
  const sources = [...texts, new Uint8Array(there.length)];
  let at = 0;
  for (let patches = 0; at < there.length; patches++) {
    const rest = there.subarray(at);
    const length = Math.max(...sources.map((source) => sharedStart(rest, source.subarray(at))));
    if (length === 0 || patches === MOST_PATCHES) return false;
    at += length;
  }
  return true;
}

function sharedStart(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a[at] === b[at]) at++;
  return at;
}
