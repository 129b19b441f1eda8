/** The best few of many, in order: sorting ten thousand to show twenty would be most of the work of a search. */

/** From this many on, sorting all is faster. */
export const MANY = 200;

/** The first `most` in the order of `compare`. */
export function firstBy<T>(found: readonly T[], compare: (a: T, b: T) => number, most: number): T[] {
  if (most > MANY || found.length <= most) return [...found].sort(compare).slice(0, most);
  const best: T[] = [];
  for (const entry of found) insert(best, entry, compare, most);
  return best;
}

/** Inserts into a sorted list of at most `most` entries. */
function insert<T>(best: T[], entry: T, compare: (a: T, b: T) => number, most: number): void {
  if (best.length === most && compare(entry, best[most - 1]!) >= 0) return;
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(entry, best[middle]!) < 0) high = middle;
    else low = middle + 1;
  }
  if (low === most) return;
  // By hand: for so few entries, `splice` takes longer.
  if (best.length < most) best.push(entry);
  for (let at = best.length - 1; at > low; at--) best[at] = best[at - 1]!;
  best[low] = entry;
}

/** The `most` best note numbers, best first; of equals the newer one, where times are given. */
export function bestNumbers(
  numbers: readonly number[],
  rank: Float32Array,
  most: number,
  times?: { lastModified(number: number): number },
): number[] {
  const newer = (a: number, b: number) => (times ? times.lastModified(b) - times.lastModified(a) : 0);
  const compare = (a: number, b: number) => rank[b]! - rank[a]! || newer(a, b) || a - b;
  if (most > MANY || numbers.length <= most) return firstBy(numbers, compare, most);
  const best = numbers.slice(0, most).sort(compare);
  // Most notes rank below the last of the best, which one comparison shows.
  for (let at = most; ; at++) {
    at = nextNotBelow(rank[best[most - 1]!]!, numbers, at, rank);
    if (at === numbers.length) return best;
    insert(best, numbers[at]!, compare, most);
  }
}

function nextNotBelow(bar: number, numbers: readonly number[], from: number, rank: Float32Array): number {
  let at = from;
  while (at < numbers.length && rank[numbers[at]!]! < bar) at++;
  return at;
}
