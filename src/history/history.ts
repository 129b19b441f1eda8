/**
 * The history of one set of notes: every change with the texts before and after it, kept in a folder that only its
 * owner can read. A process appends to files of its own, a segment, under a lock; all processes read all segments.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EditRecorder, EditResult, EditTexts, NewEdit, OpenEdit } from '../notes/edit-recorder.ts';
import { AppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import type { Log } from '../shared/log.ts';
import type { Change, ChangeHead, Edit, EditState } from './change.ts';
import { ChangeHeads, type ChangeOrigin, timeOfId } from './change-heads.ts';
import { beginLine, type ChangeFilter, ChangeLog, Changes, type EditPlace, endLine } from './change-log.ts';
import type { GitMirror } from './git-mirror.ts';
import { prune } from './prune.ts';
import { type EditInspector, recover } from './recover.ts';
import { isClosed, makeDurableFolder, Segment, segmentFile, segmentIds } from './segment.ts';
import { hashOf, offsetIn, readFrameOf, scanPack, type TextHash } from './text-pack.ts';

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

/** Records the edits of one change. */
export interface ChangeRecorder extends EditRecorder {
  /** Undefined until the first edit begins. */
  readonly id: string | undefined;
}

export interface History {
  record(origin: ChangeOrigin): ChangeRecorder;
  /** The newest first. */
  list(filter?: ChangeFilter, most?: number): Promise<Change[]>;
  /** Of each note that these change, the last change before, with its edits of such notes. Where that is found at once. */
  preceding?(changes: readonly Change[]): Promise<Change[]>;
  /** Undefined for an unknown id. */
  change(id: string): Promise<Change | undefined>;
  /** Undefined when the text is no longer kept. */
  text(hash: TextHash): Promise<Buffer | undefined>;
  /** Settles the edits that crashed processes left open. */
  recover(inspect: EditInspector): Promise<void>;
  /** Removes the oldest changes beyond the limits. */
  prune(): Promise<void>;
  /** Another text whenever something was recorded since, by any process. */
  mark(): Promise<string>;
  /** Bytes of all files. */
  size(): Promise<number>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const SEGMENT_BYTES = 16 * 1024 * 1024;
const USUAL_MOST = 50;
/** Edits that take longer when the program ends are settled at the next start. */
const CLOSE_WAIT_MS = 3_000;

interface KeptText {
  readonly hash: TextHash;
  readonly text: Uint8Array;
}

export function openHistory(options: HistoryOptions): History {
  return new FolderHistory(options);
}

class FolderHistory implements History {
  readonly #options: Required<Omit<HistoryOptions, 'mirror'>> & Pick<HistoryOptions, 'mirror'>;
  readonly #heads: ChangeHeads;
  /** Indexes of closed packs, by segment. */
  readonly #indexes = new Map<string, Buffer>();
  #segment: Promise<Segment> | undefined;
  readonly #closing = new Set<Promise<void>>();
  /** The last change that was given to the mirror. */
  #mirrored: Promise<void> | undefined;

  constructor(options: HistoryOptions) {
    // Several segments must fit into the limit, for the oldest to go.
    const segmentBytes = Math.min(SEGMENT_BYTES, Math.ceil(options.maxBytes / 8));
    this.#options = { now: Date.now, segmentBytes, ...options };
    this.#heads = new ChangeHeads(this.#options.now);
  }

  record(origin: ChangeOrigin): ChangeRecorder {
    let head: ChangeHead | undefined;
    let count = 0;
    let segmentBefore: string | undefined;
    const begin: ChangeRecorder['begin'] = async (edit, texts) => {
      head ??= this.#heads.create(origin);
      const begun = this.#heads.now();
      const n = count++;
      const segment = await this.#hold();
      const carried = segmentBefore !== undefined && segmentBefore !== segment.id ? true : undefined;
      segmentBefore = segment.id;
      return this.#begin(segment, head, { n, begun, carried }, edit, texts);
    };
    return {
      get id() {
        return head?.id;
      },
      begin,
    };
  }

  async #begin(
    segment: Segment,
    head: ChangeHead,
    place: EditPlace,
    edit: NewEdit,
    texts: EditTexts,
  ): Promise<OpenEdit> {
    const kept = new Map<string, KeptText>();
    for (const [name, text] of Object.entries(texts)) if (text) kept.set(name, { hash: hashOf(text), text });
    const hashes: Pick<Edit, keyof EditTexts> = Object.fromEntries(
      [...kept].map(([name, { hash }]) => [name, hash]),
    );
    const hashed = { ...edit, ...hashes };
    const line = beginLine(head, place, hashed);
    const end = (state: EditState, result?: EditResult) =>
      this.#end(segment, endLine(head.id, place.n, state, result));
    try {
      await this.#write(segment, line, [...kept.values()]);
    } catch (error) {
      // Its line may be on the disk although a text is not.
      await end('failed');
      throw cannotRecord(error);
    }
    return {
      done: async (result) => {
        await end('done', result);
        this.#mirrored = this.#options.mirror?.commit(head, hashed, texts);
      },
      failed: () => end('failed'),
      unsettled: () => this.#end(segment, undefined),
    };
  }

