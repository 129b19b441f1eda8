/** Opens the notes of a notebook: their store, what of it is visible, and the index over it. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import picomatch from 'picomatch';
import type { NotebookConfig } from '../config/schema.ts';
import { assertRepository } from '../history/git-mirror.ts';
import { type CompiledRule, compileRules } from '../notes/frontmatter/rules.ts';
import { PathFilter } from '../notes/path-filter.ts';
import type { Notebook, NoteStore } from '../notes/store.ts';
import { type IndexedSearcher, openSearcher, type SearcherOptions } from '../search/open-searcher.ts';
import { BackgroundScheduler } from '../search/sync/scheduler.ts';
import { storeAt } from '../stores/registry.ts';
import { guarded, readOnly } from '../stores/wrap/guarded.ts';
import type { VaultBackend } from '../surfaces/vault/backend.ts';
import type { Services } from './services.ts';

export async function openNotebook(config: NotebookConfig, services: Services): Promise<OpenNotebook> {
  const { store, filter, search } = await openStore(config, services);
  const notebook = notebookOver(store, filter, config, search);
  return config.openLinks ? { ...notebook, addressOf: storeAt(config).addressOf } : notebook;
}

/** All files that are not hidden. */
export async function openStore(config: NotebookConfig, services: Services) {
  const { permanentDelete, readOnly: isReadOnly } = config;
  const { log, startup, convertThreads, history, database, databaseUrl: url } = services;
  if (config.folder !== undefined && history?.gitPath !== undefined)
    await assertRepository(config.folder, history.gitPath);
  const shown = { allowedExtensions: config.extensions, ignoredPatterns: config.ignore };
  const filter = new PathFilter(shown);
  const scheduler = new BackgroundScheduler();
  const store = await storeAt(config).open({
    log,
    isVisible: (path) => !filter.isHidden(path),
    permanentDelete,
    readOnly: isReadOnly,
    turns: scheduler.turns,
    wrapFolderStore: (opened, folder) =>
      startup?.wrapFolderStore(opened, { folder, filter: shown, sweeps: !isReadOnly }) ?? opened,
    convertThreads,
    stateDatabase: database && url !== undefined ? { url, database } : undefined,
  });
  const search = { ...searchOptions(config, services), scheduler };
  return { store: isReadOnly ? readOnly(store) : store, filter, search };
}

function searchOptions(config: NotebookConfig, services: Services): SearcherOptions {
  const { folder } = config;
  const { log, startup } = services;
  const snapshotFile = snapshotFileOf(config, services);
  const prefetched = startup?.prefetchedIndex;
  return {
    log,
    snapshotFile,
    headStart:
      folder !== undefined && snapshotFile !== undefined && prefetched
        ? () => prefetched({ folder: resolve(folder), indexFile: snapshotFile })
        : undefined,
    learnTerms: startup?.learnTerms,
    startWorker: folder !== undefined && startup ? () => startup.startIndexWorker(folder, log) : undefined,
  };
}

/** Each location, and each choice of visible files there, has a file of its own. */
export function snapshotFileOf(
  config: NotebookConfig,
  { cacheFolder }: Pick<Services, 'cacheFolder'>,
): string | undefined {
  if (cacheFolder === undefined) return undefined;
  const { tools, extensions, ignore } = config;
  const identity = JSON.stringify([storeAt(config).identity, tools, extensions, ignore]);
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 24);
  return join(cacheFolder, `index-${name}.bin`);
}

export interface OpenNotebook extends Notebook {
  readonly searcher: IndexedSearcher;
}

export function notebookOver(
  store: NoteStore,
  filter: PathFilter,
  config: Pick<NotebookConfig, 'frontmatterRules' | 'noDelete'>,
  search: SearcherOptions,
): OpenNotebook {
  const searcher = openSearcher(guarded(store, filter), {
    ...search,
    concerns: (path) => filter.isAllowed(path),
  });
  return {
    notes: searcher.store,
    files: searcher.reporting(store),
    searcher,
    rules: rulesOf(config),
    keepsAll: config.noDelete,
  };
}

export async function openVault(config: NotebookConfig, services: Services) {
  const { store, filter, search } = await openStore(config, services);
  const vault = vaultOver(store, filter, config, search);
  if (!config.openLinks) return vault;
  return { ...vault, backend: { ...vault.backend, addressOf: storeAt(config).addressOf } };
}

/** Indexes all visible files, of any extension. */
export function vaultOver(
  store: NoteStore,
  filter: PathFilter,
  config: Pick<NotebookConfig, 'frontmatterRules' | 'readThreshold'>,
  search: SearcherOptions,
) {
  const isHidden = (path: string) => filter.isHidden(path);
  const files = guarded(store, { isHidden, isAllowed: (path) => !isHidden(path), extensions: [] });
  const searcher = openSearcher(files, search);
  const { readThreshold } = config;
  const backend: VaultBackend = { files: searcher.store, searcher, rules: rulesOf(config), readThreshold };
  return {
    backend,
    searcher,
    close: async () => {
      await searcher.close();
      await files.close();
    },
  };
}

function rulesOf({ frontmatterRules }: Pick<NotebookConfig, 'frontmatterRules'>): readonly CompiledRule[] {
  return compileRules(frontmatterRules, (glob) => picomatch(glob, { dot: true, nocase: true }));
}
