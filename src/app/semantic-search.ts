/**
 * Search by meaning: what the notes themselves have taught, and an embedding model where one is configured, as soon as
 * it is ready.
 */
import { Embedding } from '../brain/embed/embedding.ts';
import { type ModelShare, measureShare } from '../brain/eval/model-share.ts';
import { openLibrary } from '../brain/retrieve/library.ts';
import { openRetriever, type RetrieverOptions } from '../brain/retrieve/retriever.ts';
import type { Retriever, Source } from '../brain/types.ts';
import type { BrainConfig } from '../config/schema.ts';
import { openOpenAiEmbedder } from '../llm/openai-embeddings.ts';
import type { Embedder } from '../llm/types.ts';
import type { Log } from '../shared/log.ts';

interface SemanticSearchOptions {
  readonly sources: readonly Source[];
  readonly embeddings: BrainConfig['embeddings'];
  /** Identifies the set of notebooks. */
  readonly place: string;
  /** Folder of saved vectors; without it, no embedding model is used. */
  readonly cacheFolder: string | undefined;
  readonly log: Log;
}

type EmbeddingServer = Exclude<BrainConfig['embeddings'], string>;

const TIMEOUT_MS = 60_000;

const SWITCHED_OFF = 'Search by meaning is switched off (brain.embeddings): found by words alone.';

export function openSemanticSearch(options: SemanticSearchOptions) {
  const { sources, embeddings, log } = options;
  const ofNotes = openRetriever({ sources });
  let current = embeddings === 'off' ? byWordsAlone(ofNotes) : ofNotes;
  let embedding: Embedding | undefined;
  let embedder: Embedder | undefined;
  let shareOf: ModelShare = () => 1;
  const begin = (server: EmbeddingServer) => {
    embedder = openEmbedder(server);
    embedding = embeddingOver(options, embedder);
    if (!embedding) return;
    const model = { sources, embedder, embedding };
    current = openRetriever({ ...model, shareOf: (question) => shareOf(question) });
    const measuring = embedding.settled().then(() => measureShare(openLibrary(sources), findWith(model)));
    embedding.start();
    measuring.then(
      (measured) => {
        shareOf = measured;
      },
      (error: unknown) => log('debug', 'the embedding model was not measured', { error: String(error) }),
    );
  };
  const retriever: Retriever = {
    retrieve: (request, asking) => current.retrieve(request, asking),
    similarity: (text, others, asking) => current.similarity(text, others, asking),
  };
  return {
    retriever,
    start: () => {
      if (typeof embeddings !== 'string' && !embedder) begin(embeddings);
    },
    /** Without address and key. */
    status: () => (embeddings === 'off' ? 'off' : statusOf(embeddings, embedding)),
    /** Number of passages with vectors. */
    passages: () => embedding?.status().passages,
    close: async () => {
      await embedding?.close();
      await embedder?.close();
    },
  };
}

/** Asks as `retrieve` does, with the given share of the model. */
function findWith(model: RetrieverOptions) {
  let trial = 1;
  const { retrieve } = openRetriever({ ...model, shareOf: () => trial });
  return async (query: string, limit: number, share: number): Promise<string[]> => {
    trial = share;
    const { passages } = await retrieve({ query, limit, mode: 'hybrid', scope: {} });
    return passages.map(({ passage }) => passage.sourcePath);
  };
}

function byWordsAlone(retriever: Retriever): Retriever {
  return {
    ...retriever,
    retrieve: async (request, asking) => {
      const found = await retriever.retrieve({ ...request, mode: 'keyword' }, asking);
      return request.mode === 'semantic' ? { ...found, warnings: [...found.warnings, SWITCHED_OFF] } : found;
    },
  };
}

function openEmbedder({ base_url: baseUrl, model, api_key: apiKey }: EmbeddingServer): Embedder {
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
  const kind = typeof embeddings === 'string' ? 'notes' : 'openai';
  if (!embedding) return { kind, isReady: false };
  const { notes, embeddedNotes, passages, isWorking, problem } = embedding.status();
  return { kind, isReady: true, notes, embeddedNotes, passages, isWorking, problem: problem || undefined };
}