  /** Never fails: the change is made, and its beginning is on the disk. */
  async #end(segment: Segment, line: Buffer | undefined): Promise<void> {
    try {
      if (line) await segment.append(line, { flush: false });
      else segment.leaveUnsettled();
    } catch (error) {
      segment.leaveUnsettled();
      this.#options.log('warn', 'the end of a change could not be recorded; the next start does', {
        error: String(error),
      });
    }
    segment.release();
    if (segment.size >= this.#options.segmentBytes) this.#retire(segment);
  }

  /** Keeps the texts of an edit, and its beginning, on the disk. */
  async #write(segment: Segment, line: Buffer, texts: readonly KeptText[]): Promise<void> {
    const keep = ({ hash, text }: KeptText) => this.#keep(segment, hash, text);
    // Nothing depends on their order: the note is changed when all of them are on the disk.
    const written = await Promise.allSettled([
      Promise.all(texts.map(keep)),
      segment.append(line, { flush: true }),
    ]);
    for (const outcome of written) if (outcome.status === 'rejected') throw outcome.reason;
    const keepers = written[0].status === 'fulfilled' ? written[0].value : [];
    for (const [at, text] of texts.entries()) {
      let keeper = keepers[at] ?? segment.id;
      // A process that removes an old segment removes its index first, and looks for texts still in use after that.
      while (keeper !== segment.id && !(await isClosed(this.#options.folder, keeper))) {
        this.#indexes.delete(keeper);
        keeper = await keep(text);
      }
    }
  }

  /** Resolves to the segment that has the text. Each text is kept once. */
  async #keep(segment: Segment, hash: TextHash, text: Uint8Array): Promise<string> {
    if (!segment.has(hash))
      for (const [id, index] of this.#indexes) if (offsetIn(index, hash) !== undefined) return id;
    await segment.keep(hash, text);
    return segment.id;
  }

  async text(hash: TextHash): Promise<Buffer | undefined> {
    const own = await this.#segment?.catch(() => undefined);
    const known = (await own?.read(hash).catch(() => undefined)) ?? (await this.#indexedText(hash));
    if (known) return known;
    for (let ids = await this.#segmentIds(); ; ) {
      for (const id of ids) {
        // While it is being closed, only its files tell what it has.
        if (id === own?.id && !own.isClosing) continue;
        const text = await this.#textIn(id, hash);
        if (text) return text;
      }
      // The texts of a segment that was removed meanwhile are in another one, perhaps one that was looked at before.
      const idsNow = await this.#segmentIds();
      if (idsNow.join() === ids.join()) return undefined;
      ids = idsNow;
    }
  }

  async #textIn(id: string, hash: TextHash): Promise<Buffer | undefined> {
    const index = await this.#readIndex(id);
    const at = index ? offsetIn(index, hash) : (await scanPack(this.#file(id, 'texts'))).offsets.get(hash);
    return at === undefined ? undefined : this.#frame(id, at, hash);
  }

  async #indexedText(hash: TextHash): Promise<Buffer | undefined> {
    for (const [id, index] of this.#indexes) {
      const at = offsetIn(index, hash);
      const text = at === undefined ? undefined : await this.#frame(id, at, hash);
      if (text) return text;
    }
    return undefined;
  }

  async list(filter: ChangeFilter = {}, most = USUAL_MOST): Promise<Change[]> {
    const found = new Changes();
    const collect = async (wanted: ChangeFilter) => {
      for (const id of await this.#segmentIds())
        (await ChangeLog.read(this.#file(id, 'changes'))).collect(wanted, most, found);
    };
    const newest = () => found.list().slice(0, most);
    await collect(filter);
    const spread = newest().flatMap(({ id }) => (found.isSpread(id) ? id : []));
    if (spread.length > 0 && filter.ids === undefined) await collect({ ids: new Set(spread) });
    return newest();
  }

  async change(id: string): Promise<Change | undefined> {
    if (!isChangeId(id)) return undefined;
    const [found] = await this.list({ ids: new Set([id]) }, 1);
    return found;
  }

  async recover(inspect: EditInspector): Promise<void> {
    const { folder, log } = this.#options;
    await recover(folder, inspect, log);
  }

  async prune(): Promise<void> {
    await this.#prune(() => this.#hold());
  }

  async #prune(hold: () => Promise<Segment>): Promise<void> {
    await prune(this.#options, {
      size: () => this.size(),
      keep: async (hash, text) => {
        const segment = await hold();
        await this.#keep(segment, hash, text).finally(() => segment.release());
      },
      forget: (id) => void this.#indexes.delete(id),
    });
  }

  async mark(): Promise<string> {
    const sizes = (await this.#segmentIds()).map(async (id) => {
      const found = await ifPresent(stat(this.#file(id, 'changes')));
      return `${id}:${found?.size ?? 0}`;
    });
    return (await Promise.all(sizes)).join(' ');
  }

  async size(): Promise<number> {
    const names = (await ifPresent(readdir(this.#options.folder))) ?? [];
    const stats = await Promise.all(names.map((name) => ifPresent(stat(join(this.#options.folder, name)))));
    return stats.reduce((sum, found) => sum + (found?.size ?? 0), 0);
  }

  async close(): Promise<void> {
    const segment = await this.#segment?.catch(() => undefined);
    if (segment) this.#retire(segment);
    const timeout = new AbortController();
    const patience = sleep(CLOSE_WAIT_MS, undefined, timeout).catch(() => {});
    await Promise.race([Promise.all([...this.#closing, this.#mirrored]), patience]);
    timeout.abort();
  }

  /** The present segment, kept open for the caller until it releases it. */
  async #hold(): Promise<Segment> {
    for (;;) {
      this.#segment ??= this.#openSegment().catch((error: unknown) => {
        this.#segment = undefined;
        throw cannotRecord(error);
      });
      const segment = await this.#segment;
      // The changes of one day go together, so that they can be removed when they are old.
      if (this.#options.now() - timeOfId(segment.id) > DAY_MS) this.#retire(segment);
      else if (segment.hold()) return segment;
    }
  }

  /** Makes room first: while old segments are removed, new changes wait. */
  async #openSegment(): Promise<Segment> {
    const { folder, now, log } = this.#options;
    await makeDurableFolder(folder);
    await this.#readIndexes();
    const segment = (await this.#reopenLast()) ?? (await Segment.create(folder, now()));
    const hold = async () => {
      segment.hold();
      return segment;
    };
    await this.#prune(hold).catch((error: unknown) => {
      log('warn', 'old changes could not be removed from the history', { error: String(error) });
    });
    return segment;
  }

  /** Most processes are short: they go on with the segment of the last one. */
  async #reopenLast(): Promise<Segment | undefined> {
    const { folder, now, segmentBytes } = this.#options;
    for (const id of (await this.#segmentIds()).reverse()) {
      if (now() - timeOfId(id) > DAY_MS / 2) return undefined;
      const size = (await ifPresent(stat(this.#file(id, 'texts'))))?.size ?? segmentBytes;
      if (size > segmentBytes / 2 || !(await isClosed(folder, id))) continue;
      const segment = await Segment.reopen(folder, id);
      if (!segment) continue;
      this.#indexes.delete(id);
      return segment;
    }
    return undefined;
  }

  /** Takes no further edits; closed when the last one has ended. */
  #retire(segment: Segment): void {
    if (segment.isClosing) return;
    this.#segment = undefined;
    const closing = segment.close().then(
      (index) => void (index && this.#indexes.set(segment.id, index)),
      (error: unknown) =>
        this.#options.log('warn', 'a part of the history could not be closed; the next start does', {
          error: String(error),
        }),
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  async #readIndexes(): Promise<void> {
    const ids = new Set(await this.#segmentIds());
    for (const id of this.#indexes.keys()) if (!ids.has(id)) this.#indexes.delete(id);
    for (const id of ids) await this.#readIndex(id);
  }

  /** The index of a segment as it is on the disk: one that another process went on with has a longer one, or none. */
  async #readIndex(id: string): Promise<Buffer | undefined> {
    const known = this.#indexes.get(id);
    const size = (await ifPresent(stat(this.#file(id, 'index'))))?.size;
    if (size === known?.length) return known;
    const index = await ifPresent(readFile(this.#file(id, 'index')));
    if (index) this.#indexes.set(id, index);
    else this.#indexes.delete(id);
    return index;
  }

  #frame(id: string, at: number, hash: TextHash): Promise<Buffer | undefined> {
    return readFrameOf(this.#file(id, 'texts'), at, hash);
  }

  #segmentIds(): Promise<string[]> {
    return segmentIds(this.#options.folder);
  }

  #file(id: string, kind: 'changes' | 'texts' | 'index'): string {
    return segmentFile(this.#options.folder, id, kind);
  }
}

export function isChangeId(id: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{16}$/.test(id);
}

export function cannotRecord(error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return new AppError('internal', 'The change cannot be recorded, so it was not made', {
    subject: code,
    hint: 'Nothing was changed. The history needs free space on the disk and a folder that it may write to. To allow changes without a record, set history.required to false.',
    cause: error,
  });
}
