/** Random histories over the Trilium tools: undoing restores exactly, or is a conflict that changed nothing. */
import { describe, it } from 'vitest';
import { undoneAmongOthers, undoneOneByOne, undoneWhole } from './random-history.ts';

const SEEDS = [1];
const STEPS = 25;

describe('a random history', () => {
  it.each(SEEDS)('%i is undone whole', (seed) => undoneWhole(seed, STEPS));
  it.each(SEEDS)('%i is undone change by change', (seed) => undoneOneByOne(seed, STEPS));
  it.each(SEEDS)('%i with changes by others: any one is undone, or nothing happens', (seed) =>
    undoneAmongOthers(seed, STEPS),
  );
});
