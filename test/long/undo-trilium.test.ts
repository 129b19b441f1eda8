/** Random histories over the Trilium tools: undoing restores exactly, or is a conflict that changed nothing. */
import { describe, it } from 'vitest';
import { undoneAmongOthers, undoneOneByOne, undoneWhole } from '../trilium/random-history.ts';

const SEEDS = Array.from({ length: 60 }, (_, at) => at + 101);
const STEPS = 40;

describe('a random history', () => {
  it.each(SEEDS)('%i is undone whole', (seed) => undoneWhole(seed, STEPS));
  it.each(SEEDS)('%i is undone change by change', (seed) => undoneOneByOne(seed, STEPS));
  it.each(SEEDS)('%i with changes by others: any one is undone, or nothing happens', (seed) =>
    undoneAmongOthers(seed, STEPS),
  );
});
