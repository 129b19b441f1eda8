/** All vectors in memory and the notes they belong to: the state that the records of the vector file add up to. */
import type { NoteSummary } from '../types.ts';
import type { EmbeddedNote, VectorRecord } from './vector-file.ts';
import { createVectorTable, type VectorHit, type VectorTable } from './vector-table.ts';

export interface Collection {
  /** Passages with a vector, of notes whose passages all have one. */
  readonly size: number;
  /** Vectors in memory, those of incomplete notes included. */
  readonly held: number;
  take(record: VectorRecord): void;
  reset(): void;
  /** Whether all passages of this version of the note have vectors. */
  isCurrent(note: NoteSummary): boolean;
  has(hash: string): boolean;
  paths(): Iterable<string>;
  pathOf(hash: string): string | undefined;
  cosine(query: Float32Array, hash: string): number | undefined;
  averageCosine(query: Float32Array): number;
  nearest(query: Float32Array, most: number, accepts?: (sourcePath: string) => boolean): VectorHit[];
  /** The complete notes and their vectors, as records. */
  records(): Iterable<VectorRecord>;
}

export function createCollection(): Collection {
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
    get size() {
      return owners.size;
    },
    get held() {
      return table?.size ?? 0;
    },
    take(record) {
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
    isCurrent({ sourcePath, lastModified, size }) {
      const known = notes.get(sourcePath);
      return (
        known?.lastModified === lastModified &&
        known.size === size &&
        known.hashes.every((hash) => table?.has(hash) === true)
      );
    },
    has: (hash) => table?.has(hash) ?? false,
    paths: () => notes.keys(),
    pathOf: (hash) => owners.get(hash),
    cosine: (query, hash) => (query.length === dimensions ? table?.cosine(query, hash) : undefined),
    averageCosine: (query) => (query.length === dimensions ? (table?.averageCosine(query) ?? 0) : 0),
    nearest(query, most, accepts) {
      if (!table || query.length !== dimensions) return [];
      const ofAccepted = (hash: string) => {
        const owner = owners.get(hash);
        return owner !== undefined && accepts?.(owner) === true;
      };
      // Few vectors have no owner yet; a filter over all vectors would cost more than options for that many more.
      const strays = table.size - owners.size;
      if (accepts) return table.nearest(query, most, ofAccepted);
      return table
        .nearest(query, most + strays)
        .filter(({ hash }) => owners.has(hash))
        .slice(0, most);
    },
    *records() {
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
