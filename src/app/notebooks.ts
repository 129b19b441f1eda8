/** Composes notebooks from their configuration: notes, tools, server. */
import type { Server } from '@modelcontextprotocol/server';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { joinSurfaces } from '../mcp/join.ts';
import type { Logs } from '../mcp/logs.ts';
import type { Prompts, Resources } from '../mcp/offers.ts';
import { createServer, type ServerParts } from '../mcp/server.ts';
import type { LiveTools } from '../mcp/tool.ts';
import { type LimitedSurface, limitSurface } from '../mcp/tool-list.ts';
import type { CompiledRule } from '../notes/frontmatter/rules.ts';
import { isTrashed } from '../notes/ops/trash.ts';
import { ROOT } from '../notes/path.ts';
import type { Notebook, NoteStore } from '../notes/store.ts';
import type { IndexedSearcher, IndexStatus } from '../search/open-searcher.ts';
import { memoize } from '../shared/memoize.ts';
import { storeAt } from '../stores/registry.ts';
import { writableWithin } from '../stores/wrap/guarded.ts';
import { notebookResources } from '../surfaces/notebook/resources.ts';
import { notebookSurface } from '../surfaces/notebook/surface.ts';
import { isWritable } from '../surfaces/pages/access.ts';
import { createPagesBackend } from '../surfaces/pages/backend.ts';
import { pagesSurfaceWith } from '../surfaces/pages/surface.ts';
import type { NoteSetBackend } from '../surfaces/shared/note-set.ts';
import { vaultSurface } from '../surfaces/vault/surface.ts';
import { VERSION } from '../version.ts';
import { type ChangeScope, type ChangeTracking, scoped, trackChanges } from './change-tracking.ts';
import { type OpenNotebook, openNotebook, openVault } from './open-notes.ts';
import type { Services, WarmUpSearch } from './services.ts';
import { triliumClient, triliumTools } from './trilium.ts';
import { openTrilium } from './trilium-changes.ts';

/** A notebook with its tools, ready to be served over any transport. */
export interface NotebookServer {
  readonly limited: LimitedSurface<never>;
  readonly backend: unknown;
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly logs?: Logs;
  /** Tools of governed servers, in addition to those of the notebook. */
  readonly live?: LiveTools;
  /** For the second brain; undefined when there are no notes. */
  notebook(): Promise<BrainSource | undefined>;
  /** Starts indexing. */
  start(): void;
  /** Whether changes of callers without further limits become proposals. */
  readonly isReviewed?: boolean;
  /** Undefined where there is nothing to search. */
  readonly warmUpSearch?: WarmUpSearch;
  /** Undefined where nothing is indexed. */
  indexStatus(): IndexStatus | undefined;
  /** Throws when the notes cannot be reached. */
  check(): Promise<void>;
  /** Tools whose changes can wait for a person's decision. */
  readonly canPropose?: (tool: string) => boolean;
  /** The notes for the tool sets beside these tools; absent when there are none. */
  readonly noteSetBackend?: () => Promise<NoteSetBackend>;
  /** The notes through which changes are undone; undefined when there are none. */
  changes(): Promise<TrackedNotes | undefined>;
  close(): Promise<void>;
}

/** Notes whose changes are recorded. */
export interface TrackedNotes {
  /** Absent for tools that change a Trilium without a store. */
  readonly store?: NoteStore;
  readonly tracking: ChangeTracking;
}

/** Notes and their search index, whatever tools are served. */
export interface BrainSource {
  readonly notes: NoteStore;
  readonly searcher: IndexedSearcher;
  readonly rules: readonly CompiledRule[];
  readonly tracking?: ChangeTracking;
}

/** `name` of the notebook, for the history. */
export async function openServed(
  name: string,
  config: NotebookConfig,
  services: Services,
): Promise<NotebookServer> {
  const served = await openTools(name, config, services);
  return config.review === 'off' || config.readOnly ? served : { ...served, isReviewed: true };
}

async function openTools(name: string, config: NotebookConfig, services: Services): Promise<NotebookServer> {
  switch (config.tools) {
    case 'notebook':
      return serveNotebook(name, config, services);
    case 'vault':
      return serveVault(name, config, services);
    case 'pages':
      return servePages(name, config, services);
    case 'trilium':
      return serveTrilium(name, config, services);
  }
}

