/** Composes the second brain over notebooks that are open already. */
import * as z from 'zod';
import type { Source } from '../brain/types.ts';
import { fileRootsOf, type LlmSettings } from '../config/control-plane.ts';
import { type Environment, resolveReferences } from '../config/plane-file.ts';
import { type BrainConfig, brainSchema, type Config } from '../config/schema.ts';
import { openChatModel } from '../llm/openai-chat.ts';
import type { ChatModel } from '../llm/types.ts';
import type { Logs } from '../mcp/logs.ts';
import { type LimitedSurface, limitSurface } from '../mcp/tool-list.ts';
import { AppError } from '../shared/errors.ts';
import { ulid } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { storeAt } from '../stores/registry.ts';
import { openBrain } from '../surfaces/brain/backend.ts';
import { brainPrompts } from '../surfaces/brain/prompts.ts';
import { brainResources } from '../surfaces/brain/resources.ts';
import { brainSurfaceWith } from '../surfaces/brain/surface.ts';
import { VERSION } from '../version.ts';
import type { BrainSource, NotebookServer } from './notebooks.ts';
import { openSemanticSearch } from './semantic-search.ts';

/** Measuring needs the same code, so it is a part of the same bundle. */
export { evaluateBrain } from './brain-eval.ts';

// As in serve-http.ts: the bundler must see a use of this before all others.
z.config();

interface BrainServices {
  readonly log: Log;
  readonly environment: Environment;
  readonly cacheFolder?: string | undefined;
  /** Facts about governed servers, where there are any. */
  readonly plane?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Adds the plain search tool, which the document of the HTTP endpoint has. */
  readonly withSearchTool: boolean;
}

export interface BrainTools
  extends Pick<NotebookServer, 'limited' | 'backend' | 'resources' | 'prompts' | 'logs'> {
  /** To be called after the notebooks have been started. */
  start(): void;
  /** How far the search by meaning is. */
  embedding(): ReturnType<ReturnType<typeof openSemanticSearch>['status']>;
  close(): Promise<void>;
}

/** For completion, which shows a hundred. */
const MOST_TITLES = 50_000;
const PROTOCOL = '2025-11-25';

export async function openBrainTools(
  config: Config,
  notebooks: ReadonlyMap<string, Pick<NotebookServer, 'notebook'>>,
  services: BrainServices,
): Promise<BrainTools> {
  const settings = config.brain ?? (brainSchema.parse({}) as BrainConfig);
  const opened = await openAll(notebooks);
  const sources = sourcesOf(config, opened, settings);
  const provider = providerOf(config.llm, services.environment);
  const meaning = openSemanticSearch({
    sources,
    embeddings: settings.embeddings,
    place: placeOf(config),
    cacheFolder: services.cacheFolder,
    log: services.log,
  });
  let indexedAt: number | undefined;
  const readOnly = !sources.some(({ writable }) => writable);
  const surface = brainSurfaceWith({ searchTool: services.withSearchTool });
  const limited = limitSurface(surface, { readOnly, noDelete: false });
  const backend = openBrain({
    sources,
    retriever: meaning.retriever,
    provider,
    allowedFileRoots: fileRootsOf(config),
    allowedActions: limited.surface.tools.map(({ name }) => name),
    usesClientSampling: config.llm?.useClientSampling === true,
    titles: async () =>
      (
        await Promise.all([...opened.values()].map(({ searcher }) => searcher.someTitles(MOST_TITLES)))
      ).flat(),
    facts: async () => ({
      version: VERSION,
      protocol: PROTOCOL,
      notebooks: sources.map(({ name, writable }) => ({ name, writable, ...indexFacts(opened.get(name)) })),
      indexedAt: indexedAt === undefined ? null : new Date(indexedAt).toISOString(),
      embedder: meaning.status(),
      llm: llmFacts(config.llm, provider),
      ...(await services.plane?.()),
    }),
    chunks: () => meaning.passages(),
    now: Date.now,
    newId: () => ulid(Date.now()),
  });
  return {
    limited: limited as LimitedSurface<never>,
    backend,
    resources: brainResources(backend),
    prompts: brainPrompts(backend),
    logs: SILENT,
    start: () => {
      meaning.start();
      Promise.all([...opened.values()].map(({ searcher }) => searcher.settled())).then(
        () => {
          indexedAt = Date.now();
        },
        () => {},
      );
    },
    embedding: () => meaning.status(),
    close: () => meaning.close(),
  };
}

