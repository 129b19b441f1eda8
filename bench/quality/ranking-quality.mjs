// How good a ranking is, given the grades of the notes that matter.

/** nDCG@10, MRR@10 and recall@20 of the names in `ranked`; `grades` is from name to a number above 0. */
export function qualityOf(ranked, grades) {
  const gains = ranked.slice(0, 10).map((name) => grades.get(name) ?? 0);
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, 10);
  const firstGood = gains.findIndex((gain) => gain > 0);
  const found = new Set(ranked.slice(0, 20).filter((name) => grades.has(name)));
  return {
    ndcg: discounted(gains) / discounted(ideal),
    mrr: firstGood < 0 ? 0 : 1 / (firstGood + 1),
    recall: found.size / grades.size,
  };
}

function discounted(gains) {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
}
