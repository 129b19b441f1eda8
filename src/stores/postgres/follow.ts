/**
 * Follows the feed for one watch. A notification says that there is something to read; what it is, and that nothing was
 * missed, only the feed says, so a lost notification costs time and nothing else.
 */
import type { NoteChange, WatchOptions } from '../../notes/store.ts';
import type { Log } from '../../shared/log.ts';
import { type Bookmark, bookmarkIn, changeOf, endOf, readFeed, tokenOf } from './feed.ts';
import { relist } from './listing.ts';
import type { PostgresNotebook } from './notebook.ts';

export interface Follower {
  /** Resolves when everything was told that was committed before the call. */
  caughtUp(): Promise<void>;
  stop(): void;
}

/** For notifications that do not arrive, as through a pooler. */
const POLL_MS = 5_000;

export async function follow(
  notebook: PostgresNotebook,
  onChange: (changes: readonly NoteChange[]) => void,
  { since, onAnyChange, onToken, log }: WatchOptions & { readonly log: Log },
): Promise<Follower> {
  let known: Bookmark;
  let isStopped = false;
  let hasFailed = false;

  const tell = (changes: readonly NoteChange[]) => {
    if (isStopped || changes.length === 0) return;
    onChange(changes);
    onAnyChange?.(true);
  };
  /** For a start, and for a database that is not the one that was followed. */
  const begin = async (): Promise<void> => {
    const before = since?.();
    if (!before) {
      known = await endOf(notebook);
      return;
    }
    const { changed, removed, token } = await relist(notebook, before);
    known = bookmarkIn(notebook, token) ?? { position: 0 };
    tell([
      ...removed.map((path) => ({ kind: 'removed', path }) as const),
      ...changed.map((meta) => ({ kind: 'changed', path: meta.path, meta }) as const),
    ]);
    if (token) onToken?.(token);
  };
  const pull = async (): Promise<void> => {
    const first = known.position;
    while (!isStopped) {
      const page = await readFeed(notebook, known);
      if (!page) {
        log('warn', 'the database has another past than it had; all notes are compared', {
          position: first,
        });
        await begin();
        return onAnyChange?.(true);
      }
      known = page.end ?? { position: page.next };
      tell(page.rows.filter(({ path }) => notebook.isVisible(path)).map((row) => changeOf(row, first)));
      if (!page.end) continue;
      if (page.rows.length > 0) onToken?.(tokenOf(notebook, page.end));
      return;
    }
  };

  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  /** One that is under way may have asked before the change that the caller waits for. */
  const caughtUp = (): Promise<void> => {
    if (running) {
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined;
          return caughtUp();
        });
      return next;
    }
    running = pull()
      .then(
        () => {
          if (hasFailed) onAnyChange?.(true);
          hasFailed = false;
        },
        (error: unknown) => {
          if (!hasFailed && !isStopped) {
            log('warn', 'changes of the notes cannot be followed for now', { error: String(error) });
            onAnyChange?.(false);
          }
          hasFailed = true;
          throw error;
        },
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const look = () => void caughtUp().catch(() => {});

  await begin();
  const listening = notebook.database.listen(
    notebook.channel,
    (position) => {
      if (Number(position) > known.position) look();
    },
    look,
  );
  const poll = setInterval(look, POLL_MS).unref();
  onAnyChange?.(true);
  return {
    caughtUp,
    stop: () => {
      isStopped = true;
      clearInterval(poll);
      listening.stop();
    },
  };
}
