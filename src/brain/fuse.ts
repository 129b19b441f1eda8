/**
 * One score from two: how well the words of a question stand in a passage, and how near it is in meaning. Places in two
 * rankings would do (reciprocal rank fusion), but a ranking does not say whether its first is any good: a question in
 * other words than the notes' has a first place by words, too. See docs/second-brain-retrieval.md for the figures.
 */
export interface Signals {
  /** 0 to 1; 0 where no word stands. */
  readonly words: number;
  /** Undefined where there is no vector. */
  readonly cosine: number | undefined;
}

/** What words count for: little where at most so many stand together in one passage, much from so many on. */
const LITTLE = { share: 0.25, together: 2 };
const MUCH = { share: 0.7, together: 6 };

/** `together`: how many words of the question stand in the passage that has most. */
export function shareOfWords(together: number): number {
  const along = (together - LITTLE.together) / (MUCH.together - LITTLE.together);
  return LITTLE.share + (MUCH.share - LITTLE.share) * Math.min(1, Math.max(0, along));
}

/** `usual`: the cosine of texts that have nothing to do with each other, which is another one for every model. */
export function fuse({ words, cosine }: Signals, share: number, usual: number): number {
  const meaning = Math.max(0, ((cosine ?? usual) - usual) / Math.max(0.1, 1 - usual));
  return share * words + (1 - share) * Math.min(1, meaning);
}
