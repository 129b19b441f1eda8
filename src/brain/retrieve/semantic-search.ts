/** Semantic search: nearest neighbours of the question's vector. */

import type { Embedder } from '../../llm/types.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { isAppError } from '../../shared/errors.ts';
import { TtlCache } from '../../shared/memoize.ts';
import type { Embedding, EmbeddingStatus } from '../embed/embedding.ts';
import type { VectorHit } from '../embed/vector-table.ts';

export type SemanticIndex = ReturnType<typeof createSemanticIndex>;

export interface SemanticHit extends VectorHit {
  readonly sourcePath: string;
}

/** Least share of embedded notes for a semantic search. */
const LEAST_EMBEDDED = 0.9;
const QUERY_TIMEOUT_MS = 3_000;
/** Hits with a lower cosine are dropped. */
const LEAST_COSINE = 0.15;
const CACHED_QUERIES = 64;
const CACHED_MS = 600_000;

export function createSemanticIndex(embedder: Embedder, embedding: Pick<Embedding, 'collection' | 'status'>) {
  const { collection } = embedding;
  const known = new TtlCache<Float32Array>({
    forMs: CACHED_MS,
    most: CACHED_QUERIES,
    now: () => performance.now(),
  });
  return {
    collection,
    /** Undefined, with a warning, when too few notes are embedded or the embedder fails or is too slow. */
    async vectorOf(query: string, options: SearchOptions): Promise<Float32Array | undefined> {
      const notReady = whyNotReady(embedding.status());
      if (notReady !== undefined) return void options.onWarning?.(notReady);
      const remembered = known.get(query);
      if (remembered) return remembered;
      try {
        const [vector] = await embedder.embed([query], withTimeout(options.signal));
        if (vector) known.set(query, vector);
        return vector;
      } catch (error) {
        options.signal?.throwIfAborted();
        return void options.onWarning?.(whyFailed(error));
      }
    },
    nearest: (query: Float32Array, most: number, accepts?: (sourcePath: string) => boolean): SemanticHit[] =>
      collection.nearest(query, most, accepts).flatMap(({ hash, cosine }) => {
        const sourcePath = collection.pathOf(hash);
        return sourcePath === undefined || cosine < LEAST_COSINE ? [] : [{ hash, cosine, sourcePath }];
      }),
    async similarity(text: string, others: readonly string[], signal?: AbortSignal) {
      const [own, ...vectors] = await embedder.embed([text, ...others], signal);
      return vectors.map((vector) => vector.reduce((sum, number, at) => sum + number * (own?.[at] ?? 0), 0));
    },
  };
}

function withTimeout(signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(QUERY_TIMEOUT_MS);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

function whyNotReady({ notes, embeddedNotes, problem }: EmbeddingStatus): string | undefined {
  if (notes > 0 && embeddedNotes / notes >= LEAST_EMBEDDED) return undefined;
  const how =
    notes === 0 ? 'The notes are not embedded yet' : `${embeddedNotes} of ${notes} notes are embedded so far`;
  return `${how}${problem === undefined ? '' : ` (${problem})`}: found by words alone.`;
}

function whyFailed(error: unknown): string {
  const isSlow = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  if (isSlow || isAppError(error, 'timeout'))
    return 'The embedding model took too long: found by words alone.';
  return `${isAppError(error) ? error.title : 'The embedding model failed'}: found by words alone.`;
}
