/** What the page tools stand on: a notebook of pages, what may be written in it, and what callers did lately. */
import { createHash } from 'node:crypto';
import { type Call, defineToolFor } from '../../mcp/tool.ts';
import { VersionMarkers } from '../../notes/ops/create-note.ts';
import type { InsertAttempt } from '../../notes/ops/update-note.ts';
import type { NotePath } from '../../notes/path.ts';
import type { Notebook } from '../../notes/store.ts';
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { TtlCache } from '../../shared/memoize.ts';

export interface PagesOptions {
  /** Folders and pages that may be changed; all when left out. */
  readonly writable?: readonly string[];
  readonly now?: () => number;
}

export interface PagesBackend extends Notebook {
  readonly writable: readonly string[] | undefined;
  readonly now: () => number;
  readonly markers: VersionMarkers;
  /** Calls a client may make again because it never saw the answer. */
  readonly repeats: {
    readonly inserts: TtlCache<InsertAttempt>;
    readonly creates: TtlCache<true>;
    /** Where a page went. */
    readonly moves: TtlCache<NotePath>;
    /** The version an edit left. */
    readonly edits: TtlCache<string>;
  };
  /** By page: what takes it away happens one after the other, so that the second of two equal calls sees the first. */
  readonly turns: KeyedMutex;
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
    turns: new KeyedMutex(),
  };
}

export function callerOf({ principal }: Call<PagesBackend>): string {
  return principal?.id ?? '';
}

/** One key for one call, as often as it is made. */
export function repeatKey(call: Call<PagesBackend>, ...parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([callerOf(call), ...parts]))
    .digest('base64url');
}

export const defineTool = defineToolFor<PagesBackend>();
