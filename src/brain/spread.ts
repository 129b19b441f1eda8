/** Each further passage of a note counts less: other notes have something to say, too. */
const AGAIN = 0.8;

/** Best first. */
export function spread<Ranked extends { readonly score: number }>(
  ranked: readonly Ranked[],
  noteOf: (ranked: Ranked) => string,
): Ranked[] {
  const seen = new Map<string, number>();
  return [...ranked]
    .sort((a, b) => b.score - a.score)
    .map((entry) => {
      const before = seen.get(noteOf(entry)) ?? 0;
      seen.set(noteOf(entry), before + 1);
      return { ...entry, score: entry.score * AGAIN ** before };
    })
    .sort((a, b) => b.score - a.score);
}
