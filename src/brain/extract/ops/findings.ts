/**
 * The loose ends of notes that were read before, so that a note is read again only when it has changed. Bounded:
 * once full, what is new is not kept, for to drop what is kept would make every pass read everything.
 */
import type { KnownNote } from '../../types.ts';
import type { Loop } from '../types.ts';

/** A note's loose ends with the day they are at least as old as. */
export interface NoteFindings {
  readonly loops: readonly Loop[];
  readonly day: string | undefined;
  /** Whether there were more than are kept of one note. */
  readonly cut: boolean;
}

interface Entry extends NoteFindings {
  readonly version: string;
}

export interface Findings {
  get(note: KnownNote): NoteFindings | undefined;
  set(note: KnownNote, found: NoteFindings): void;
  /** Forgets the notes that are not among these. */
  keepOnly(notes: readonly KnownNote[]): void;
  counts(): { readonly notes: number; readonly loops: number };
}

export interface FindingsLimits {
  readonly notes: number;
  readonly loops: number;
}

const LIMITS: FindingsLimits = { notes: 200_000, loops: 100_000 };

export function createFindings(limits: FindingsLimits = LIMITS): Findings {
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

function versionOf({ lastModified, size }: KnownNote): string {
  return `${lastModified}/${size}`;
}
