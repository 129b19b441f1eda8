/** Scans all notes of a library for open loops, in time slices. */

import type { SearchOptions } from '../../../notes/searcher.ts';
import { createYielder, runInSlices, type Yielder } from '../../../shared/async/time-slices.ts';
import { readIfText } from '../../retrieve/library.ts';
import {
  isWholeLibrary,
  type Library,
  type NoteSummary,
  type SearchScope,
  type SourceNote,
} from '../../types.ts';
import { dayOfTime } from '../dates/calendar.ts';
import { loopsOf, MAX_LOOPS } from '../loops/loops.ts';
import { type KnownPerson, personOfNote } from '../meetings/namesakes.ts';
import { type RunSlices, readNote } from '../note-facts.ts';
import type { Loop } from '../types.ts';

export const SLICE_MS = 15;

/** Yields between two steps, and throws once the call is cancelled. */
export function sliced(yielder: Yielder, signal: AbortSignal | undefined): RunSlices {
  const breathe = async () => {
    signal?.throwIfAborted();
    await yielder();
    return true;
  };
  return async <T>(steps: Generator<undefined, T>) => (await runInSlices(steps, breathe)) as T;
}

interface NoteLoops {
  readonly loops: readonly Loop[];
  /** The age of loops without a creation day counts from here. */
  readonly day: string | undefined;
  /** Whether the note has more loops than are extracted. */
  readonly cut: boolean;
  /** The person whose note it may be. */
  readonly person?: KnownPerson;
}

export type LoopCache = ReturnType<typeof createLoopCache>;

const LIMITS = { notes: 200_000, loops: 100_000 };

/**
 * Open loops by note, so that only changed notes are read again. A full cache takes no new notes: evicting others
 * would make every scan read everything.
 */
export function createLoopCache(limits = LIMITS) {
  const entries = new Map<string, NoteLoops & { readonly version: string }>();
  let loops = 0;
  const forget = (path: string) => {
    loops -= entries.get(path)?.loops.length ?? 0;
    entries.delete(path);
  };
  return {
    get(note: NoteSummary): NoteLoops | undefined {
      const entry = entries.get(note.sourcePath);
      return entry?.version === versionOf(note) ? entry : undefined;
    },
    set(note: NoteSummary, found: NoteLoops) {
      forget(note.sourcePath);
      if (entries.size >= limits.notes || loops + found.loops.length > limits.loops) return;
      entries.set(note.sourcePath, { ...found, version: versionOf(note) });
      loops += found.loops.length;
    },
    /** Evicts all other notes. */
    keepOnly(notes: readonly NoteSummary[]) {
      if (entries.size <= notes.length && notes.every(({ sourcePath }) => entries.has(sourcePath))) return;
      const known = new Set(notes.map(({ sourcePath }) => sourcePath));
      for (const path of entries.keys()) if (!known.has(path)) forget(path);
    },
    counts: () => ({ notes: entries.size, loops }),
  };
}

function versionOf({ lastModified, size }: NoteSummary): string {
  return `${lastModified}/${size}`;
}

const PROGRESS_EVERY = 50;

interface Scan {
  readonly library: Library;
  readonly cache: LoopCache;
  readonly scope: SearchScope;
  readonly options: SearchOptions;
  /** Called for notes that are not text or are gone. */
  readonly onUnread: (note: NoteSummary) => void;
}

export async function* scanLibrary(scan: Scan): AsyncGenerator<NoteLoops & { readonly note: NoteSummary }> {
  const { library, cache, scope, options, onUnread } = scan;
  const yielder = createYielder(SLICE_MS);
  const run = sliced(yielder, options.signal);
  const notes = await library.notes(scope, options);
  if (isWholeLibrary(scope)) cache.keepOnly(notes);
  for (const [index, note] of notes.entries()) {
    options.signal?.throwIfAborted();
    await yielder();
    if (index % PROGRESS_EVERY === 0) options.onProgress?.(index, notes.length);
    const kept = cache.get(note);
    if (kept) {
      yield { ...kept, note };
      continue;
    }
    const read = await readIfText(library, note.sourcePath, options);
    if (!read) {
      onUnread(note);
      continue;
    }
    const found = await loopsIn(read, run);
    // The note may be newer than its entry in the listing.
    cache.set(read.lastModified === note.lastModified ? note : read, found);
    yield { ...found, note };
  }
  options.onProgress?.(notes.length, notes.length);
}

async function loopsIn(note: SourceNote, run: RunSlices): Promise<NoteLoops> {
  const facts = await readNote(note.text, note, run);
  const loops = await run(detached(await run(loopsOf(facts))));
  const day = facts.ownDay ?? dayOfTime(note.lastModified);
  const person = personOfNote(note.sourcePath, facts.data);
  return { loops, day, cut: loops.length >= MAX_LOOPS, person };
}

const LOOPS_A_STEP = 100;

/** Copies the loops: a substring of a note's text would keep the whole text in memory. */
function* detached(loops: readonly Loop[]): Generator<undefined, Loop[]> {
  const copies: Loop[] = [];
  for (let at = 0; at < loops.length; at += LOOPS_A_STEP) {
    copies.push(...(JSON.parse(JSON.stringify(loops.slice(at, at + LOOPS_A_STEP))) as Loop[]));
    yield;
  }
  return copies;
}
