/** A notebook in PostgreSQL with very many notes: how long one call of each kind takes. */
import { performance } from 'node:perf_hooks';
import type { NotePath } from '../src/notes/path.ts';
import type { NoteStore } from '../src/notes/store.ts';
import { openSearcher } from '../src/search/open-searcher.ts';
import { silentLog } from '../src/shared/log.ts';
import { type Database, openDatabase } from '../src/state/postgres/database.ts';
import { openPostgresStore } from '../src/stores/postgres/store.ts';
import { startCluster } from '../test/kit/postgres-cluster.ts';

export interface NoteFigures {
  readonly notes: number;
  /** Milliseconds; medians, but for what is done once. */
  readonly figures: Readonly<Record<string, number>>;
}

const RUNS = 200;
const PER_FOLDER = 200;
const SEED_STEP = 50_000;

export async function measureNotes(
  sizes: readonly number[],
  { search }: { readonly search: number },
): Promise<NoteFigures[]> {
  const cluster = await startCluster({
    settings: { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB' },
  });
  try {
    const found: NoteFigures[] = [];
    for (const notes of sizes)
      found.push({ notes, figures: await measure(await cluster.createDatabase(), notes, notes <= search) });
    return found;
  } finally {
    await cluster.remove();
  }
}

async function measure(url: string, notes: number, searches: boolean): Promise<Record<string, number>> {
  const database = openDatabase(url, { log: silentLog, statementMs: 600_000 });
  const store = await openPostgresStore(database, 'notes', { log: silentLog, isVisible: () => true });
  try {
    await seed(database, notes);
    const pathOf = (n: number) => `folder ${Math.floor(n / PER_FOLDER)}/note ${n}.md` as NotePath;
    const any = () => pathOf(Math.floor(Math.random() * notes));
    const figures: Record<string, number> = {
      'read a note': await median(() => store.read(any())),
      'list a folder of 200': await median(() => store.listFolder!(any().replace(/\/.*/, '') as NotePath)),
      'write a note': await median(() => store.write(any(), `changed ${Math.random()}`)),
      'create a note': await median((n) =>
        store.write(`new/${n}.md` as NotePath, 'new', { ifVersion: null }),
      ),
      'move a note': await median((n) => store.move!(`new/${n}.md` as NotePath, `moved/${n}.md` as NotePath)),
      'list all, with versions of time (once)': await once(() => store.list()),
    };
    const { token } = await store.relist!({ paths: [], sizes: [], times: [] }, () => {});
    await store.write(pathOf(1), 'after');
    figures['catch up after one change'] = await once(() =>
      store.relist!({ paths: [], sizes: [], times: [], token }),
    );
    return searches ? { ...figures, ...(await searched(store, pathOf)) } : figures;
  } finally {
    await store.close();
  }
}

async function searched(store: NoteStore, pathOf: (n: number) => NotePath): Promise<Record<string, number>> {
  const searcher = openSearcher(store, { log: silentLog });
  searcher.start();
  const indexing = await once(() => searcher.settled());
  const search = await median((n) => searcher.search({ query: `word${n * 7} common`, limit: 10 }));
  const afterWrite = await median(async (n) => {
    await searcher.store.write(pathOf(n), `fresh${n}x text`);
    const { total } = await searcher.search({ query: `fresh${n}x`, limit: 10 });
    if (total !== 1) throw new Error(`an own write was not found: fresh${n}x`);
  }, 50);
  await searcher.close();
  return { 'index all (once)': indexing, search, 'write, then search for it': afterWrite };
}

/** By SQL, because this is not what is measured. */
async function seed(database: Database, notes: number): Promise<void> {
  for (let from = 0; from < notes; from += SEED_STEP) {
    const to = Math.min(notes, from + SEED_STEP) - 1;
    await database.query(
      `with given as (
         select n, 'folder ' || n / ${PER_FOLDER} as folder,
           convert_to('# Note ' || n || E'\\n\\ncommon words and word' || n % 5000 || ' in it. ' || repeat(md5(n::text) || ' ', 12), 'UTF8') as bytes
         from generate_series($1::int, $2::int) n),
       text as (insert into notes.content (id, bytes) overriding system value select n + 1, bytes from given)
       insert into notes.note (path, folder, content, size, modified, version, created, position)
       select folder || '/note ' || n || '.md', folder, n + 1, octet_length(bytes), 1700000000000 + n, md5(bytes), n + 1, n + 1 from given`,
      [from, to],
    );
  }
  await database.query(`select setval(pg_get_serial_sequence('notes.content', 'id'), $1)`, [notes + 1]);
  await database.query('update notes.head set position = $1', [notes]);
  await database.query('analyze notes.note');
}

async function once(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function median(work: (n: number) => Promise<unknown>, runs = RUNS): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < runs; n++) times.push(await once(() => work(n)));
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)]!;
}
