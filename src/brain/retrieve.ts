/** The passages that have most to do with a question, from all mounted notebooks. */
import { findByWords } from './keyword.ts';
import { mountsOf } from './mounts.ts';
import { createNoteReader } from './note-reader.ts';
import type { RankedPassage, Retriever, Source } from './types.ts';

export interface RetrieverOptions {
  readonly sources: readonly Source[];
}

/** Each further passage of a note counts less: other notes have something to say, too. */
const AGAIN = 0.8;

export function openRetriever({ sources }: RetrieverOptions): Retriever {
  const mounts = mountsOf(sources);
  const reader = createNoteReader(mounts);
  return {
    async retrieve({ query, limit, scope }, asking = {}) {
      const warnings: string[] = [];
      const inquiry = { ...asking, onWarning: (warning: string) => void warnings.push(warning) };
      const parts = mounts.parts(scope, inquiry);
      const { passages, total } = await findByWords(query, limit, { parts, reader, inquiry });
      return { passages: spread(passages).slice(0, limit), total, modeUsed: 'keyword', warnings };
    },
    similarity: async () => undefined,
  };
}

function spread(passages: readonly RankedPassage[]): RankedPassage[] {
  const seen = new Map<string, number>();
  return passages
    .map((ranked) => {
      const before = seen.get(ranked.passage.sourcePath) ?? 0;
      seen.set(ranked.passage.sourcePath, before + 1);
      return { ...ranked, score: ranked.score * AGAIN ** before };
    })
    .sort((a, b) => b.score - a.score);
}
