/** Goes through the notes of a library for their loose ends, and lets others have their turn meanwhile. */

import type { SearchOptions } from '../../../notes/searcher.ts';
import { createYielder, type Yielder } from '../../../shared/async/time-slices.ts';
import { isAppError } from '../../../shared/errors.ts';
import {
  isWholeLibrary,
  type Library,
  type NoteSummary,
  type SearchScope,
  type SourceNote,
} from '../../types.ts';
import { dayOfTime } from '../dates/calendar.ts';
import { loopsOf, MAX_LOOPS } from '../loops/loops.ts';
import { type RunSlices, readNote } from '../note-facts.ts';
import type { Loop } from '../types.ts';

/** Runs long work so that others have their turn, and ends it when nobody waits for it. */

export const TURN_MS = 15;

export function runInTurns(turns: Yielder, signal: AbortSignal | undefined): RunSlices {
  return async (steps) => {
    let step = steps.next();
    while (!step.done) {
      signal?.throwIfAborted();
      await turns();
      step = steps.next();
    }
    return step.value;
  };
}

/**
 * The loose ends of notes that were read before, so that a note is read again only when it has changed. Bounded:
 * once full, what is new is not kept, for to drop what is kept would make every pass read everything.
 */

/** A note's loose ends with the day they are at least as old as. */
interface NoteFindings {
  readonly loops: readonly Loop[];
  readonly day: string | undefined;
  /** Whether there were more than are kept of one note. */
  readonly cut: boolean;
}

interface Entry extends NoteFindings {
  readonly version: string;
}

export interface FindingsCache {
  get(note: NoteSummary): NoteFindings | undefined;
  set(note: NoteSummary, found: NoteFindings): void;
  /** Forgets the notes that are not among these. */
  keepOnly(notes: readonly NoteSummary[]): void;
  counts(): { readonly notes: number; readonly loops: number };
}

interface FindingsLimits {
  readonly notes: number;
  readonly loops: number;
}

const LIMITS: FindingsLimits = { notes: 200_000, loops: 100_000 };

export function createFindings(limits: FindingsLimits = LIMITS): FindingsCache {
  const entries = new Map<string, Entry>();
  let loops = 0;
  const forget = (path: string) => {
    loops -= entries.get(path)?.loops.length ?? 0;
    entries.delete(path);
  };
  return {
    get(note) {
      const entry = entries.get(note.sourcePath);
      return entry?.version === versionOf(note) ? entry : undefined;
    },
    set(note, found) {
      forget(note.sourcePath);
      if (entries.size >= limits.notes || loops + found.loops.length > limits.loops) return;
      entries.set(note.sourcePath, { ...found, version: versionOf(note) });
      loops += found.loops.length;
    },
    keepOnly(notes) {
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

interface ScannedNote extends NoteFindings {
  readonly note: NoteSummary;
}

const PROGRESS_EVERY = 50;

interface Scan {
  readonly library: Library;
  readonly findings: FindingsCache;
  readonly scope: SearchScope;
  readonly asking: SearchOptions;
  /** Told of notes that are not text. */
  readonly onUnread: (note: NoteSummary) => void;
}

export async function* scanLibrary({
  library,
  findings,
  scope,
  asking,
  onUnread,
}: Scan): AsyncGenerator<ScannedNote> {
  const turns = createYielder(TURN_MS);
  const run = runInTurns(turns, asking.signal);
  const notes = await library.notes(scope, asking);
  if (isWholeLibrary(scope)) findings.keepOnly(notes);
  for (const [index, note] of notes.entries()) {
    asking.signal?.throwIfAborted();
    await turns();
    if (index % PROGRESS_EVERY === 0) asking.onProgress?.(index, notes.length);
    const kept = findings.get(note);
    if (kept) {
      yield { ...kept, note };
      continue;
    }
    const read = await readUnlessGone(library, note, asking);
    if (!read) {
      onUnread(note);
      continue;
    }
    const found = await findIn(read, run);
    // What was read may be newer than what was listed; the next list has it so.
    findings.set(read.lastModified === note.lastModified ? note : read, found);
    yield { ...found, note };
  }
  asking.onProgress?.(notes.length, notes.length);
}

/** Undefined for a note that went away meanwhile or is no text; that others cannot be read either is no news to swallow. */
async function readUnlessGone(
  library: Library,
  note: NoteSummary,
  asking: SearchOptions,
): Promise<SourceNote | undefined> {
  try {
    return await library.read(note.sourcePath, asking);
  } catch (error) {
    if (isAppError(error, 'not_found') || isAppError(error, 'unsupported')) return undefined;
    throw error;
  }
}

async function findIn(note: SourceNote, run: RunSlices): Promise<NoteFindings> {
  const facts = await readNote(note.text, note, run);
  const loops = await run(detached(await run(loopsOf(facts))));
  const day = facts.ownDay ?? dayOfTime(note.lastModified);
  return { loops, day, cut: loops.length >= MAX_LOOPS };
}

const LOOPS_A_STEP = 100;

/** Copies: a piece of a note's text would keep the whole note in memory. */
function* detached(loops: readonly Loop[]): Generator<undefined, Loop[]> {
  const copies: Loop[] = [];
  for (let at = 0; at < loops.length; at += LOOPS_A_STEP) {
    copies.push(...(JSON.parse(JSON.stringify(loops.slice(at, at + LOOPS_A_STEP))) as Loop[]));
    yield;
  }
  return copies;
}