/** All notebooks of a configuration, by name. */
export async function openAllServed(
  { notebooks }: Pick<Config, 'notebooks'>,
  services: Services,
): Promise<Map<string, NotebookServer>> {
  const opened = new Map<string, NotebookServer>();
  const { log, logOf = () => log } = services;
  try {
    for (const [name, notebook] of Object.entries(notebooks))
      opened.set(name, await openServed(name, notebook, { ...services, log: logOf(name) }));
    return opened;
  } catch (error) {
    for (const notebook of opened.values()) await notebook.close().catch(() => {});
    throw error;
  }
}

/** For a server that only exposes governed servers. */
export function servedWithoutNotes(): NotebookServer {
  return {
    limited: joinSurfaces([]) as LimitedSurface<never>,
    backend: undefined,
    notebook: async () => undefined,
    indexStatus: () => undefined,
    start: () => {},
    check: async () => {},
    changes: async () => undefined,
    close: async () => {},
  };
}

async function serveNotebook(
  name: string,
  config: NotebookConfig,
  services: Services,
): Promise<NotebookServer> {
  const notebook = await openNotebook(config, services);
  const tracking = trackChanges(name, config, services, notebook.files);
  return serverOver(notebook, {
    limited: limitSurface(notebookSurface, config) as LimitedSurface<never>,
    backend: { ...notebook, forCall: scoped(tracking, (scope) => notebookIn(scope, notebook)) },
    resources: notebookResources(notebook, services.log),
    searchTool: 'search_notes',
    changes: { store: notebook.files, tracking },
    noteSetBackend: noteSetsOver(notebook, config, tracking),
  });
}

/** For the tool sets over notes. */
function noteSetsOver(
  notebook: OpenNotebook,
  config: NotebookConfig,
  tracking: ChangeTracking,
): () => Promise<NoteSetBackend> {
  const { writable } = config;
  const limited = (store: NoteStore) =>
    writable === undefined
      ? store
      : writableWithin(store, (path) => isTrashed(path) || isWritable(writable, path), writable);
  const backend: NoteSetBackend = {
    ...notebook,
    notes: limited(notebook.notes),
    files: limited(notebook.files),
    kind: storeAt(config).kind,
    now: Date.now,
    index: () => notebook.searcher.status(),
    settings: settingsIn(config.folder),
  };
  const forCall = scoped(tracking, (scope) => notebookIn(scope, backend));
  return async () => Object.assign({}, backend, { forCall });
}

function settingsIn(folder: string | undefined): NoteSetBackend['settings'] {
  if (folder === undefined) return undefined;
  return async (file) => (await import('../stores/folder/settings.ts')).folderSettings(folder)(file);
}

function notebookIn<Opened extends Notebook>({ over, guard }: ChangeScope, notebook: Opened): Opened {
  return { ...notebook, notes: over(notebook.notes), files: over(notebook.files), guard };
}

async function serveVault(name: string, config: NotebookConfig, services: Services): Promise<NotebookServer> {
  const { backend, searcher } = await openVault(config, services);
  const tracking = trackChanges(name, config, services, backend.files);
  const forCall = scoped(tracking, ({ over, guard }) => ({ ...backend, files: over(backend.files), guard }));
  return serverOver(
    { notes: backend.files, searcher, rules: backend.rules },
    {
      limited: limitSurface(vaultSurface, config) as LimitedSurface<never>,
      backend: { ...backend, forCall },
      searchTool: 'vault_search',
      changes: { store: backend.files, tracking },
      noteSetBackend: noteSetsOver(
        { ...backend, searcher, notes: backend.files, keepsAll: config.noDelete },
        config,
        tracking,
      ),
    },
  );
}

async function servePages(name: string, config: NotebookConfig, services: Services): Promise<NotebookServer> {
  const notebook = await openNotebook({ ...config, extensions: ['.md'] }, services);
  const tracking = trackChanges(name, config, services, notebook.files);
  const backend = createPagesBackend(notebook, config);
  return serverOver(notebook, {
    limited: limitSurface(pagesSurfaceWith(config), config) as LimitedSurface<never>,
    backend: { ...backend, forCall: scoped(tracking, (scope) => notebookIn(scope, backend)) },
    searchTool: 'search_pages',
    changes: { store: notebook.files, tracking },
    noteSetBackend: noteSetsOver(notebook, config, tracking),
  });
}

