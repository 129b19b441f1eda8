/** Citations of what an answer rests on: a place in a passage, or what of it fits a question best. */
import { questionOf } from '../notes/words/question.ts';
import type { Cite } from './answer/citations.ts';
import { type CitationFacts, citationOf, citationsIn } from './citation.ts';
import type { Citation, Passage, Span } from './types.ts';

export function createCite(retrievedAt: string): Cite {
  return ({ passage, score }, where) => {
    const facts = { index: 0, score: rounded(score), retrievedAt };
    return typeof where === 'string'
      ? citationOf(passage, questionOf(where), facts)
      : citationWithin(passage, where, facts);
  };
}

export function rounded(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000;
}

/** The passage is all of the note that is at hand; its places are those of the note. */
function citationWithin(passage: Passage, { start, end }: Span, facts: CitationFacts): Citation {
  const from = passage.span.start;
  const cited = citationsIn({ ...passage, size: passage.text.length }, [])(
    { start: start - from, end: end - from },
    facts,
  );
  return {
    ...cited,
    chunkHash: passage.hash,
    anchor: cited.anchor || passage.anchor,
    lineStart: cited.lineStart + passage.lineStart - 1,
    lineEnd: cited.lineEnd + passage.lineStart - 1,
  };
}
