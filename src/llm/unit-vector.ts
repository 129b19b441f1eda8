/** The same direction, of length 1; undefined for a vector without one. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let sum = 0;
  for (const number of vector) sum += number * number;
  const length = Math.sqrt(sum);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  return vector.map((number) => number / length);
}
