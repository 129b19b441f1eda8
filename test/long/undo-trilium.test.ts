/**
 * Longer random histories over the Trilium tools than in the gate: undoing restores exactly, or is a conflict that changed
 * nothing. `npm run fuzz` has many more, from other seeds.
 */
import { describe, it } from 'vitest';
import { cases, propertySeed } from '../kit/cases.ts';
import { undoneAmongOthers, undoneOneByOne, undoneWhole } from '../trilium/random-history.ts';

const SEEDS = Array.from({ length: cases(15) }, (_, at) => propertySeed + at);
const STEPS = 40;

describe('a random history', () => {
  it.each(SEEDS)('%i is undone whole', (seed) => undoneWhole(seed, STEPS));
  it.each(SEEDS)('%i is undone change by change', (seed) => undoneOneByOne(seed, STEPS));
  it.each(SEEDS)('%i with changes by others: any one is undone, or nothing happens', (seed) =>
    undoneAmongOthers(seed, STEPS),
  );
});
