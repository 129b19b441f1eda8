/** Finds notes that are about what the query is about. */
import { type Matches, type MatchTools, NAME_BONUS } from './match.ts';
import type { SearchQuery } from './parse.ts';
import { bestScore, MEANING_SHARE, scoreWords, type WordGroup } from './rank.ts';

/** The least share of the nearest note's cosine: notes with less are about something else. */
const LEAST_NEAR = 0.5;

/** The nearest notes, whether they hold a word of the query or not; undefined when the words mean nothing to the notes. */
export function matchByMeaning(
  { index, accepts }: MatchTools,
  { indexed: { words, literal } }: SearchQuery,
  groups: readonly WordGroup[],
): Matches | undefined {
  const nearness = index.meaning?.nearnessTo(words);
  if (!nearness) return undefined;
  const { score, matched, touched } = scoreWords(index, groups);
  const best = bestScore(touched, score);
  const named = new Set(index.named(literal));
  const all = [...index.numbers()].filter((number) => accepts?.(number) !== false);
  const near = new Float32Array(index.span);
  for (const number of all) near[number] = Math.max(0, nearness(number));
  const least = LEAST_NEAR * bestScore(all, near);
  const numbers = all.filter((number) => matched[number] !== 0 || near[number]! > least || named.has(number));
  for (const number of numbers) {
    matched[number] ||= 1;
    if (best > 0) near[number]! += (MEANING_SHARE * score[number]!) / best;
    if (named.has(number)) near[number]! += NAME_BONUS;
  }
  index.scratch.giveBack(score);
  return { numbers, rank: near, matched };
}
