/** Finds notes that are about what the query is about. */
import { type Matches, type MatchTools, NAME_BONUS } from './match.ts';
import type { SearchQuery } from './parse.ts';
import { bestScore, MEANING_SHARE, scoreWords, type WordGroup } from './rank.ts';

/** Notes with a smaller cosine are about something else. */
const LEAST_NEAR = 0.3;

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
  const numbers: number[] = [];
  const rank = new Float32Array(index.span);
  for (let number = 0; number < index.span; number++) {
    if (index.sizes[number] === 0) continue;
    const near = nearness(number);
    const isNamed = named.has(number);
    if ((near < LEAST_NEAR && !isNamed) || accepts?.(number) === false) continue;
    numbers.push(number);
    matched[number] ||= 1;
    rank[number] =
      near + (best > 0 ? (MEANING_SHARE * score[number]!) / best : 0) + (isNamed ? NAME_BONUS : 0);
  }
  return { numbers, rank, matched };
}
