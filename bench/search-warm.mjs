// Searches of running servers, one at a time and eight at once.
import { performance } from 'node:perf_hooks';
import { median } from './median.mjs';
import { AT_ONCE, QUERIES } from './queries.mjs';
import { inTurns } from './turns.mjs';

const RUNS = 15;
const RUNS_AT_ONCE = 5;

/** One map from name to milliseconds, or to milliseconds and a remark, for each query; and one for eight at once. */
export async function measureWarm(rivals) {
  const queries = new Map();
  for (const query of QUERIES) {
    const warmUp = await inTurns(rivals, { rounds: 1 }, (rival) => rival.ask(query));
    const fit = rivals.filter(({ name }) => warmUp.get(name).length > 0);
    const answers = await inTurns(fit, { rounds: RUNS }, (rival) => rival.ask(query));
    queries.set(
      query.label,
      mapValues(answers, (list) => summary(list, query)),
    );
  }
  const atOnce = await inTurns(rivals, { rounds: RUNS_AT_ONCE }, async ({ ask }) => {
    const begun = performance.now();
    await Promise.all(AT_ONCE.map((query) => ask(query)));
    return performance.now() - begun;
  });
  return { queries, atOnce: mapValues(atOnce, median) };
}

function summary(answers, { finds }) {
  const value = median(answers.map(({ milliseconds }) => milliseconds));
  const isFound = finds === undefined || answers.at(-1)?.text.includes(finds);
  return value === undefined || isFound ? value : { value, remark: 'not found' };
}

function mapValues(map, change) {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
