// The reference ranking: plain BM25 over stems, nothing about titles, phrases or closeness.
import { porterStem } from './porter.mjs';

const K1 = 1.2;
const B = 0.75;

/** A function from a query to the names of the best notes. `texts` is from name to text; `isLeftOut` are words of a query to leave out. */
export function bm25Over(texts, isLeftOut = () => false) {
  const lengths = new Map();
  const postings = new Map();
  for (const [name, text] of texts) {
    const stems = stemsOf(text);
    lengths.set(name, stems.length);
    for (const [stem, times] of counted(stems)) {
      if (!postings.has(stem)) postings.set(stem, []);
      postings.get(stem).push([name, times]);
    }
  }
  const averageLength = [...lengths.values()].reduce((sum, length) => sum + length, 0) / lengths.size;
  const weigh = (times, length) => (times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / averageLength));

  return (query, limit) => {
    const scores = new Map();
    for (const stem of stemsOf(query, isLeftOut)) {
      const notes = postings.get(stem) ?? [];
      const rarity = Math.log(1 + (lengths.size - notes.length + 0.5) / (notes.length + 0.5));
      for (const [name, times] of notes)
        scores.set(name, (scores.get(name) ?? 0) + rarity * weigh(times, lengths.get(name)));
    }
    const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, limit);
    return best.map(([name]) => name);
  };
}

function stemsOf(text, isLeftOut = () => false) {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !isLeftOut(word)).map(porterStem);
}

function counted(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
