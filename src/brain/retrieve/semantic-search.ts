/** Passages by meaning: the vector of the question beside those of all passages. */

import type { Embedder } from '../../llm/types.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { isAppError } from '../../shared/errors.ts';
import { TtlCache } from '../../shared/memoize.ts';
import type { Embedding, EmbeddingStatus } from '../embed/embedding.ts';
import type { VectorHit } from '../embed/vector-table.ts';

export interface SemanticIndex {
  /** Undefined, with a warning that says why, when there is nothing to compare with or it would take too long. */
  vectorOf(query: string, options: SearchOptions): Promise<Float32Array | undefined>;
  nearest(query: Float32Array, most: number, accepts?: (sourcePath: string) => boolean): SemanticHits[];
  cosine(query: Float32Array, hash: string): number | undefined;
  /** The cosine of the question and any passage, on average. */
  usualCosine(query: Float32Array): number;
  similarity(text: string, others: readonly string[], signal?: AbortSignal): Promise<readonly number[]>;
}

export interface SemanticHits extends VectorHit {
  readonly sourcePath: string;
}

/** With fewer of the notes, an answer by meaning would leave out too much. */
const ENOUGH = 0.9;
/** What a question may wait for its vector. */
const PATIENCE_MS = 3_000;
/** Below this, two texts have nothing in common. */
const UNRELATED = 0.15;
const REMEMBERED = 64;
const REMEMBERED_MS = 600_000;

export function createSemanticIndex(embedder: Embedder, embedding: Embedding): SemanticIndex {
  const { collection } = embedding;
  const known = new TtlCache<Float32Array>({
    forMs: REMEMBERED_MS,
    most: REMEMBERED,
    now: () => performance.now(),
  });
  return {
    async vectorOf(query, options) {
      const notReady = whyNotReady(embedding.status());
      if (notReady !== undefined) return warned(options, notReady);
      const remembered = known.get(query);
      if (remembered) return remembered;
      try {
        const [vector] = await embedder.embed([query], inSomeTime(options.signal));
        if (vector) known.set(query, vector);
        return vector;
      } catch (error) {
        options.signal?.throwIfAborted();
        return warned(options, whyFailed(error));
      }
    },
    nearest: (query, most, accepts) =>
      collection.nearest(query, most, accepts).flatMap(({ hash, cosine }) => {
        const sourcePath = collection.pathOf(hash);
        return sourcePath === undefined || cosine < UNRELATED ? [] : [{ hash, cosine, sourcePath }];
      }),
    cosine: (query, hash) => collection.cosine(query, hash),
    usualCosine: (query) => collection.usualCosine(query),
    async similarity(text, others, signal) {
      const [own, ...vectors] = await embedder.embed([text, ...others], signal);
      return vectors.map((vector) => vector.reduce((sum, number, at) => sum + number * (own?.[at] ?? 0), 0));
    },
  };
}

function inSomeTime(signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

function whyNotReady({ notes, embeddedNotes, problem }: EmbeddingStatus): string | undefined {
  if (notes > 0 && embeddedNotes / notes >= ENOUGH) return undefined;
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

function warned(options: SearchOptions, warning: string): undefined {
  options.onWarning?.(warning);
  return undefined;
}
