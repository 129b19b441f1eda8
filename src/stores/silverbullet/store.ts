/**
 * A SilverBullet space as a `NoteStore`. The server has neither conditional nor atomic writes; the store keeps its
 * promises by consistent reads, one writer per page, and reading back what was written. One gap remains: a program
 * that writes the same page between our last read and our write is overwritten.
 */
import { type NotePath, pathKey } from '../../notes/path.ts';
import type {
  FolderEntries,
  Listing,
  ListingChanges,
  Note,
  NoteChange,
  NoteMeta,
  NoteStore,
} from '../../notes/store.ts';
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { AppError } from '../../shared/errors.ts';
import { type Log, silentLog } from '../../shared/log.ts';
import { createPollPace } from '../remote.ts';
import { moveNote, removeNote, writeNote } from './change-notes.ts';
import { PARALLEL, type SilverBulletClient } from './client.ts';
import { follow } from './follow.ts';
import { Saver } from './save.ts';
import { createGate, missing, type Space, toMeta } from './space.ts';
import { differences, SpaceIndex } from './space-index.ts';
import { StableReader } from './stable-read.ts';

export interface SilverBulletOptions {
  readonly log?: Log;
  /** Deletes pages for good instead of moving them to `_trash`. */
  readonly permanentDelete?: boolean;
  /** Lists the pages that ship with SilverBullet, too. */
  readonly withLibrary?: boolean;
  /** Allows new names that SilverBullet's own editor cannot open. */
  readonly anyName?: boolean;
  /** Delays between two reads of a page that may be in the middle of a write. */
  readonly pauses?: readonly number[];
  /** Polling interval where the server sends no events. */
  readonly pollMs?: number;
  /** Polling interval without requests, and the time after which it applies. */
  readonly idlePollMs?: number;
  readonly idleAfterMs?: number;
  /** Maximum age of the listing when it is used. */
  readonly freshMs?: number;
}

const POLL_MS = 5_000;
/** Polling continues beside events, because these leave out the first file of a new folder. */
const POLL_BESIDE_EVENTS_MS = 15_000;
const IDLE_POLL_MS = 60_000;
const IDLE_AFTER_MS = 60_000;

export function openSilverBulletStore(
  client: SilverBulletClient,
  options: SilverBulletOptions = {},
): NoteStore {
  const { log = silentLog } = options;
  const reader = new StableReader(client, options.pauses);
  const index = new SpaceIndex(() => client.list(), options);
  const space: Space = {
    client,
    reader,
    index,
    saver: new Saver(client, reader, options.pauses),
    gate: createGate(client),
    queue: new KeyedMutex(),
    log,
    keepsTrash: !options.permanentDelete,
    anyName: options.anyName ?? false,
  };
  const followers = new Set<() => void>();
  const { pollMs = POLL_MS, idlePollMs = IDLE_POLL_MS, idleAfterMs = IDLE_AFTER_MS } = options;
  let hasEvents = false;
  const lookEveryMs = () => (hasEvents ? Math.max(pollMs, POLL_BESIDE_EVENTS_MS) : pollMs);
  const pace = createPollPace({
    busyMs: lookEveryMs,
    idleMs: idlePollMs,
    idleAfterMs,
  });
  const alone = <T>(path: NotePath, task: () => Promise<T>) => space.queue.run(pathKey(path), task);

  return {
    name: client.host,
    readsAtOnce: PARALLEL,
    list: async ({ under, signal } = {}) => {
      await index.fresh();
      signal?.throwIfAborted();
      return [...index.files()].filter(({ path }) => !under || path.startsWith(`${under}/`)).sort(byPath);
    },
    read: (path) => readNote(space, path),
    write: (path, content, conditions = {}) => alone(path, () => writeNote(space, path, content, conditions)),
    remove: (path, conditions = {}) => alone(path, () => removeNote(space, path, conditions)),
    close: async () => {
      for (const stop of followers) stop();
      await restoreDamagedPages(space);
      client.close();
    },

    relist: async (before) => {
      await index.fresh();
      return changesSince(before, index);
    },
    catchUp: async () => {
      pace.used();
      if (!index.isOlderThan(lookEveryMs())) return false;
      await index.refresh();
      return true;
    },
    listFolder: async (folder) => {
      await index.fresh();
      return entriesOf(folder, index);
    },
    stat: async (path) => {
      const meta = await client.meta(path).catch((error: unknown) => throwForFolder(space, path, error));
      // The server describes a folder the way it describes a file of unknown type.
      if (meta?.contentType === 'application/octet-stream' && !index.get(path)) await index.fresh();
      if (!meta || isFolder(space, path)) return throwForFolder(space, path, missing(path));
      return toMeta(path, meta);
    },
    move: (from, to, conditions = {}) => {
      const [first, second] = pathKey(from) < pathKey(to) ? [from, to] : [to, from];
      const work = () => moveNote(space, from, to, conditions);
      return alone(first, () => (pathKey(first) === pathKey(second) ? work() : alone(second, work)));
    },
    watch: async (onChange, { since, onAnyChange, log: watchLog = log } = {}) => {
      await index.fresh();
      const unlisten = index.listen((changes) => {
        onChange(changes);
        onAnyChange?.(true);
      });
      onAnyChange?.(true);
      const missed = since ? differencesTo(index, since()) : [];
      if (missed.length > 0) onChange(missed);
      const unfollow = follow(client, index, {
        log: watchLog,
        pace,
        onEvents: (has) => {
          hasEvents = has;
        },
      });
      followers.add(unfollow);
      return async () => {
        unlisten();
        followers.delete(unfollow);
        unfollow();
      };
    },
  };
}

