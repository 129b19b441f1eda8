/**
 * Notes with their passages, the last used ones kept. A note near by is read each time, so that what is cited is
 * what stands there now; one far away only when the index has heard of a change.
 */
import type { NotePath } from '../notes/path.ts';
import { isAppError } from '../shared/errors.ts';
import { sourceNote } from './library.ts';
import type { Mounts } from './mounts.ts';
import { passagesOf } from './passages.ts';
import type { Passage, Source, SourceNote } from './types.ts';

export interface CutNote {
  readonly note: SourceNote;
  readonly passages: readonly Passage[];
}

export interface NoteReader {
  /** Undefined when the note is gone or is not text. `lastModified` as the index has it. */
  read(source: Source, path: NotePath, lastModified: number): Promise<CutNote | undefined>;
}

interface Kept extends CutNote {
  readonly version: string;
  /** As the index had it. */
  readonly indexedAt: number;
}

const MOST_CHARACTERS = 8 * 1024 * 1024;

export function createNoteReader(mounts: Mounts): NoteReader {
  const kept = new Map<string, Kept>();
  let characters = 0;
  const drop = (sourcePath: string) => {
    characters -= kept.get(sourcePath)?.note.text.length ?? 0;
    kept.delete(sourcePath);
  };
  const keep = (sourcePath: string, entry: Kept) => {
    drop(sourcePath);
    if (entry.note.text.length > MOST_CHARACTERS / 4) return;
    kept.set(sourcePath, entry);
    characters += entry.note.text.length;
    for (const oldest of kept.keys()) {
      if (characters <= MOST_CHARACTERS) break;
      drop(oldest);
    }
  };
  return {
    async read(source, path, lastModified) {
      const { notes } = source.notebook;
      const sourcePath = mounts.sourcePath(source, path);
      const known = kept.get(sourcePath);
      if (known && notes.readsAtOnce !== undefined && known.indexedAt === lastModified) {
        keep(sourcePath, known);
        return known;
      }
      try {
        const note = await notes.read(path);
        const cut = known?.version === note.version ? known : await cutNote(note, sourcePath);
        keep(sourcePath, { ...cut, version: note.version, indexedAt: lastModified });
        return cut;
      } catch (error) {
        if (!isAppError(error)) throw error;
        drop(sourcePath);
        return undefined;
      }
    },
  };
}

async function cutNote(note: Parameters<typeof sourceNote>[0], sourcePath: string): Promise<CutNote> {
  const read = await sourceNote(note, sourcePath);
  return { note: read, passages: passagesOf(read) };
}
