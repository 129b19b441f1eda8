/** The passages that have most to do with a question, from all mounted notebooks. */
import { findByWords } from './keyword.ts';
import { mountsOf } from './mounts.ts';
import { createNoteReader } from './note-reader.ts';
import type { RankedPiece } from './rank-pieces.ts';
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
      const { pieces, total } = await findByWords(query, limit, { parts, reader, inquiry });
      const passages = await Promise.all(spread(pieces).slice(0, limit).map(shown));
      return { passages, total, modeUsed: 'keyword', warnings };
    },
    similarity: async () => undefined,
  };
}

async function shown({ cut, at, score, coverage }: RankedPiece): Promise<RankedPassage> {
  const passages = await cut.passages();
  return { passage: passages[at]!, score, coverage };
}

function spread(pieces: readonly RankedPiece[]): RankedPiece[] {
  const seen = new Map<string, number>();
  return pieces
    .map((piece) => {
      const before = seen.get(piece.cut.sourcePath) ?? 0;
      seen.set(piece.cut.sourcePath, before + 1);
      return { ...piece, score: piece.score * AGAIN ** before };
    })
    .sort((a, b) => b.score - a.score);
}
