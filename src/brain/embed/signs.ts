/** The signs of a vector's numbers, 32 to a word: vectors that point the same way share most of them. */
export const WORD_BITS = 32;

export function signsOf(bytes: Int8Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(bytes.length / WORD_BITS));
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! > 0) signs[at >>> 5]! |= 1 << (at & 31);
  return signs;
}

interface Among {
  readonly rows: number;
  readonly most: number;
  readonly isThere: (row: number) => boolean;
}

/** About `most` rows that differ in the fewest signs, in the order of the rows. */
export function nearestBySigns(
  query: Uint32Array,
  signs: Uint32Array,
  { rows, most, isThere }: Among,
): number[] {
  const differences = new Uint16Array(rows);
  const counts = new Uint32Array(query.length * WORD_BITS + 1);
  const there: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (!isThere(row)) continue;
    const different = differenceAt(query, signs, row * query.length);
    differences[row] = different;
    counts[different]!++;
    there.push(row);
  }
  const farthest = distanceOf(counts, most);
  return there.filter((row) => differences[row]! <= farthest);
}

/** The smallest difference that so many do not exceed. */
function distanceOf(counts: Uint32Array, most: number): number {
  let sum = 0;
  for (let difference = 0; difference < counts.length; difference++) {
    sum += counts[difference]!;
    if (sum >= most) return difference;
  }
  return counts.length;
}

function differenceAt(query: Uint32Array, signs: Uint32Array, start: number): number {
  let sum = 0;
  for (let at = 0; at < query.length; at++) sum += ones((query[at]! ^ signs[start + at]!) | 0);
  return sum;
}

/** Set bits, counted side by side. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
