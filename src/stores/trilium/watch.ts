/** Tells of changes: our own at once, those of others when the tree is looked at again. */
import type { NotePath } from '../../notes/path.ts';
import type { NoteChange, NoteMeta, NoteStore } from '../../notes/store.ts';

type Watch = NonNullable<NoteStore['watch']>;

export interface Watching {
  readonly watch: Watch;
  announce(kind: NoteChange['kind'], meta: NoteMeta): void;
  close(): void;
}

interface Watcher {
  readonly onChange: Parameters<Watch>[0];
  /** When each note was last changed, as far as this one was told. */
  readonly known: Map<NotePath, number>;
  /** What we changed ourselves while the tree was being looked at: the look may be older than that. */
  readonly fresh: Set<NotePath>;
  readonly timer: NodeJS.Timeout;
}

export function createWatch({
  list,
  pollMs,
}: {
  readonly list: () => Promise<readonly NoteMeta[]>;
  readonly pollMs: number;
}): Watching {
  const watchers = new Set<Watcher>();

  const stop = (watcher: Watcher) => {
    clearInterval(watcher.timer);
    watchers.delete(watcher);
  };

  return {
    watch: async (onChange, { since, log } = {}) => {
      const before = since?.().files ?? (await list());
      const known = new Map(before.map(({ path, lastModified }) => [path, lastModified]));
      const fresh = new Set<NotePath>();
      let isLooking = false;
      const look = async () => {
        if (isLooking) return;
        isLooking = true;
        fresh.clear();
        try {
          const changes = differences(known, await list(), fresh);
          if (watchers.has(watcher) && changes.length > 0) onChange(changes);
        } catch (error) {
          log?.('warn', 'cannot look for changes in Trilium; trying again later', { error: String(error) });
        } finally {
          isLooking = false;
        }
      };
      const watcher: Watcher = {
        onChange,
        known,
        fresh,
        timer: setInterval(() => void look(), pollMs).unref(),
      };
      watchers.add(watcher);
      if (since) await look();
      return async () => stop(watcher);
    },
    announce: (kind, { path, lastModified }) => {
      for (const { known, fresh, onChange } of watchers) {
        fresh.add(path);
        if (kind === 'removed') known.delete(path);
        else known.set(path, lastModified);
        queueMicrotask(() => onChange([{ kind, path }]));
      }
    },
    close: () => {
      for (const watcher of watchers) stop(watcher);
    },
  };
}

/** Brings what is known up to date and says what that took. */
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
