/** The backend of the pages surface: a notebook of pages, its writable paths, and recent calls for deduplication. */
import { createHash } from 'node:crypto';
import { type Call, defineToolFor } from '../../mcp/tool.ts';
import { VersionMarkers } from '../../notes/ops/create-note.ts';
import { type InsertAttempt, readIfThere } from '../../notes/ops/update-note.ts';
import type { NotePath } from '../../notes/path.ts';
import type { Notebook } from '../../notes/store.ts';
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { isAppError } from '../../shared/errors.ts';
import { TtlCache } from '../../shared/memoize.ts';

export interface PagesOptions {
  /** Folders and pages that may be changed; undefined allows all. */
  readonly writable?: readonly string[];
  readonly now?: () => number;
}

export interface PagesBackend extends Notebook {
  readonly writable: readonly string[] | undefined;
  readonly now: () => number;
  readonly markers: VersionMarkers;
  /** Recent calls, by which a call that a client repeats after losing the answer is recognized. */
  readonly repeats: {
    readonly inserts: TtlCache<InsertAttempt>;
    readonly creates: TtlCache<true>;
    /** The destination of each move. */
    readonly moves: TtlCache<NotePath>;
    /** The version after each edit. */
    readonly edits: TtlCache<string>;
  };
  /** Serializes removals per page, so that the second of two equal calls sees the result of the first. */
  readonly pageMutex: KeyedMutex;
}

const REPEATED_WITHIN_MS = 2 * 60_000;
const MOST_REMEMBERED = 2_000;

export function createPagesBackend(notebook: Notebook, options: PagesOptions = {}): PagesBackend {
  const { writable, now = Date.now } = options;
  const lately = { forMs: REPEATED_WITHIN_MS, most: MOST_REMEMBERED, now };
  return {
    ...notebook,
    writable,
    now,
    markers: new VersionMarkers(),
    repeats: {
      inserts: new TtlCache(lately),
      creates: new TtlCache(lately),
      moves: new TtlCache(lately),
      edits: new TtlCache(lately),
    },
    pageMutex: new KeyedMutex(),
  };
}

export function callerOf({ principal }: Call<PagesBackend>): string {
  return principal?.id ?? '';
}

/** The deduplication key of a call; equal calls of one caller have equal keys. */
export function repeatKey(call: Call<PagesBackend>, ...parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([callerOf(call), ...parts]))
    .digest('base64url');
}

interface MoveAttempt<Result> {
  /** Identifies the call, see `repeatKey`. */
  readonly key: string;
  readonly from: NotePath;
  /** False for a call that only shows what it would do. */
  readonly isRemembered?: boolean;
  /** Whether a repeat must find the page at its destination. */
  readonly mustExist?: boolean;
  move(): Promise<Result & { readonly to: NotePath }>;
}

/**
 * Moves a page once. When a client repeats a call whose answer it lost, the page is gone from its place: then only the
 * destination of the first call is returned, as `deduplicated`.
 */
export function moveOnce<Result extends object>(
  { notes, repeats, pageMutex }: PagesBackend,
  { key, from, isRemembered = true, mustExist = true, move }: MoveAttempt<Result>,
): Promise<Partial<Result> & { readonly to: NotePath; readonly deduplicated: boolean }> {
  return pageMutex.run(from, async () => {
    try {
      const moved = await move();
      if (isRemembered) repeats.moves.set(key, moved.to);
      return { ...moved, deduplicated: false };
    } catch (error) {
      const to = repeats.moves.get(key);
      if (to === undefined || !isAppError(error, 'not_found')) throw error;
      if (mustExist && !(await readIfThere(notes, to))) throw error;
      return { ...({} as Partial<Result>), to, deduplicated: true };
    }
  });
}

export const defineTool = defineToolFor<PagesBackend>();