/** Sessions send their own messages; the second brain has none to add. */
const SILENT: Logs = { watch: () => () => {} };

async function openAll(
  notebooks: ReadonlyMap<string, Pick<NotebookServer, 'notebook'>>,
): Promise<Map<string, BrainSource>> {
  const opened = new Map<string, BrainSource>();
  for (const [name, served] of notebooks) {
    const notebook = await served.notebook();
    if (notebook) opened.set(name, notebook);
  }
  return opened;
}

/** The first writable source is the default of `sb_ingest`. */
function sourcesOf(
  { notebooks }: Config,
  opened: ReadonlyMap<string, BrainSource>,
  { ingest }: BrainConfig,
): Source[] {
  if (ingest !== undefined && !opened.has(ingest))
    throw new AppError('invalid_input', 'brain.ingest names no notebook', {
      subject: ingest,
      hint: `Notebooks: ${[...opened.keys()].join(', ')}.`,
    });
  const sources = [...opened].map(
    ([name, notebook]): Source => ({
      name,
      notebook,
      rules: notebook.rules,
      writable: notebooks[name]?.readOnly === false,
      keepsAll: notebooks[name]?.noDelete === true,
      changesBy: ingestScope(notebook),
    }),
  );
  return sources.sort((a, b) => Number(b.name === ingest) - Number(a.name === ingest));
}

/** A person is not asked about it while the call lasts: the proposal waits. */
const NEVER = new AbortController().signal;

function ingestScope({ notes, tracking }: BrainSource): Source['changesBy'] {
  return (
    tracking &&
    ((caller) => {
      const scope = tracking.scopeOf({ ...caller, tool: 'sb_ingest', effect: 'write' });
      const { recorder, guard, over, finish } = scope;
      return {
        notes: over(notes),
        guard,
        changeId: () => recorder?.id,
        finish: finish && (() => finish({ signal: NEVER }, { value: {} })),
      };
    })
  );
}

/** Identifies the notes, for the embeddings that are stored between runs. */
function placeOf({ notebooks }: Config): string {
  return JSON.stringify(
    Object.entries(notebooks).map(([name, notebook]) => [name, storeAt(notebook).identity]),
  );
}

function providerOf(llm: LlmSettings | undefined, environment: Environment): ChatModel | undefined {
  if (!llm || llm.baseUrl === '') return undefined;
  const { values, missing } = resolveReferences({ apiKey: llm.apiKey }, environment);
  if (missing.length > 0)
    throw new AppError('invalid_input', 'llm.api_key names a variable that is not set', {
      subject: missing.join(', '),
      hint: `Set ${missing.join(', ')}, or leave llm.api_key out.`,
    });
  const { apiKey = '' } = values;
  const { baseUrl, model, timeoutMs } = llm;
  return openChatModel({ baseUrl, model, timeoutMs, apiKey: apiKey !== '' ? apiKey : undefined });
}

/** How many notes are indexed, and why others are not. */
function indexFacts(notebook: BrainSource | undefined) {
  if (!notebook) return {};
  const { indexed, pending, unreadable, reasons, isReachable } = notebook.searcher.status();
  const left = pending + unreadable;
  return {
    index: {
      notes: indexed,
      notIndexed: left,
      unreadable: unreadable > 0 ? { ...reasons } : undefined,
      reachable: !isReachable ? false : undefined,
    },
  };
}

function llmFacts(llm: LlmSettings | undefined, provider: ChatModel | undefined) {
  const backend = provider ? 'provider' : llm?.useClientSampling ? 'sampling' : 'extractive';
  return { backend, model: provider ? provider.name : undefined };
}
