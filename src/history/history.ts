/**
 * The history of one set of notes: every change with the texts before and after it, kept in a folder that only its
 * owner can read. A process appends to files of its own, a segment, under a lock; all processes read all segments.
 */
import { mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { acquireLock, type FileLock } from '../shared/fs/lock-file.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';
import { ulid } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import type { Change, ChangeAuthor, ChangeHead, Edit, EditState, EditTexts } from './change.ts';
import { beginLine, type ChangeFilter, ChangeLog, Changes, endLine } from './change-log.ts';
import { type FlushedFile, openFlushedFile } from './flushed-file.ts';
import type { GitMirror } from './git-mirror.ts';
import {
  frameOf,
  hashesOf,
  hashOf,
  indexOfPack,
  offsetIn,
  readFrame,
  readFrameOf,
  scanPack,
  type TextHash,
} from './text-pack.ts';

export interface HistoryLimits {
  /** Changes older than this are removed. */
  readonly days: number;
  /** Bytes of all files. */
  readonly maxBytes: number;
}

export interface HistoryOptions extends HistoryLimits {
  readonly folder: string;
  readonly log: Log;
  /** Keeps the changes in another form too. */
  readonly mirror?: GitMirror;
  readonly now?: () => number;
  /** Bytes after which a segment is closed and another begun. */
  readonly segmentBytes?: number;
}

/** An edit whose beginning is on the disk. */
export interface OpenEdit {
  done(result?: { readonly trashedTo?: string }): Promise<void>;
  /** The store refused it; nothing was changed. */
  failed(): Promise<void>;
}

/** Records the edits of one change. */
export interface ChangeRecorder {
  /** Undefined until the first edit begins. */
  readonly id: string | undefined;
  /** Resolves when texts and edit are on the disk; only then may the note be changed. */
  begin(edit: Omit<Edit, keyof EditTexts>, texts: EditTexts): Promise<OpenEdit>;
}

export interface ChangeOrigin {
  readonly notebook: string;
  readonly tool: string;
  readonly by: ChangeAuthor;
  readonly undoes?: readonly string[];
}

/** Tells what became of an edit that was cut off. */
export type EditInspector = (edit: Edit) => Promise<EditState>;

export interface History {
  record(origin: ChangeOrigin): ChangeRecorder;
  /** The newest first. */
  list(filter?: ChangeFilter, most?: number): Promise<Change[]>;
  /** Undefined for an unknown id. */
  change(id: string): Promise<Change | undefined>;
  /** Undefined when the text is no longer kept. */
  text(hash: TextHash): Promise<Buffer | undefined>;
  /** Settles the edits that crashed processes left open. */
  recover(inspect: EditInspector): Promise<void>;
  /** Removes the oldest changes beyond the limits. */
  prune(): Promise<void>;
  /** Bytes of all files. */
  size(): Promise<number>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const SEGMENT_BYTES = 16 * 1024 * 1024;
/** A session that pauses longer begins a new group. */
const GROUP_PAUSE_MS = 30 * 60_000;
const MOST_GROUPS = 1_000;
const ID_LENGTH = 16;
const USUAL_MOST = 50;

interface KeptText {
  readonly hash: TextHash;
  readonly text: Uint8Array;
}

interface Segment {
  readonly id: string;
  readonly changes: FlushedFile;
  readonly texts: FlushedFile;
  /** Offsets of the texts by hash; a promise while a text is being written. */
  readonly offsets: Map<TextHash, number | Promise<number>>;
  readonly lock: FileLock;
}

export function openHistory(options: HistoryOptions): History {
  return new FolderHistory(options);
}

class FolderHistory implements History {
  readonly #options: Required<Omit<HistoryOptions, 'mirror'>> & Pick<HistoryOptions, 'mirror'>;
  readonly #groups = new Map<string, { id: string; last: number }>();
  /** Indexes of closed packs, by segment. */
  readonly #indexes = new Map<string, Buffer>();
  #segment: Promise<Segment> | undefined;
  #lastId = '';
  /** The last change that was given to the mirror. */
  #mirrored: Promise<void> | undefined;

  constructor(options: HistoryOptions) {
    this.#options = { now: Date.now, segmentBytes: SEGMENT_BYTES, ...options };
  }

  record(origin: ChangeOrigin): ChangeRecorder {
    let head: ChangeHead | undefined;
    let count = 0;
    const start = (): ChangeHead => {
      const at = this.#options.now();
      const id = this.#newId(at);
      return { id, group: this.#groupOf(origin.by, at, id), at, ...origin };
    };
    const begin: ChangeRecorder['begin'] = async (edit, texts) => {
      head ??= start();
      return this.#begin(head, count++, edit, texts);
    };
    return {
      get id() {
        return head?.id;
      },
      begin,
    };
  }

  async #begin(
    head: ChangeHead,
    n: number,
    edit: Omit<Edit, keyof EditTexts>,
    texts: EditTexts,
  ): Promise<OpenEdit> {
    const segment = await this.#open();
    const kept = new Map<string, KeptText>();
    for (const [name, text] of Object.entries(texts)) if (text) kept.set(name, { hash: hashOf(text), text });
    const hashes: Pick<Edit, keyof EditTexts> = Object.fromEntries(
      [...kept].map(([name, { hash }]) => [name, hash]),
    );
    const hashed = { ...edit, ...hashes };
    const line = beginLine(head, n, hashed);
    await this.#write(segment, line, [...kept.values()]).catch((error: unknown) => {
      throw cannotRecord(error);
    });
    const end = async (state: EditState, trashedTo?: string) => {
      await segment.changes.append(endLine(head.id, n, state, trashedTo), { flush: false });
      await this.#closeWhenFull(segment);
    };
    return {
      done: async ({ trashedTo } = {}) => {
        await end('done', trashedTo);
        this.#mirrored = this.#options.mirror?.commit(head, hashed, texts);
      },
      failed: () => end('failed'),
    };
  }

  /** Resolves to the segment that has the text. Each text is kept once. */
  async #keep(segment: Segment, hash: TextHash, text: Uint8Array): Promise<string> {
    const known = segment.offsets.get(hash);
    if (known !== undefined) {
      await known;
      return segment.id;
    }
    // Another process that removes the segment removes its index first, and then looks which texts are still named.
    for (const [id, index] of this.#indexes) if (offsetIn(index, hash) !== undefined) return id;
    const writing = frameOf(hash, text).then((frame) => segment.texts.append(frame));
    segment.offsets.set(hash, writing);
    try {
      segment.offsets.set(hash, await writing);
      return segment.id;
    } catch (error) {
      segment.offsets.delete(hash);
      throw error;
    }
  }

  /** Keeps the texts of an edit, and its beginning, on the disk. */
  async #write(segment: Segment, line: Buffer, texts: readonly KeptText[]): Promise<void> {
    const keep = ({ hash, text }: KeptText) => this.#keep(segment, hash, text);
    // Nothing depends on their order: the note is changed when all of them are on the disk.
    const [keepers] = await Promise.all([Promise.all(texts.map(keep)), segment.changes.append(line)]);
    for (const [at, keeper] of keepers.entries()) {
      // A process that removes an old segment removes its index first, and looks for texts still in use after that.
      if (keeper === segment.id || (await ifPresent(stat(this.#path(keeper, 'index'))))) continue;
      this.#indexes.delete(keeper);
      await keep(texts[at]!);
    }
  }

  async text(hash: TextHash): Promise<Buffer | undefined> {
    const own = await this.#segment?.catch(() => undefined);
    const offset = await own?.offsets.get(hash);
    if (own && offset !== undefined)
      return readFrame((at, length) => own.texts.read(at, length), offset, hash);
    await this.#readIndexes();
    for (const [id, index] of this.#indexes) {
      const at = offsetIn(index, hash);
      if (at !== undefined) return readFrameOf(this.#path(id, 'texts'), at, hash);
    }
    for (const id of await this.#segmentIds()) {
      if (this.#indexes.has(id) || id === own?.id) continue;
      const at = (await scanPack(this.#path(id, 'texts'))).offsets.get(hash);
      if (at !== undefined) return readFrameOf(this.#path(id, 'texts'), at, hash);
    }
    return undefined;
  }

  async list(filter: ChangeFilter = {}, most = USUAL_MOST): Promise<Change[]> {
    const found = new Changes();
    for (const id of await this.#segmentIds())
      (await ChangeLog.read(this.#path(id, 'changes'))).collect(filter, most, found);
    return found.list().slice(0, most);
  }

  async change(id: string): Promise<Change | undefined> {
    if (!isChangeId(id)) return undefined;
    const [found] = await this.list({ ids: new Set([id]) }, 1);
    return found;
  }

  async recover(inspect: EditInspector): Promise<void> {
    for (const id of await this.#segmentIds()) {
      const lock = await this.#lockCrashed(id);
      if (!lock) continue;
      try {
        if (!(await this.#settle(id, inspect))) continue;
        await this.#writeIndex(id, (await scanPack(this.#path(id, 'texts'))).offsets);
      } finally {
        lock.release();
      }
    }
  }

  /** Resolves to whether all edits are settled; those of notes that cannot be read now are tried at the next start. */
  async #settle(id: string, inspect: EditInspector): Promise<boolean> {
    const file = this.#path(id, 'changes');
    const changes = await ChangeLog.read(file);
    const open = changes.openEdits();
    if (open.length === 0) return true;
    let isSettled = true;
    const appended = await openFlushedFile(file, changes.wholeBytes);
    try {
      for (const { id: change, n, edit } of open) {
        const state = await inspect(edit).catch((): EditState => 'open');
        if (state === 'open') {
          isSettled = false;
          continue;
        }
        await appended.append(endLine(change, n, state));
        if (state !== 'failed')
          this.#options.log('warn', 'a change was cut off; the history says what became of it', {
            change,
            state,
          });
      }
    } finally {
      await appended.close();
    }
    return isSettled;
  }

  /** A segment gets its index when it is closed: without one, its process is alive or has crashed. */
  async #lockCrashed(id: string): Promise<FileLock | undefined> {
    if (await ifPresent(stat(this.#path(id, 'index')))) return undefined;
    return acquireLock(this.#path(id, 'lock'), { busy: () => new Error('held') }).catch(() => undefined);
  }

  async prune(): Promise<void> {
    const { now, days, maxBytes, folder } = this.#options;
    const lock = await acquireLock(join(folder, 'prune.lock'), { busy: () => new Error('held') }).catch(
      () => undefined,
    );
    if (!lock) return;
    try {
      let horizon = now() - days * DAY_MS;
      let total = await this.size();
      for (const id of await this.#segmentIds()) {
        if (await ifPresent(stat(this.#path(id, 'lock')))) continue;
        const last = (await ChangeLog.read(this.#path(id, 'changes'))).lastTime();
        if (last >= horizon && total <= maxBytes) break;
        if (last > horizon) horizon = last + 1;
        await this.#drop(id, horizon);
        total = await this.size();
      }
    } finally {
      lock.release();
    }
  }

  /** Removes a segment. Texts of it that newer changes name go to the present one. */
  async #drop(id: string, horizon: number): Promise<void> {
    const index = (await this.#indexOf(id)) ?? indexOfPack((await scanPack(this.#path(id, 'texts'))).offsets);
    this.#indexes.delete(id);
    await ifPresent(unlink(this.#path(id, 'index')));
    const named = new Set<TextHash>();
    for (const other of await this.#segmentIds())
      if (other !== id) (await ChangeLog.read(this.#path(other, 'changes'))).texts(horizon, named);
    const present = await this.#open();
    for (const hash of hashesOf(index)) {
      if (!named.has(hash) || present.offsets.has(hash)) continue;
      const text = await readFrameOf(this.#path(id, 'texts'), offsetIn(index, hash) ?? 0, hash);
      if (text) await this.#keep(present, hash, text);
    }
    for (const kind of ['changes', 'texts'] as const) await ifPresent(unlink(this.#path(id, kind)));
  }

  async size(): Promise<number> {
    const names = (await ifPresent(readdir(this.#options.folder))) ?? [];
    const stats = await Promise.all(names.map((name) => ifPresent(stat(join(this.#options.folder, name)))));
    return stats.reduce((sum, found) => sum + (found?.size ?? 0), 0);
  }

  async close(): Promise<void> {
    await this.#mirrored;
    const segment = await this.#segment?.catch(() => undefined);
    this.#segment = undefined;
    if (segment) await this.#closeSegment(segment);
  }

  #open(): Promise<Segment> {
    this.#segment ??= this.#newSegment().catch((error: unknown) => {
      this.#segment = undefined;
      throw cannotRecord(error);
    });
    return this.#segment;
  }

  async #newSegment(): Promise<Segment> {
    const { folder, now } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await makePrivateFolder(folder);
    await this.#readIndexes();
    const id = ulid(now()).toLowerCase();
    const lock = await acquireLock(this.#path(id, 'lock'), { busy: () => new Error('held') });
    const changes = await openFlushedFile(this.#path(id, 'changes'), 0);
    const texts = await openFlushedFile(this.#path(id, 'texts'), 0);
    return { id, changes, texts, offsets: new Map(), lock };
  }

  async #closeWhenFull(segment: Segment): Promise<void> {
    if (segment.texts.size + segment.changes.size < this.#options.segmentBytes) return;
    if ((await this.#segment) !== segment) return;
    this.#segment = undefined;
    await this.#closeSegment(segment);
    await this.prune();
  }

  async #closeSegment({ id, changes, texts, offsets, lock }: Segment): Promise<void> {
    const settled = new Map<TextHash, number>();
    for (const [hash, offset] of offsets) settled.set(hash, await offset);
    await this.#writeIndex(id, settled);
    await changes.close();
    await texts.close();
    lock.release();
  }

  async #writeIndex(id: string, offsets: ReadonlyMap<TextHash, number>): Promise<void> {
    const index = indexOfPack(offsets);
    this.#indexes.set(id, index);
    // It can be made again from the pack.
    await replaceFile(this.#path(id, 'index'), index, { flush: false });
  }

  async #readIndexes(): Promise<void> {
    const ids = new Set(await this.#segmentIds());
    for (const id of this.#indexes.keys()) if (!ids.has(id)) this.#indexes.delete(id);
    for (const id of ids) if (!this.#indexes.has(id)) await this.#indexOf(id);
  }

  async #indexOf(id: string): Promise<Buffer | undefined> {
    const index = this.#indexes.get(id) ?? (await ifPresent(readFile(this.#path(id, 'index'))));
    if (index) this.#indexes.set(id, index);
    return index;
  }

  /** The oldest first. */
  async #segmentIds(): Promise<string[]> {
    const names = (await ifPresent(readdir(this.#options.folder))) ?? [];
    return names
      .filter((name) => name.endsWith('.changes'))
      .map((name) => name.slice(0, -'.changes'.length))
      .sort();
  }

  #path(id: string, kind: 'changes' | 'texts' | 'index' | 'lock'): string {
    return join(this.#options.folder, `${id}.${kind}`);
  }

  /** Later ids sort after earlier ones, also within a millisecond. */
  #newId(at: number): string {
    let id = ulid(at).slice(0, ID_LENGTH).toLowerCase();
    while (id <= this.#lastId) id = ulid(++at).slice(0, ID_LENGTH).toLowerCase();
    this.#lastId = id;
    return id;
  }

  #groupOf({ principal, client, session }: ChangeAuthor, at: number, id: string): string {
    const key = JSON.stringify([principal, client, session]);
    const known = this.#groups.get(key);
    const group = known && at - known.last < GROUP_PAUSE_MS ? known.id : `g${id}`;
    this.#groups.delete(key);
    this.#groups.set(key, { id: group, last: at });
    if (this.#groups.size > MOST_GROUPS) this.#groups.delete(this.#groups.keys().next().value ?? '');
    return group;
  }
}

export function isChangeId(id: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(id);
}

function cannotRecord(error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return new AppError('internal', 'The change cannot be recorded, so it was not made', {
    subject: code,
    hint: 'Nothing was changed. The history needs room on the disk and a folder that it may write to. To allow changes without a record, set history.required to false.',
    cause: error,
  });
}
