/** Change events of a Trilium: our own changes at once, others by comparing the tree regularly. */
import type { NotePath } from '../../notes/path.ts';
import type { NoteChange, NoteMeta, NoteStore, WatchOptions } from '../../notes/store.ts';
import { createPollPace } from '../remote.ts';
import type { TriliumNote } from './wire/entities.ts';

type Watch = NonNullable<NoteStore['watch']>;

interface TriliumWatch {
  readonly watch: Watch;
  /** Compares unless that was done just now; resolves to whether it did. Throws when Trilium cannot be reached. */
  catchUp(): Promise<boolean>;
  announce(kind: NoteChange['kind'], meta: NoteMeta): void;
  close(): void;
}

interface Watcher {
  readonly onChange: Parameters<Watch>[0];
  readonly onAnyChange: WatchOptions['onAnyChange'];
  /** Modification times last reported to this watcher. */
  readonly known: Map<NotePath, number>;
  /** Paths we changed during a comparison, whose result may be older. */
  readonly fresh: Set<NotePath>;
  look(): Promise<void>;
  readonly stopping: AbortController;
}

const IDLE_POLL_MS = 300_000;
const IDLE_AFTER_MS = 60_000;

export function createWatch({
  list,
  pollMs,
}: {
  readonly list: () => Promise<readonly NoteMeta[]>;
  readonly pollMs: number;
}): TriliumWatch {
  const watchers = new Set<Watcher>();
  const pace = createPollPace({ busyMs: () => pollMs, idleMs: IDLE_POLL_MS, idleAfterMs: IDLE_AFTER_MS });
  let lookedAt = Number.NEGATIVE_INFINITY;

  const stop = (watcher: Watcher) => {
    watcher.stopping.abort();
    watchers.delete(watcher);
  };

  return {
    watch: async (onChange, { since, onAnyChange, log } = {}) => {
      const before = since?.();
      const known = new Map(
        before
          ? before.paths.map((path, row) => [path, before.times[row]!])
          : (await list()).map(({ path, lastModified }) => [path, lastModified]),
      );
      const fresh = new Set<NotePath>();
      let looking: Promise<void> | undefined;
      const compare = async () => {
        fresh.clear();
        const begun = performance.now();
        const changes = differences(known, await list(), fresh);
        lookedAt = begun;
        if (!watchers.has(watcher) || changes.length === 0) return;
        onChange(changes);
        onAnyChange?.(true);
      };
      const look = () => {
        looking ??= compare().finally(() => {
          looking = undefined;
        });
        return looking;
      };
      const watcher: Watcher = { onChange, onAnyChange, known, fresh, look, stopping: new AbortController() };
      const poll = async () => {
        const { signal } = watcher.stopping;
        while (!signal.aborted) {
          await pace.next(signal);
          if (signal.aborted) return;
          await look().catch((error: unknown) =>
            log?.('warn', 'cannot look for changes in Trilium; trying again later', { error: String(error) }),
          );
        }
      };
      watchers.add(watcher);
      try {
        if (since) await look();
      } catch (error) {
        stop(watcher);
        throw error;
      }
      onAnyChange?.(true);
      void poll();
      return async () => stop(watcher);
    },
    catchUp: async () => {
      pace.used();
      if (watchers.size === 0 || performance.now() - lookedAt <= pollMs) return false;
      await Promise.all([...watchers].map(({ look }) => look()));
      return true;
    },
    announce: (kind, { path, lastModified }) => {
      for (const { known, fresh, onChange, onAnyChange } of watchers) {
        fresh.add(path);
        if (kind === 'removed') known.delete(path);
        else known.set(path, lastModified);
        queueMicrotask(() => onChange([{ kind, path }]));
        onAnyChange?.(true);
      }
    },
    close: () => {
      for (const watcher of watchers) stop(watcher);
    },
  };
}

/** Updates the known state and returns the changes. */
function differences(
  known: Map<NotePath, number>,
  now: readonly NoteMeta[],
  fresh: ReadonlySet<NotePath>,
): NoteChange[] {
  const changes: NoteChange[] = [];
  const present = new Set(now.map(({ path }) => path));
  for (const path of known.keys())
    if (!present.has(path) && !fresh.has(path)) {
      known.delete(path);
      changes.push({ kind: 'removed', path });
    }
  for (const { path, lastModified } of now) {
    const before = known.get(path);
    if (before === lastModified || fresh.has(path)) continue;
    known.set(path, lastModified);
    changes.push({ kind: before === undefined ? 'added' : 'changed', path });
  }
  return changes;
}

export type ListedFiles = ReadonlyMap<NotePath, TriliumNote>;

/** Lifetime of a listing; longer where listing takes long. */
const LEASE_MS = 3_000;
const LEASE_PER_MS = 10;
/** A listing used this often is renewed when it expires, because a bulk read is going on. */
const WORTH_RENEWING = 8;
/** Reads closer together than this belong to one bulk read. */
const IN_A_ROW_MS = 500;

interface RecalledNote {
  readonly note: TriliumNote;
  /** Whether this is part of a bulk read, such as indexing, which compares again at the next listing. */
  readonly isBulk: boolean;
}

interface ListingCache {
  /** Loads a new listing. */
  fresh(signal?: AbortSignal): Promise<ListedFiles>;
  /** The note listed at a path; undefined when there is no valid listing. */
  recall(path: NotePath): Promise<RecalledNote | undefined>;
  /** Invalidates the listing after a change of the tree. */
  forget(): void;
}

interface CachedListing {
  readonly files: ListedFiles;
  readonly until: number;
  uses: number;
}

/**
 * A short-lived cache of the tree's paths. Resolving a path takes a request per folder, and a listing is
 * usually followed by many reads. For reads only: writes resolve paths afresh.
 */
export function createListingCache(
  make: (signal?: AbortSignal) => Promise<ListedFiles>,
  now: () => number = Date.now,
): ListingCache {
  let kept: CachedListing | undefined;
  let renewing: Promise<ListedFiles> | undefined;
  /** Counts changes: a listing begun before a change does not show it. */
  let changes = 0;
  /** Whether a change, not age, invalidated the listing: then a bulk read needs another. */
  let isForgotten = false;
  let inARow = 0;
  let usedAt = Number.NEGATIVE_INFINITY;

  const fresh: ListingCache['fresh'] = async (signal) => {
    const begun = now();
    const before = changes;
    const files = await make(signal);
    const leaseMs = Math.max(LEASE_MS, LEASE_PER_MS * (now() - begun));
    if (before === changes) {
      kept = { files, until: begun + leaseMs, uses: 0 };
      isForgotten = false;
    }
    return files;
  };

  const renew = (): Promise<ListedFiles> => {
    if (renewing) return renewing;
    const made = fresh().finally(() => {
      if (renewing === made) renewing = undefined;
    });
    renewing = made;
    return made;
  };

  return {
    fresh,
    recall: async (path) => {
      inARow = now() - usedAt < IN_A_ROW_MS ? inARow + 1 : 1;
      usedAt = now();
      if (kept) kept.uses++;
      const isBulk = Math.max(kept?.uses ?? 0, kept || isForgotten ? inARow : 0) >= WORTH_RENEWING;
      const recalled = (files: ListedFiles): RecalledNote | undefined => {
        const note = files.get(path);
        return note && { note, isBulk };
      };
      if (kept && now() < kept.until) return recalled(kept.files);
      if (isBulk) return recalled(await renew());
      kept = undefined;
      return undefined;
    },
    forget: () => {
      changes++;
      isForgotten ||= kept !== undefined;
      kept = undefined;
      renewing = undefined;
    },
  };
}
