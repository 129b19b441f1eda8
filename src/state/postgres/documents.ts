/**
 * Small values that replicas share, each read and changed as a whole. What was read is kept for less than a second, and
 * read anew as soon as another replica has changed it.
 */
import { AppError } from '../../shared/errors.ts';
import type { JsonFile, JsonFileOptions, JsonFiles } from '../json-file.ts';
import { textOf } from '../json-file.ts';
import type { Database } from './database.ts';
import { STATE_SCHEMA } from './schema.ts';

const TABLE = `${STATE_SCHEMA}.document`;
const CHANNEL = 'quire_document';
const KEPT_MS = 500;
/** Each try fails because another one succeeded. */
const TRIES = 100;

interface Read<T> {
  readonly value: T;
  /** 0 while there is none. */
  readonly version: number;
  readonly at: number;
}

export interface Documents extends JsonFiles {
  close(): void;
}

export function openDocuments(database: Database): Documents {
  const forgetters = new Map<string, Set<() => void>>();
  const forget = (name: string) => {
    for (const one of forgetters.get(name) ?? []) one();
  };
  const forgetAll = () => {
    for (const name of forgetters.keys()) forget(name);
  };
  const listening = database.listen(CHANNEL, forget, forgetAll);
  return {
    open: (name, options) => {
      const { file, forget: forgetOne } = documentOf(database, name, options);
      forgetters.set(name, (forgetters.get(name) ?? new Set()).add(forgetOne));
      return file;
    },
    close: () => listening.stop(),
  };
}

function documentOf<T>(
  database: Database,
  name: string,
  { parse, empty, maxBytes }: JsonFileOptions<T>,
): { readonly file: JsonFile<T>; forget(): void } {
  let known: Read<T> | undefined;
  /** Counts what was forgotten, so that a read that began before is not kept. */
  let changes = 0;
  const forget = () => {
    changes++;
    known = undefined;
  };
  const readNow = async (): Promise<Read<T>> => {
    const [at, before] = [performance.now(), changes];
    const [row] = await database.repeatable<{ version: number; value: string }>(
      `select version, value from ${TABLE} where name = $1`,
      [name],
    );
    const read = { value: row ? parsed(row.value) : empty, version: row?.version ?? 0, at };
    if (before === changes) known = read;
    return read;
  };
  const parsed = (text: string): T => {
    try {
      return parse(JSON.parse(text));
    } catch (cause) {
      throw new AppError('forbidden', 'A value in the database cannot be read', {
        subject: name,
        hint: `Repair the row ${name} of ${TABLE}, or remove it: Quire then goes on without what was in it.`,
        cause,
      });
    }
  };
  const write = async (value: T, version: number): Promise<boolean> => {
    const text = textOf(value, maxBytes);
    const rows = await database.transaction(async ({ query }) => {
      const written =
        version === 0
          ? await query(
              `insert into ${TABLE} (name, version, value) values ($1, 1, $2) on conflict (name) do nothing returning name`,
              [name, text],
            )
          : await query(
              `update ${TABLE} set value = $2, version = version + 1 where name = $1 and version = $3 returning name`,
              [name, text, version],
            );
      if (written.length > 0) await query('select pg_notify($1, $2)', [CHANNEL, name]);
      return written;
    });
    return rows.length > 0;
  };
  const file: JsonFile<T> = {
    read: async () => {
      const isFresh = known !== undefined && performance.now() - known.at < KEPT_MS;
      return (isFresh && known ? known : await readNow()).value;
    },
    async update(change) {
      for (let tries = 0; tries < TRIES; tries++) {
        const { value: before, version } = await readNow();
        const { value, result } = change(before);
        if (value === before) return result;
        const isWritten = await write(value, version).finally(forget);
        if (isWritten) return result;
      }
      throw new AppError('conflict', 'Other servers change this all the time', {
        subject: name,
        hint: 'Nothing was changed. Try again.',
      });
    },
  };
  return { file, forget };
}
