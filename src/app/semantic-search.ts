/** Adds semantic search where it is configured: starts with keyword search and switches when the model is ready. */
import { Embedding } from '../brain/embed/embedding.ts';
import { openLibrary } from '../brain/retrieve/library.ts';
import { openRetriever } from '../brain/retrieve/retriever.ts';
import type { Retriever, Source } from '../brain/types.ts';
import type { BrainConfig } from '../config/schema.ts';
import { openOpenAiEmbedder } from '../llm/openai-embeddings.ts';
import { openPackagedEmbedder } from '../llm/packaged-embedder.ts';
import type { Embedder } from '../llm/types.ts';
import type { Log } from '../shared/log.ts';

interface SemanticSearchOptions {
  readonly sources: readonly Source[];
  readonly embeddings: BrainConfig['embeddings'];
  /** Identifies the set of notebooks. */
  readonly place: string;
  /** Folder of saved vectors; without it, search is by keywords only. */
  readonly cacheFolder: string | undefined;
  /** File of the embedding worker. */
  readonly embedThread: string | undefined;
  readonly log: Log;
}

const TIMEOUT_MS = 60_000;
/** The packaged model needs over half an hour for more notes, so these must be requested explicitly. */
const MOST_NOTES_UNASKED = 2_000;

export function openSemanticSearch(options: SemanticSearchOptions) {
  const { sources, embeddings, log } = options;
  const byWords = withoutMeaning(openRetriever({ sources }));
  let current = byWords;
  let embedding: Embedding | undefined;
  let embedder: Embedder | undefined;
  let isClosed = false;
  const begin = async () => {
    if (embeddings === 'auto' && (await isTooMuch(options))) return;
    embedder = await openEmbedder(options);
    if (!embedder || isClosed) return;
    embedding = embeddingOver(options, embedder);
    if (!embedding) return;
    current = openRetriever({ sources, embedder, embedding });
    embedding.start();
  };
  let beginning: Promise<void> | undefined;
  const retriever: Retriever = {
    retrieve: (request, asking) => current.retrieve(request, asking),
    similarity: (text, others, asking) => current.similarity(text, others, asking),
  };
  return {
    retriever,
    start: () => {
      if (embeddings === 'off') return;
      beginning ??= begin().catch((error: unknown) =>
        log('warn', 'semantic search is not available; keyword search only', { error: String(error) }),
      );
    },
    /** Without address and key. */
    status: () => (embeddings === 'off' ? 'off' : statusOf(embeddings, embedding)),
    /** Number of passages with vectors. */
    passages: () => embedding?.status().passages,
    close: async () => {
      isClosed = true;
      await beginning;
      await embedding?.close();
      await embedder?.close();
    },
  };
}

async function isTooMuch({ sources, log }: SemanticSearchOptions): Promise<boolean> {
  const { length: notes } = await openLibrary(sources).notes({});
  if (notes <= MOST_NOTES_UNASKED) return false;
  const why = `${notes} notes take long to embed; brain.embeddings: packaged does it all the same`;
  log('info', 'semantic search is not available; keyword search only', { why });
  return true;
}

/** Suppresses the warning about missing semantic search where it is not configured. */
function withoutMeaning(retriever: Retriever): Retriever {
  return {
    ...retriever,
    retrieve: (request, asking) =>
      retriever.retrieve({ ...request, mode: request.mode === 'hybrid' ? 'keyword' : request.mode }, asking),
  };
}

async function openEmbedder({
  embeddings,
  cacheFolder,
  embedThread,
  log,
}: SemanticSearchOptions): Promise<Embedder | undefined> {
  if (embeddings === 'off') return undefined;
  if (embeddings === 'packaged' || embeddings === 'auto') {
    if (embedThread === undefined || cacheFolder === undefined) return undefined;
    const isRequested = embeddings === 'packaged';
    return openPackagedEmbedder({ file: embedThread, cacheFolder, isRequested, log });
  }
  const { base_url: baseUrl, model, api_key: apiKey } = embeddings;
  return openOpenAiEmbedder({
    baseUrl,
    model,
    timeoutMs: TIMEOUT_MS,
    apiKey: apiKey !== '' ? apiKey : undefined,
  });
}

function embeddingOver(
  { sources, place, cacheFolder, log }: SemanticSearchOptions,
  embedder: Embedder,
): Embedding | undefined {
  if (cacheFolder === undefined) return undefined;
  return new Embedding({
    embedder,
    library: openLibrary(sources),
    folder: cacheFolder,
    place,
    log,
    watch: (onChange) => watchAll(sources, onChange),
  });
}

async function watchAll(sources: readonly Source[], onChange: () => void): Promise<() => Promise<void>> {
  const stops = await Promise.all(sources.map(({ notebook }) => notebook.notes.watch?.(() => onChange())));
  return async () => {
    for (const stop of stops) await stop?.();
  };
}

function statusOf(embeddings: BrainConfig['embeddings'], embedding: Embedding | undefined) {
  const kind = typeof embeddings === 'string' ? 'packaged' : 'openai';
  if (!embedding) return { kind, isReady: false };
  const { notes, embeddedNotes, passages, isWorking, problem } = embedding.status();
  return { kind, isReady: true, notes, embeddedNotes, passages, isWorking, problem: problem || undefined };
}