interface ServedTools extends Pick<NotebookServer, 'limited' | 'backend' | 'noteSetBackend'> {
  readonly resources?: Resources & { close(): Promise<void> };
  /** Name of the tool that searches. */
  readonly searchTool: string;
  readonly changes: TrackedNotes;
}

/** The server of tools that work on indexed notes. */
function serverOver(
  source: BrainSource,
  { limited, backend, resources, searchTool, changes, noteSetBackend }: ServedTools,
): NotebookServer {
  const { notes, searcher } = source;
  const changing = new Set(
    limited.surface.tools.flatMap(({ name, effect }) => (effect === 'read' ? [] : name)),
  );
  return {
    canPropose: changes.tracking.desk && ((tool) => changing.has(tool)),
    limited,
    backend,
    resources,
    prompts: noteSetBackend && promptsOver(noteSetBackend),
    noteSetBackend,
    notebook: async () => ({ ...source, tracking: changes.tracking }),
    indexStatus: () => searcher.status(),
    start: () => searcher.start(),
    warmUpSearch: { tool: searchTool, titles: (count) => searcher.someTitles(count) },
    check: async () => void (await (notes.check?.() ?? notes.listFolder?.(ROOT))),
    changes: async () => changes,
    close: async () => {
      await resources?.close();
      await changes.tracking.close();
      await searcher.close();
      await notes.close();
    },
  };
}

/** Loaded when a client asks for them. */
function promptsOver(backend: () => Promise<NoteSetBackend>): Prompts {
  const load = memoize(async () => (await import('../surfaces/prompts/prompts.ts')).notePrompts(backend));
  return {
    list: async () => (await load()).list(),
    get: async (request) => (await load()).get(request),
    complete: async (request) => (await load()).complete(request),
    watch: () => () => {},
  };
}

async function serveTrilium(
  name: string,
  config: NotebookConfig,
  services: Services,
): Promise<NotebookServer> {
  const { limited, backendOver } = await triliumTools(config, services);
  const client = await triliumClient(config);
  const { subtree } = config.trilium!;
  const tracking = trackChanges(
    name,
    config,
    services,
    openTrilium(async () => client, subtree),
  );
  // The tools use Trilium's own search; only the second brain needs the notebook and its index.
  let opened: Promise<OpenNotebook> | undefined;
  let brainNotes: OpenNotebook | undefined;
  const notebook = async () => {
    opened ??= openNotebook(config, services);
    brainNotes = await opened;
    return { ...brainNotes, tracking };
  };
  return {
    limited,
    backend: backendOver(client, config.trilium!, tracking.scopeOf),
    notebook,
    noteSetBackend: async () => noteSetsOver(await notebook(), config, tracking)(),
    indexStatus: () => brainNotes?.searcher.status(),
    start: () => void opened?.then(({ searcher }) => searcher.start()).catch(() => {}),
    check: async () => void (await client.system.appInfo()),
    changes: async () => ({ tracking }),
    close: async () => {
      await tracking.close();
      client.close();
      const notebook = await opened?.catch(() => undefined);
      await notebook?.searcher.close();
      await notebook?.notes.close();
    },
  };
}

/** The part of a notebook server that a protocol server exposes. */
export type ServerSurface = Pick<
  NotebookServer,
  'limited' | 'backend' | 'resources' | 'prompts' | 'logs' | 'live' | 'canPropose'
> & {
  /** The notebook that a tool works on; undefined for one that works on all. */
  readonly notebookOf?: (tool: string) => string | undefined;
  /** What callers see who are confined to some notebooks; undefined where that is nothing. */
  readonly confinedTo?: (notebooks: ReadonlySet<string>) => ServerSurface | undefined;
};

/** A protocol server for one connection, session or request. */
export function serverOf(
  { limited, backend, resources, prompts, logs, live }: ServerSurface,
  options: Pick<ServerParts<never>, 'log' | 'announces' | 'onCalled' | 'principal' | 'session'>,
): Server {
  return createServer({
    limited,
    backend: backend as never,
    resources,
    prompts,
    logs,
    live,
    version: VERSION,
    ...options,
  });
}
