/**
 * The one way a note is changed: read, compute, write if it is still what was read. Edits of one note queue
 * up inside the process; when another process or an editor came first, the edit is computed anew on its text.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError } from '../../shared/errors.ts';
import { KeyedQueue } from '../../shared/keyed-queue.ts';
import { type NotePath, pathKey } from '../path.ts';
import type { Note, NoteStore, WrittenNote } from '../store.ts';
import { missing } from './missing.ts';

/** How often an edit is computed anew, and how long it waits before that at the most. */
export interface Patience {
  readonly tries: number;
  /** A random part of it, so that two who collide do not collide again. */
  readonly pauseMs: number;
}

const USUAL: Patience = { tries: 12, pauseMs: 0 };
const queues = new WeakMap<NoteStore, KeyedQueue>();

/**
 * `compute` gets the note as it stands, or undefined when there is none, and returns its new text, or
 * undefined to leave it. It may run several times. Resolves to what was written, undefined for nothing.
 */
export function updateNote(
  store: NoteStore,
  path: NotePath,
  compute: (current: Note | undefined) => Promise<string | undefined>,
  signal?: AbortSignal,
  patience: Patience = USUAL,
): Promise<WrittenNote | undefined> {
  return queueOf(store).run(pathKey(path), async () => {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const current = await readIfThere(store, path);
      const text = await compute(current);
      if (text === undefined) return undefined;
      try {
        return await store.write(path, text, { ifVersion: current?.version ?? null });
      } catch (error) {
        const overtaken =
          isAppError(error, 'conflict') ||
          isAppError(error, 'already_exists') ||
          (current && isAppError(error, 'not_found'));
        if (!overtaken || attempt === patience.tries) throw error;
        if (patience.pauseMs > 0) await sleep(Math.random() * patience.pauseMs * attempt);
      }
    }
  });
}

function queueOf(store: NoteStore): KeyedQueue {
  const queue = queues.get(store) ?? new KeyedQueue();
  queues.set(store, queue);
  return queue;
}

export async function readIfThere(store: NoteStore, path: NotePath): Promise<Note | undefined> {
  try {
    return await store.read(path);
  } catch (error) {
    if (isAppError(error, 'not_found')) return undefined;
    throw error;
  }
}

/** For edits of notes that must exist. */
export function existing(path: NotePath, note: Note | undefined): Note {
  if (!note) throw missing(path);
  return note;
}
