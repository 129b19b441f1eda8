/** What is not sorted as a whole, and not looked at as a whole, has the same beginning as if it were. */
import { describe, expect, it } from 'vitest';
import { liftByMeaning } from '../../src/search/query/rank.ts';
import { bestNumbers } from '../../src/search/query/selection.ts';

/** Numbers from 0 to 1, the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Note numbers in no order, and ranks of which many are equal. */
function ranked(seed: number, count: number): { numbers: number[]; rank: Float32Array } {
  const random = randomNumbers(seed);
  const numbers = Array.from({ length: count }, (_, at) => at * 2).sort(() => random() - 0.5);
  const rank = new Float32Array(count * 2);
  for (const number of numbers) rank[number] = Math.floor(random() * 40) / 4;
  return { numbers, rank };
}

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

describe('the best few', () => {
  it('are the first of all in order', () => {
    const times = { lastModified: (number: number) => number % 7 };
    for (const seed of SEEDS)
      for (const count of [0, 1, 5, 400]) {
        const { numbers, rank } = ranked(seed, count);
        const byRank = [...numbers].sort((a, b) => rank[b]! - rank[a]! || a - b);
        const newest = [...numbers].sort((a, b) => rank[b]! - rank[a]! || (b % 7) - (a % 7) || a - b);
        for (const most of [0, 1, 3, 20, 150, 399, 400, 1_000]) {
          expect(bestNumbers(numbers, rank, most)).toEqual(byRank.slice(0, most));
          expect(bestNumbers(numbers, rank, most, times)).toEqual(newest.slice(0, most));
        }
      }
  });
});

describe('notes that rise by meaning', () => {
  it('are the same when only those that can reach the page are looked at', () => {
    for (const seed of SEEDS)
      for (const wanted of [1, 10, 50]) {
        const { numbers, rank } = ranked(seed, 400);
        const looked = { all: 0, few: 0 };
        const meaning = (counter: 'all' | 'few') => ({
          trust: 1,
          nearnessTo: () => (number: number) => {
            looked[counter]++;
            return ((number * 37) % 200) / 100 - 1;
          },
        });
        const all = { numbers, rank: rank.slice() };
        const few = { numbers, rank: rank.slice() };
        const likely = seed % 2 === 0 ? [] : bestNumbers(numbers, rank, 60);
        liftByMeaning(meaning('all'), ['word'], all, { wanted: Number.POSITIVE_INFINITY, likely });
        const lift = liftByMeaning(meaning('few'), ['word'], few, { wanted, likely });
        expect(bestNumbers(numbers, few.rank, wanted)).toEqual(bestNumbers(numbers, all.rank, wanted));
        expect(looked.few).toBeLessThan(looked.all);
        for (const number of numbers) lift(number);
        expect(few.rank).toEqual(all.rank);
      }
  });
});
