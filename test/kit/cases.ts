/**
 * How many cases property tests are tried with, and from which seed. The gate is the same on every run;
 * `npm run fuzz` sets another seed and many more cases.
 */
const GATE_SEED = 20_261_117;
/** The number of cases of a property that sets none of its own. */
const USUAL_CASES = 100;

const times = numberIn('QUIRE_FUZZ_RUNS') ?? 1;

export const propertySeed = numberIn('QUIRE_FUZZ_SEED') ?? GATE_SEED;
export const usualCases = cases(USUAL_CASES);

/** `count` in the gate. */
export function cases(count: number): number {
  return count * times;
}

function numberIn(variable: string): number | undefined {
  const value = process.env[variable];
  return value === undefined ? undefined : Number(value);
}
