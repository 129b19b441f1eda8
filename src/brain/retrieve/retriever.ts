/**
 * Retrieval of the best passages of all mounted notebooks for a question: by keywords, by meaning, or by both. Meaning is
 * what the notes themselves have taught, unless there is an embedding model.
 */

import type { Embedder } from '../../llm/types.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { wordsIn } from '../../notes/text/analyzer.ts';
import type { Embedding } from '../embed/embedding.ts';
import type { RetrievalRequest, RetrievalResult, Retriever, Source } from '../types.ts';
import { discountRepeats, findFused } from './hybrid-search.ts';
import { findByWords, type KeywordSearch, rankedPassage } from './keyword-search.ts';
import { type MountedNotebook, mountsOf, openLibrary } from './library.ts';
import { findByMeaning, isMeaningKnown } from './meaning-search.ts';
import { createNoteReader } from './passages.ts';
import { createSemanticIndex, type SemanticIndex } from './semantic-search.ts';

export interface RetrieverOptions {
  readonly sources: readonly Source[];
  /** Without both, meaning is what the notes themselves have taught. */
  readonly embedder?: Embedder;
  readonly embedding?: Pick<Embedding, 'collection' | 'status'>;
  /** How much the model counts beside words for a question, 0 to 1. Default: 1. */
  readonly shareOf?: (question: string) => number;
}

export function openRetriever({ sources, embedder, embedding, shareOf }: RetrieverOptions): Retriever {
  const mounts = mountsOf(sources);
  const reader = createNoteReader(mounts);
  const library = openLibrary(sources);
  const meaning = embedder && embedding && createSemanticIndex(embedder, embedding);
  return {
    async retrieve(request, given = {}) {
      const warnings = new Set<string>();
      const options: SearchOptions = { ...given, onWarning: (warning) => void warnings.add(warning) };
      const { scope, withFrontmatter } = request;
      const search = { parts: mounts.parts(scope, options), reader, options, withFrontmatter };
      const vector = await queryVector(request, meaning, options);
      const share = shareOf?.(request.query) ?? 1;
      const found =
        meaning && vector
          ? await findFused(request, { ...search, meaning, vector, mounts, library, share })
          : await findAmongNotes(request, search, meaning !== undefined);
      const nowhere = await wordsNowhere(request.lookedUp ?? [], mounts.parts({}), given);
      return { ...found, ...nowhere, warnings: [...warnings] };
    },
    similarity: async (text, others, options) => meaning?.similarity(text, others, options?.signal),
  };
}

/** A notebook that cannot be asked may have every word. */
async function wordsNowhere(
  words: readonly string[],
  parts: readonly MountedNotebook[],
  { signal }: SearchOptions,
): Promise<Pick<RetrievalResult, 'unknown' | 'respelled'>> {
  const respelled = new Map<string, string>();
  const isKnown = async (word: string) => {
    const holds = parts.map(async ({ source: { notebook } }) => {
      try {
        const use = await notebook.searcher.wordUse(wordsIn(word), { signal });
        if (use.holders.some((count) => count > 0)) return true;
        const request = { query: `"${word}"`, limit: 1, withExcerpts: false };
        if ((await notebook.searcher.search(request, { signal })).total > 0) return true;
        const [only, ...others] = use.respelled;
        if (only !== undefined && others.length === 0) respelled.set(word, only);
        return false;
      } catch {
        signal?.throwIfAborted();
        return true;
      }
    });
    return (await Promise.all(holds)).some((each) => each);
  };
  const known = await Promise.all(words.map(isKnown));
  return { unknown: words.filter((_, at) => !known[at]), respelled };
}

type RetrievedPassages = Omit<RetrievalResult, 'warnings' | 'unknown' | 'respelled'>;

async function queryVector(
  { mode, query }: RetrievalRequest,
  meaning: SemanticIndex | undefined,
  options: SearchOptions,
): Promise<Float32Array | undefined> {
  return mode === 'keyword' ? undefined : meaning?.vectorOf(query, options);
}

/** `hasModel`: there is an embedding model, and it has been said why it cannot be used: words are what is left. */
async function findAmongNotes(
  { query, limit, mode }: RetrievalRequest,
  search: KeywordSearch,
  hasModel: boolean,
): Promise<RetrievedPassages> {
  const isByWords = mode === 'keyword' || hasModel;
  const modeUsed = !isByWords && (await isMeaningKnown(query, search.parts)) ? mode : 'keyword';
  if (mode === 'semantic' && modeUsed === 'keyword' && !hasModel)
    search.options.onWarning?.('The notes do not teach what these words mean: found by words alone.');
  if (modeUsed === 'semantic') {
    const { passages, total } = await findByMeaning(query, limit, search);
    const best = discountRepeats(passages, ({ passage }) => passage.sourcePath);
    return { passages: best.slice(0, limit), total, modeUsed };
  }
  const found = await findByWords(query, limit, search, isByWords ? 'words' : 'auto');
  const { passages, total, rarities } = found;
  const best = discountRepeats(passages, ({ note }) => note.sourcePath).slice(0, limit);
  return { passages: await Promise.all(best.map(rankedPassage)), total, modeUsed, rarities };
}