async function readNote(space: Space, path: NotePath): Promise<Note> {
  const { saver, reader, queue } = space;
  if (saver.broken.includes(path)) await queue.run(pathKey(path), () => saver.heal(path));
  const snapshot = await reader.read(path).catch((error: unknown) => throwForFolder(space, path, error));
  if (!snapshot) return throwForFolder(space, path, missing(path));
  const { bytes, version } = snapshot;
  return { ...toMeta(path, snapshot), size: bytes.length, version, bytes };
}

/** A folder is not a note, whatever error the server gives for it. */
function throwForFolder(space: Space, path: NotePath, otherwise: unknown): never {
  if (!isFolder(space, path)) throw otherwise;
  throw new AppError('invalid_input', 'Not a note', {
    subject: path,
    hint: 'It is a folder. Name one of the notes in it.',
  });
}

function isFolder({ index }: Space, path: NotePath): boolean {
  if (index.get(path)) return false;
  for (const other of index.files()) if (other.path.startsWith(`${path}/`)) return true;
  return false;
}

/** Last attempt at close to restore damaged pages, whose old text only this process has. */
async function restoreDamagedPages({ saver, queue, log }: Space): Promise<void> {
  for (const name of saver.broken)
    await queue
      .run(pathKey(name), () => saver.heal(name))
      .catch((error: unknown) =>
        log('error', 'a page damaged by a failed write could not be restored', {
          page: name,
          error: String(error),
        }),
      );
}

function changesSince(before: Listing, index: SpaceIndex): ListingChanges {
  const changed: NoteMeta[] = [];
  const removed: NotePath[] = [];
  for (const { kind, path } of differencesTo(index, before)) {
    const meta = index.get(path);
    if (kind === 'removed') removed.push(path);
    else if (meta) changed.push(meta);
  }
  return { changed, removed };
}

function entriesOf(folder: NotePath, index: SpaceIndex): FolderEntries {
  const prefix = folder === '' ? '' : `${folder}/`;
  const folders = new Set<string>();
  const files: string[] = [];
  for (const { path } of index.files()) {
    if (!path.startsWith(prefix)) continue;
    const rest = path.slice(prefix.length);
    if (rest.includes('/')) folders.add(rest.slice(0, rest.indexOf('/')));
    else files.push(rest);
  }
  if (folder !== '' && folders.size === 0 && files.length === 0) throw missing(folder);
  return { folders: [...folders].sort(), files: files.sort() };
}

function byPath(a: NoteMeta, b: NoteMeta): number {
  return a.path < b.path ? -1 : 1;
}

function differencesTo(index: SpaceIndex, { paths, sizes, times }: Listing): NoteChange[] {
  const before = paths.map((path, row) => [path, { size: sizes[row]!, lastModified: times[row]! }] as const);
  const now = Array.from(index.files(), (meta) => [meta.path, meta] as const);
  return differences(new Map(before), new Map(now));
}
