/** A JSON file of the plane's state with one record for each server: `{ version: 1, servers: { name: record } }`. */
import { join } from 'node:path';
import * as z from 'zod';
import { type JsonFile, type JsonFiles, openJsonFile } from '../state/json-file.ts';
import { stampOf } from './files.ts';

export type RecordsByServer<T> = Readonly<Record<string, T>>;

/** The plane's state: its folder, and the files that are kept elsewhere where replicas share them. */
export interface PlaneFiles {
  readonly folder: string;
  readonly files?: JsonFiles;
}

export function filesOf({ folder, files }: PlaneFiles): JsonFiles {
  return (
    files ?? {
      open: (name, options) => openJsonFile(join(folder, name), options),
      stampOf: (name) => stampOf(join(folder, name)),
    }
  );
}

export function openServerFile<T>(
  place: PlaneFiles,
  name: string,
  { record, maxBytes }: { readonly record: z.ZodType; readonly maxBytes: number },
): JsonFile<RecordsByServer<T>> {
  const schema = z.strictObject({ version: z.literal(1), servers: z.record(z.string(), record) });
  const file = filesOf(place).open<z.infer<typeof schema>>(name, {
    parse: (value) => schema.parse(value),
    empty: { version: 1, servers: {} },
    maxBytes,
  });
  return {
    // The file holds what `update` was given; the schema only checks that it still has that shape.
    read: async () => (await file.read()).servers as RecordsByServer<T>,
    update: (change) =>
      file.update((before) => {
        const { value, result } = change(before.servers as RecordsByServer<T>);
        return { value: value === before.servers ? before : { version: 1, servers: value }, result };
      }),
  };
}

/** Resolves to the record that was there. */
export function forgetIn<T>(file: JsonFile<RecordsByServer<T>>, server: string): Promise<T | undefined> {
  return file.update((all) => {
    if (!Object.hasOwn(all, server)) return { value: all, result: undefined };
    const { [server]: result, ...value } = all;
    return { value, result };
  });
}

/** Undefined for a server without a record, whatever its name: `constructor` has none either. */
export function recordFor<T>(records: RecordsByServer<T>, server: string): T | undefined {
  return Object.hasOwn(records, server) ? records[server] : undefined;
}
