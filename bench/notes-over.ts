/** Fills a PostgreSQL database with notes and history, by SQL, because that is not what is measured. */
import { silentLog } from '../src/shared/log.ts';
import { type Database, openDatabase } from '../src/state/postgres/database.ts';
import { versionOf } from '../src/stores/condition.ts';
import { openPostgresStore } from '../src/stores/postgres/store.ts';

const SYLLABLES = ['ka', 'ro', 'mi', 'ten', 'sol', 'ar', 'vel', 'no', 'pri', 'dun', 'el', 'tas', 'qui'];
const WORDS = 1_000_000;
const PER_FOLDER = 200;
const AREAS = 50;
const AT_ONCE = 5_000;
const STATEMENT_MS = 3_600_000;
/** No listing reads texts. */
const MOST_TEXTS = 1_000_000;

/** The word of a rank: the first is the most common one. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** 200 notes in a folder, and all folders in 50 others, however many there are. */
export function pathOf(note: number): string {
  const folder = Math.floor(note / PER_FOLDER);
  return `area ${folder % AREAS}/folder ${Math.floor(folder / AREAS)}/note ${note}.md`;
}

/** Of 100 to 200 words, which are as common as in real text: one of rank r is r times rarer than the first. */
export function textOf(note: number): string {
  const random = mulberry(note);
  const word = () => wordOf(Math.floor(WORDS ** random()));
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  const head = note % 3 === 0 ? `---\ntags: [tag${note % 97}]\nstatus: open\n---\n` : '';
  const link = note % 10 === 0 ? `\n\nSee [[note ${Math.floor(note / 2)}]].` : '';
  const paragraphs = Array.from({ length: 3 }, () => words(30 + Math.floor(random() * 35)));
  return `${head}# ${words(3)} ${note}\n\n${paragraphs.join('.\n\n')}${link}\n`;
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export async function fillNotes(url: string, notes: number): Promise<void> {
  await withDatabase(url, async (database) => {
    await openPostgresStore(database, 'notes', { log: silentLog, isVisible: () => true, isShared: true });
    for (let from = 0; from < notes; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, notes - from) }, (_, at) => from + at);
      const texts = numbers.map((note) => Buffer.from(textOf(note)));
      const paths = numbers.map(pathOf);
      await database.query(
        `with given as (select * from unnest($1::int[], $2::text[], $3::text[], $4::bytea[], $5::text[])
           as given (n, path, folder, bytes, version)),
         text as (insert into notes.content (id, bytes) overriding system value select n + 1, bytes from given)
         insert into notes.note (path, folder, content, size, modified, version, created, position)
         select path, folder, n + 1, octet_length(bytes), 1700000000000 + n, version, n + 1, n + 1 from given`,
        [numbers, paths, paths.map((path) => path.replace(/\/[^/]*$/, '')), texts, texts.map(versionOf)],
      );
    }
    await database.query(`select setval(pg_get_serial_sequence('notes.content', 'id'), $1)`, [notes + 1]);
    await database.query('update notes.head set position = $1', [notes]);
    await vacuum(database, ['notes.note', 'notes.content']);
  });
}

/** Changes of the past year by 1,000 people with 20 clients, of 100,000 notes; the last of them a minute ago. */
export async function fillHistory(url: string, rows: number): Promise<void> {
  await withDatabase(url, async (database) => {
    const [space] = await database.query<{ id: number }>('select min(id) as id from quire.history_space');
    if (!space?.id) throw new Error('a first change gives the notes their number');
    const tables = ['history_edit', 'history_text'];
    const indexes = await database.query<{ name: string; made: string }>(
      `select indexname as name, indexdef as made from pg_indexes
        where schemaname = 'quire' and tablename = any($1) and indexname not like '%_pkey'`,
      [tables],
    );
    for (const { name } of indexes) await database.query(`drop index quire.${name}`);
    await database.query(
      `with given as (
         select n, (extract(epoch from now()) * 1000000)::bigint - 60000000 - ($2::bigint - n) * (31536000000000 / $2::bigint) as at,
           (n * 7919::bigint) % 100000 as note
         from generate_series(1, $2::bigint) n),
       text as (
         insert into quire.history_text (space, hash, size, data, bytes, named_at)
         select $1, sha256(n::text::bytea), 1000, convert_to(repeat(md5(n::text), 10), 'UTF8'), 320, at
         from given where n > $2::bigint - ${MOST_TEXTS})
       insert into quire.history_edit (space, change, n, change_group, at, begun, notebook, tool, principal, client, session, kind, path, before, after)
       select $1, quire.history_id(at, lpad(to_hex(n % 65536), 4, '0')), 0, 'g' || lpad(to_hex(n / 50), 16, '0'),
         at, at, 'n', 'write_note', 'user ' || n % 1000, 'client ' || n % 20 || ' 1.0', 'session ' || n / 50, 'write',
         'area ' || note / 200 % 50 || '/folder ' || note / 10000 || '/note ' || note || '.md', sha256((n - 100000)::text::bytea), sha256(n::text::bytea)
       from given`,
      [space.id, rows],
    );
    for (const { made } of indexes) await database.query(made);
    await vacuum(
      database,
      tables.map((table) => `quire.${table}`),
    );
  });
}

/** As the server of a database does it by and by. */
async function vacuum(database: Database, tables: readonly string[]): Promise<void> {
  for (const table of tables) await database.repeatable(`vacuum analyze ${table}`);
}

/** How large all is, in bytes. */
export async function sizeOf(url: string): Promise<number> {
  return withDatabase(url, async (database) => {
    const [row] = await database.query<{ bytes: string }>(
      'select pg_database_size(current_database())::text as bytes',
    );
    return Number(row?.bytes);
  });
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { log: silentLog, statementMs: STATEMENT_MS, connections: 2 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
