/**
 * Measures how well the notes of a configuration are found. The notes are read once; the test set's copy of them, which
 * lacks what its questions were made from, is in memory alone.
 */
import { createCollection } from '../brain/embed/collection.ts';
import { embedChanged, taskFor } from '../brain/embed/embed-run.ts';
import {
  figuresOf,
  measure,
  type WayFigures,
  type WayOfFinding,
  type WayResult,
} from '../brain/eval/measure.ts';
import {
  type QuestionKind,
  shuffled,
  type TestNote,
  type TestSet,
  testSetOf,
} from '../brain/eval/questions.ts';
import { recommendationOf } from '../brain/eval/recommend.ts';
import { mountsOf, openLibrary, readIfText } from '../brain/retrieve/library.ts';
import { openRetriever } from '../brain/retrieve/retriever.ts';
import { isTextNote, type Source, type SourceNote } from '../brain/types.ts';
import type { BrainConfig, Config } from '../config/schema.ts';
import { openOpenAiEmbedder } from '../llm/openai-embeddings.ts';
import type { Embedder } from '../llm/types.ts';
import type { SearchMode, SearchRequest } from '../notes/searcher.ts';
import { FEWEST_NOTES } from '../search/meaning/term-matrix.ts';
import { openSearcher } from '../search/open-searcher.ts';
import { mapConcurrently } from '../shared/async/semaphore.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { openMemoryStore } from '../stores/memory.ts';
import type { NotebookServer } from './notebooks.ts';

interface EvalServices {
  readonly log: Log;
  /** Called before work that may take minutes. */
  readonly announce: (work: string) => void;
}

export interface Evaluation {
  /** Notes of the configuration. */
  readonly notes: number;
  /** How many of the notes were copied and searched. */
  readonly measured: number;
  readonly questions: Readonly<Record<QuestionKind, number>>;
  readonly ways: readonly WayFigures[];
  /** One line. */
  readonly recommendation: string;
  /** Why the embedding model could not be measured. */
  readonly failure?: AppError;
}

const MOST_NOTES = 2_000;
/** Longer notes are taken for data. */
const LARGEST_NOTE = 256 * 1024;
const READS_AT_ONCE = 16;
/** Passages asked for: a note may have several. */
const PASSAGES = 30;
const EMBED_TIMEOUT_MS = 60_000;

export async function evaluateBrain(
  { brain }: Pick<Config, 'brain'>,
  notebooks: ReadonlyMap<string, Pick<NotebookServer, 'notebook'>>,
  services: EvalServices,
): Promise<Evaluation> {
  const { all, notes } = await readSome(notebooks);
  const set = testSetOf(notes);
  if (set.questions.length === 0) throw nothingToAsk(notes.length);
  const copy = await openCopy(set.notes, services.log);
  try {
    const byMode = (name: string, mode: SearchMode) =>
      measure({ name, find: (query, limit) => copy.find({ query, mode, limit }) }, set.questions);
    // A first round fills caches, or else the way that is measured first would seem slow.
    await byMode('warm-up', 'auto');
    const words = await byMode('words alone', 'words');
    const hasMeaning = set.notes.length >= FEWEST_NOTES;
    const meaning = hasMeaning ? await byMode('words and meaning', 'auto') : undefined;
    const meaningAlone = hasMeaning ? await byMode('meaning alone', 'meaning') : undefined;
    const { model, failure } = await tryModel(brain?.embeddings, copy.source, set, services);
    const count = (kind: QuestionKind) => set.questions.filter((question) => question.kind === kind).length;
    return {
      notes: all,
      measured: notes.length,
      questions: { link: count('link'), heading: count('heading'), title: count('title') },
      ways: [words, meaning, meaningAlone, model].flatMap((way) => (way ? figuresOf(way) : [])),
      recommendation: recommendationOf({ words, meaning, model }),
      failure,
    };
  } finally {
    await copy.close();
  }
}

async function tryModel(
  embeddings: BrainConfig['embeddings'] | undefined,
  source: Source,
  { notes, questions }: TestSet,
  { announce }: EvalServices,
): Promise<{ readonly model?: WayResult; readonly failure?: AppError }> {
  if (typeof embeddings !== 'object') return {};
  announce(`embedding ${notes.length} notes with ${embeddings.model}, which may take minutes`);
  try {
    return { model: await measureModel(source, embeddings, questions) };
  } catch (error) {
    return { failure: notMeasured(error, embeddings.model) };
  }
}

