/** A small JSON file that several processes read and change, with permissions for its owner alone. */
import { basename, dirname } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';
import { createFileMutex } from './file-mutex.ts';
import { readSmall } from './line-file.ts';

export interface JsonFile<T> {
  read(): Promise<T>;
  /** Reads, changes and writes atomically; writes nothing when `change` returns the value it was given. */
  update<R>(change: (value: T) => { readonly value: T; readonly result: R }): Promise<R>;
}

export interface JsonFileOptions<T> {
  /** Throws for an invalid value. */
  readonly parse: (value: unknown) => T;
  /** The value while there is no file. */
  readonly empty: T;
  readonly maxBytes: number;
}

/** Where such files are kept: in a folder, or where replicas share them. */
export interface JsonFiles {
  open<T>(name: string, options: JsonFileOptions<T>): JsonFile<T>;
  /** Changes with the value, and costs less than to read it; undefined where there is none. Does not wait. */
  stampOf?(name: string): string | undefined;
}

export function openJsonFile<T>(file: string, options: JsonFileOptions<T>): JsonFile<T> {
  const inMutex = createFileMutex(`${file}.lock`);
  const read = async () => {
    try {
      const bytes = await readSmall(file, options.maxBytes);
      return bytes.length === 0 ? options.empty : options.parse(JSON.parse(bytes.toString('utf8')));
    } catch (cause) {
      throw unreadable(file, cause);
    }
  };
  return {
    read,
    async update(change) {
      await makePrivateFolder(dirname(file));
      return inMutex(async ({ assertHeld }) => {
        const before = await read();
        const { value, result } = change(before);
        if (value !== before)
          await replaceFile(file, textOf(value, options.maxBytes), { lastCheck: assertHeld });
        return result;
      });
    },
  };
}

/** The JSON of a value that is not too large. */
export function textOf(value: unknown, maxBytes: number): string {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= maxBytes) return text;
  throw new AppError('invalid_input', 'This is more than the state can hold', {
    subject: `${text.length} characters, at most ${maxBytes}`,
    reason: 'too_large',
  });
}

function unreadable(file: string, cause: unknown): AppError {
  return new AppError('forbidden', 'A state file cannot be read', {
    subject: basename(file),
    hint: 'Repair it, or move it away: Quire then starts without what was in it.',
    cause,
  });
}
