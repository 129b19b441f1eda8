/** A library in memory that counts how often it is read. */
import type { Library, NoteSummary, SourceNote } from '../../../src/brain/types.ts';
import { AppError } from '../../../src/shared/errors.ts';

export interface MemoryLibrary extends Library {
  reads(): number;
  put(sourcePath: string, text: string, lastModified: number): void;
  remove(sourcePath: string): void;
}

export function createLibrary(notes: Readonly<Record<string, string>>, day = '2026-11-16'): MemoryLibrary {
  const held = new Map<string, { text: string; lastModified: number }>();
  let reads = 0;
  const put = (path: string, text: string, lastModified: number) => held.set(path, { text, lastModified });
  for (const [path, text] of Object.entries(notes)) put(path, text, Date.parse(day));
  const known = (
    path: string,
    { text, lastModified }: { text: string; lastModified: number },
  ): NoteSummary => ({
    sourcePath: path,
    tags: [],
    lastModified,
    size: text.length,
  });
  return {
    notes: async ({ pathPrefix = '' }) =>
      [...held]
        .filter(([path]) => path.startsWith(pathPrefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, note]) => known(path, note)),
    async read(path): Promise<SourceNote> {
      reads++;
      const note = held.get(path);
      if (!note) throw new AppError('not_found', 'File not found', { subject: path });
      return { ...known(path, note), title: path, text: note.text };
    },
    reads: () => reads,
    put: (path, text, lastModified) => void put(path, text, lastModified),
    remove: (path) => void held.delete(path),
  };
}
