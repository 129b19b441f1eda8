/** All vectors in memory and the notes they belong to: the state that the records of the vector file add up to. */
import type { NoteSummary } from '../types.ts';
import type { EmbeddedNote, VectorRecord } from './vector-file.ts';
import { createVectorTable, type VectorHit, type VectorTable } from './vector-table.ts';

export type Collection = ReturnType<typeof createCollection>;

export function createCollection() {
  const notes = new Map<string, EmbeddedNote>();
  const owners = new Map<string, string>();
  let table: VectorTable | undefined;
  let dimensions = 0;

  const forget = (sourcePath: string, kept: ReadonlySet<string> = new Set()) => {
    for (const hash of notes.get(sourcePath)?.hashes ?? []) {
      if (kept.has(hash)) continue;
      owners.delete(hash);
      table?.remove(hash);
    }
    notes.delete(sourcePath);
  };
  return {
    /** Passages with a vector, of notes whose passages all have one. */
    get size() {
      return owners.size;
    },
    /** Vectors in memory, those of incomplete notes included. */
    get held() {
      return table?.size ?? 0;
    },
    take(record: VectorRecord) {
      switch (record.kind) {
        case 'vector':
          dimensions ||= record.vector.bytes.length;
          table ??= createVectorTable(dimensions);
          if (record.vector.bytes.length === dimensions) table.put(record.hash, record.vector);
          return;
        case 'note':
          forget(record.note.sourcePath, new Set(record.note.hashes));
          notes.set(record.note.sourcePath, record.note);
          for (const hash of record.note.hashes) owners.set(hash, record.note.sourcePath);
          return;
        case 'gone':
          return forget(record.sourcePath);
        case 'head':
      }
    },
    reset() {
      notes.clear();
      owners.clear();
      table = undefined;
      dimensions = 0;
    },
    /** Whether all passages of this version of the note have vectors. */
    isCurrent({ sourcePath, lastModified, size }: NoteSummary) {
      const known = notes.get(sourcePath);
      return (
        known?.lastModified === lastModified &&
        known.size === size &&
        known.hashes.every((hash) => table?.has(hash) === true)
      );
    },
    has: (hash: string) => table?.has(hash) ?? false,
    paths: () => notes.keys(),
    pathOf: (hash: string) => owners.get(hash),
    cosine: (query: Float32Array, hash: string) =>
      query.length === dimensions ? table?.cosine(query, hash) : undefined,
    averageCosine: (query: Float32Array) =>
      query.length === dimensions ? (table?.averageCosine(query) ?? 0) : 0,
    nearest(query: Float32Array, most: number, accepts?: (sourcePath: string) => boolean): VectorHit[] {
      if (!table || query.length !== dimensions) return [];
      if (accepts)
        return table.nearest(query, most, (hash) => owners.has(hash) && accepts(owners.get(hash)!));
      // Few vectors have no owner yet; a filter over all vectors would cost more than asking for that many more.
      const strays = table.size - owners.size;
      return table
        .nearest(query, most + strays)
        .filter(({ hash }) => owners.has(hash))
        .slice(0, most);
    },
    /** The complete notes and their vectors, as records. */
    *records(): Generator<VectorRecord> {
      for (const note of notes.values()) {
        for (const hash of note.hashes) {
          const vector = table?.get(hash);
          if (vector) yield { kind: 'vector', hash, vector };
        }
        yield { kind: 'note', note };
      }
    },
  };
}
