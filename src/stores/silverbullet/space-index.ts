/**
 * The files of the space, from the server's listing: refreshed when it is used and stale, compared with the previous
 * one, and corrected at once by our own writes. Reports the differences to listeners.
 */
import { type NotePath, parseNotePath } from '../../notes/path.ts';
import type { NoteChange, NoteMeta } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';
import type { ListedFile } from './wire.ts';

interface IndexOptions {
  readonly freshMs?: number;
  /** Includes the pages that ship with SilverBullet. */
  readonly withLibrary?: boolean;
}

type Listener = (changes: readonly NoteChange[]) => void;

const FRESH_MS = 3_000;

export class SpaceIndex {
  readonly #list: () => Promise<ListedFile[]>;
  readonly #options: IndexOptions;
  #files = new Map<NotePath, NoteMeta>();
  readonly #listeners = new Set<Listener>();
  #listedAt = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> | undefined;
  /** Files we changed after the running listing was requested; their entries in it are outdated. */
  readonly #ownChanges = new Set<NotePath>();
  /** Number of our writes under way, by file. */
  readonly #writing = new Map<NotePath, number>();

  constructor(list: () => Promise<ListedFile[]>, options: IndexOptions = {}) {
    this.#list = list;
    this.#options = options;
  }

  /** Refreshes the listing unless it is recent. */
  async fresh(): Promise<void> {
    if (this.isOlderThan(this.#options.freshMs ?? FRESH_MS)) await this.refresh();
  }

  /** Whether the listing is missing or older than `milliseconds`. */
  isOlderThan(milliseconds: number): boolean {
    return performance.now() - this.#listedAt > milliseconds;
  }

  /** Requests the listing; concurrent callers share one request. */
  refresh(): Promise<void> {
    this.#listing ??= this.#relist().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  /** Waits for a listing requested after this call, not for one already under way. */
  async refreshAnew(): Promise<void> {
    await this.#listing?.catch(() => {});
    await this.refresh();
  }

  get(path: NotePath): NoteMeta | undefined {
    return this.#files.get(path);
  }

  files(): IterableIterator<NoteMeta> {
    return this.#files.values();
  }

  /** Runs a write of ours; entries for the file in listings requested meanwhile are ignored. */
  async whileWriting<T>(path: NotePath, write: () => Promise<T>): Promise<T> {
    this.#writing.set(path, (this.#writing.get(path) ?? 0) + 1);
    try {
      return await write();
    } finally {
      const left = (this.#writing.get(path) ?? 1) - 1;
      if (left === 0) this.#writing.delete(path);
      else this.#writing.set(path, left);
      this.#ownChanges.add(path);
    }
  }

  put(meta: NoteMeta): void {
    const kind = this.#files.has(meta.path) ? 'changed' : 'added';
    this.#ownChanges.add(meta.path);
    // The server never lists a file without an extension.
    if (!/\.[^./]+$/.test(meta.path)) return;
    this.#files.set(meta.path, meta);
    this.#announce([{ kind, path: meta.path }]);
  }

  drop(path: NotePath): void {
    this.#ownChanges.add(path);
    if (this.#files.delete(path)) this.#announce([{ kind: 'removed', path }]);
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #relist(): Promise<void> {
    this.#ownChanges.clear();
    const begun = performance.now();
    const listed = await this.#list();
    const files = new Map<NotePath, NoteMeta>();
    const isOurs = (path: NotePath) => this.#ownChanges.has(path) || this.#writing.has(path);
    for (const entry of listed) {
      const path = this.#shownPath(entry);
      if (path === undefined || isOurs(path)) continue;
      const { size, lastModified, contentType } = entry;
      files.set(path, { path, size, lastModified, contentType });
    }
    for (const [path, meta] of this.#files) if (isOurs(path)) files.set(path, meta);
    const isFirst = this.#listedAt === Number.NEGATIVE_INFINITY;
    const changes = isFirst ? [] : differences(this.#files, files);
    this.#files = files;
    this.#listedAt = begun;
    this.#announce(changes);
  }

  /** Undefined for files that are not visible or whose names are invalid paths. */
  #shownPath({ name, isReadOnly }: ListedFile): NotePath | undefined {
    if (isReadOnly && !this.#options.withLibrary) return undefined;
    if (name.startsWith('.') || name.includes('/.')) return undefined;
    try {
      return parseNotePath(name) === name ? (name as NotePath) : undefined;
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  }

  #announce(changes: readonly NoteChange[]): void {
    if (changes.length === 0) return;
    for (const listener of this.#listeners) listener(changes);
  }
}

type FileState = Pick<NoteMeta, 'size' | 'lastModified'>;

/** Changes from one listing to the next. */
export function differences(
  before: ReadonlyMap<NotePath, FileState>,
  after: ReadonlyMap<NotePath, FileState>,
): NoteChange[] {
  const changes: NoteChange[] = [];
  for (const [path, meta] of after) {
    const old = before.get(path);
    if (!old) changes.push({ kind: 'added', path });
    else if (old.size !== meta.size || old.lastModified !== meta.lastModified)
      changes.push({ kind: 'changed', path });
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push({ kind: 'removed', path });
  return changes;
}