interface ReadNotes {
  readonly all: number;
  /** Some of them, where there are very many. */
  readonly notes: readonly SourceNote[];
}

/** Lists the stores themselves: nobody waits for an index of notes that are only read. */
async function readSome(
  notebooks: ReadonlyMap<string, Pick<NotebookServer, 'notebook'>>,
): Promise<ReadNotes> {
  const sources: Source[] = [];
  for (const [name, served] of notebooks) {
    const notebook = await served.notebook();
    if (notebook) sources.push({ name, notebook, writable: false });
  }
  const [library, mounts] = [openLibrary(sources), mountsOf(sources)];
  const listed = sources.map(async (source) => {
    const files = await source.notebook.notes.list();
    return files.map(({ path, size }) => ({ path: mounts.sourcePath(source, path), size }));
  });
  const all = (await Promise.all(listed)).flat().filter(({ path }) => isTextNote(path));
  const short = all.filter(({ size }) => size <= LARGEST_NOTE).map(({ path }) => path);
  const chosen = shuffled(short, (path) => path).slice(0, MOST_NOTES);
  const read = await mapConcurrently(chosen, READS_AT_ONCE, (path) => readIfText(library, path));
  return { all: all.length, notes: read.filter((note) => note !== undefined) };
}

async function openCopy(notes: readonly TestNote[], log: Log) {
  const store = openMemoryStore(Object.fromEntries(notes.map(({ path, text }) => [path, text])));
  const searcher = openSearcher(store, { log });
  searcher.start();
  await searcher.settled();
  await searcher.meaningKnown();
  return {
    source: { name: 'copy', notebook: { notes: searcher.store, searcher }, writable: false },
    async find(request: SearchRequest): Promise<string[]> {
      const { hits } = await searcher.search({ ...request, withExcerpts: false });
      return hits.map(({ path }) => path);
    },
    close: () => searcher.close(),
  };
}

async function measureModel(
  source: Source,
  { base_url: baseUrl, model, api_key: apiKey }: Extract<BrainConfig['embeddings'], object>,
  questions: TestSet['questions'],
): Promise<WayResult> {
  const embedder = openOpenAiEmbedder({
    baseUrl,
    model,
    timeoutMs: EMBED_TIMEOUT_MS,
    apiKey: apiKey !== '' ? apiKey : undefined,
  });
  try {
    const retriever = openRetriever({
      sources: [source],
      embedder,
      embedding: await embedAll(source, embedder),
    });
    const find: WayOfFinding['find'] = async (query) => {
      const request = { query, limit: PASSAGES, mode: 'hybrid', scope: {} } as const;
      const { passages, modeUsed, warnings } = await retriever.retrieve(request);
      if (modeUsed !== 'hybrid') throw new AppError('upstream_failed', warnings.join(' '));
      return passages.map(({ passage }) => passage.sourcePath);
    };
    return await measure({ name: model, find }, questions);
  } finally {
    await embedder.close();
  }
}

async function embedAll(source: Source, embedder: Embedder) {
  const collection = createCollection();
  const library = openLibrary([source]);
  const { signal } = new AbortController();
  const parts = { library, embedder, collection, signal, save: async () => {}, onNote: () => {} };
  const task = await taskFor(parts);
  await embedChanged(task, parts);
  const { identity } = embedder;
  const { notes } = task;
  return {
    collection,
    status: () => ({ identity, notes, embeddedNotes: notes, passages: collection.size, isWorking: false }),
  };
}

function nothingToAsk(notes: number): AppError {
  if (notes === 0)
    return new AppError('not_found', 'There are no notes to measure with', {
      hint: 'Name a folder with .md, .markdown or .txt files.',
    });
  return new AppError('unsupported', 'No question can be made from these notes', {
    subject: notes === 1 ? '1 note' : `${notes} notes`,
    hint: 'Questions are made from titles and headings of at least two telling words that no other note has, and from sentences with links, where a note has some text beside them.',
  });
}

function notMeasured(error: unknown, model: string): AppError {
  if (!isAppError(error)) throw error;
  return new AppError(
    error.code === 'timeout' ? 'timeout' : 'upstream_failed',
    'The embedding model could not be measured',
    {
      subject: model,
      hint: `${error.title}. Check that its server runs, and base_url, model and api_key of brain.embeddings.`,
      cause: error,
    },
  );
}
