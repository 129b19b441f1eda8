/** Two rankings as one, by the places things have in each (reciprocal rank fusion). */
const K = 60;

/** From key to a score of at most 1, which is for what stands first in all of them. */
export function fuse(rankings: readonly (readonly string[])[]): Map<string, number> {
  const scores = new Map<string, number>();
  const most = rankings.length / (K + 1);
  for (const ranking of rankings)
    for (const [place, key] of ranking.entries())
      scores.set(key, (scores.get(key) ?? 0) + 1 / (K + 1 + place) / most);
  return scores;
}
