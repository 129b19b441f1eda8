/** What the console knows of the notebooks that are served. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, NotebookConfig } from '../../config/schema.ts';
import type { EmbeddingFacts, NotebookFacts, NotebooksSource } from '../../console/pages/notebooks.ts';
import type { IndexedSearcher } from '../../search/open-searcher.ts';
import { AppError } from '../../shared/errors.ts';
import { storeKindNames, storeKinds } from '../../stores/registry.ts';
import type { BrainTools } from '../brain.ts';
import type { NotebookServer } from '../notebooks.ts';
import type { NotebookWarnings } from './notebook-warnings.ts';

interface NotebooksParts {
  readonly config: Config;
  readonly notebooks: ReadonlyMap<string, NotebookServer>;
  readonly brain: BrainTools | undefined;
  readonly warnings: NotebookWarnings;
}

const CHECK_MS = 2_000;
/** As many as `search_notes` gives. */
const HITS = 10;

export function notebooksSource({ config, notebooks, brain, warnings }: NotebooksParts): NotebooksSource {
  const reachOf = createReachability();
  return {
    names: [...notebooks.keys()],
    async facts(name) {
      const served = servedAs(notebooks, name);
      const settings = config.notebooks[name];
      const searcher = await searcherOf(served);
      const outage = searcher?.facts().outage;
      const [reach, changes] = await Promise.all([reachOf(name, served, outage), served.changes()]);
      return {
        name,
        ...(settings ? placeOf(settings) : { store: 'not known', place: '' }),
        isReadOnly: settings?.readOnly === true,
        reach,
        index: searcher && indexOf(searcher),
        historyBytes: await changes?.tracking.history?.size(),
        warnings: warnings.of(name),
      };
    },
    embedding: () => brain && embeddingOf(brain.embedding()),
    async search(name, query, signal) {
      const searcher = indexed(await searcherOf(servedAs(notebooks, name)), name);
      let warning: string | undefined;
      const onWarning = (said: string) => {
        warning = said;
      };
      const request = { query, limit: HITS, withScores: true };
      return { ...(await searcher.search(request, { signal, onWarning })), warning };
    },
    rebuild: async (name) => indexed(await searcherOf(servedAs(notebooks, name)), name).rebuild(),
  };
}

function servedAs(notebooks: ReadonlyMap<string, NotebookServer>, name: string): NotebookServer {
  const served = notebooks.get(name);
  if (served) return served;
  throw new AppError('not_found', 'There is no such notebook', { subject: name.slice(0, 100) });
}

/** Undefined where nothing is indexed; nothing is opened to find out. */
async function searcherOf(served: NotebookServer): Promise<IndexedSearcher | undefined> {
  return served.indexStatus() ? (await served.notebook())?.searcher : undefined;
}

function indexed(searcher: IndexedSearcher | undefined, name: string): IndexedSearcher {
  if (searcher) return searcher;
  throw new AppError('unsupported', 'This notebook has no index', {
    subject: name,
    hint: 'Its tools use the search of its own server.',
  });
}

function indexOf(searcher: IndexedSearcher): NotebookFacts['index'] {
  const { indexed: done, pending, unreadable } = searcher.status();
  const { comparedAt, isWatching } = searcher.facts();
  return { notes: done + pending + unreadable, indexed: done, pending, unreadable, comparedAt, isWatching };
}

function placeOf(settings: NotebookConfig): Pick<NotebookFacts, 'store' | 'place'> {
  const kind = storeKindNames.find((name) => settings[name] !== undefined);
  const url = settings.silverbullet?.url ?? settings.trilium?.url;
  return { store: kind ? storeKinds[kind].label : 'not known', place: settings.folder ?? url ?? '' };
}

function embeddingOf(status: ReturnType<BrainTools['embedding']>): EmbeddingFacts {
  if (status === 'off') return { isOn: false, isWorking: false };
  if (status.kind === 'notes') return { isOn: true, isLearned: true, isWorking: false };
  if (!status.isReady) return { isOn: true, isWorking: false };
  const { notes: all = 0, embeddedNotes: done = 0, passages = 0, isWorking = false, problem } = status;
  return { isOn: true, notes: { done, all, passages }, isWorking, problem };
}

type Outage = NonNullable<ReturnType<IndexedSearcher['facts']>['outage']>;

/** Asks the notes when a page is shown, and remembers since when the answer has been the same. */
function createReachability() {
  const last = new Map<string, { readonly isReached: boolean; readonly since: number }>();
  return async (name: string, { check }: NotebookServer, outage: Outage | undefined) => {
    const problem = outage ? outage.error.message : await problemOf(check);
    const isReached = problem === undefined;
    const before = last.get(name);
    const since = outage?.since ?? (before?.isReached === isReached ? before.since : Date.now());
    last.set(name, { isReached, since });
    return { isReached, since, problem };
  };
}

async function problemOf(check: () => Promise<void>): Promise<string | undefined> {
  const tooLong = sleep(CHECK_MS, 'It did not answer within two seconds.', { ref: false });
  return Promise.race([
    check().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ),
    tooLong,
  ]);
}
