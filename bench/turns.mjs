// The same work by several rivals in turns, so that a busy machine is busy for everyone. A rival that fails is out
// with nothing measured; one that is very slow has fewer rounds.
import { performance } from 'node:perf_hooks';

const BUDGET_MS = 30_000;

/** Resolves to what each rival returned in its rounds, by name. */
export async function inTurns(rivals, { rounds, budget = BUDGET_MS }, once) {
  const results = new Map(rivals.map(({ name }) => [name, []]));
  const left = new Map(rivals.map((rival) => [rival, budget]));
  for (let round = 0; round < rounds; round++) {
    for (const [rival, time] of left) {
      if (time <= 0) continue;
      const begun = performance.now();
      try {
        results.get(rival.name).push(await once(rival, round));
        left.set(rival, time - (performance.now() - begun));
      } catch (error) {
        complain(rival.name, error);
        results.set(rival.name, []);
        left.delete(rival);
      }
    }
  }
  return results;
}

const said = new Set();

/** The same complaint is made once. */
export function complain(name, error) {
  const line = `${name}: ${error instanceof Error ? error.message : error}\n`;
  if (!said.has(line)) process.stderr.write(line);
  said.add(line);
}
