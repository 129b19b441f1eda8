/**
 * Every file there is, searchable or not, and what the store wants to be remembered of their folders. What was
 * saved stays packed until somebody needs all of it, and what is known better is kept beside it: a search needs
 * neither, and the first one should come soon.
 */
import type { NotePath } from '../../notes/path.ts';
import type { Listing, ListingChanges, NoteMeta } from '../../notes/store.ts';

export class KnownFiles {
  #saved: Listing | undefined;
  readonly #files = new Map<NotePath, NoteMeta>();
  readonly #marks = new Map<string, number>();
  /** What is known better than what was saved; undefined where it is gone. */
  readonly #newer = new Map<NotePath, NoteMeta | undefined>();
  readonly #newerMarks = new Map<string, number | undefined>();

  /** Goes on from what was saved, which knows no better than whoever says something after this. */
  begin(saved: Listing): void {
    this.#saved = saved;
  }

  set(meta: NoteMeta): void {
    if (this.#saved) this.#newer.set(meta.path, meta);
    else this.#files.set(meta.path, meta);
  }

  delete(path: NotePath): void {
    if (this.#saved) this.#newer.set(path, undefined);
    else this.#files.delete(path);
  }

  get(path: NotePath): NoteMeta | undefined {
    return this.#all().get(path);
  }

  /** Whether it is known to be just so. */
  isCurrent({ path, size, lastModified }: NoteMeta): boolean {
    const known = this.get(path);
    return known?.size === size && known.lastModified === lastModified;
  }

  values(): Iterable<NoteMeta> {
    return this.#all().values();
  }

  remark(remarked: ListingChanges['remarked'] = new Map()): void {
    for (const [path, mark] of remarked) {
      if (this.#saved) this.#newerMarks.set(path, mark);
      else put(this.#marks, path, mark);
    }
  }

  listing(): Listing {
    if (this.#saved && this.#newer.size === 0 && this.#newerMarks.size === 0) return this.#saved;
    const files = [...this.#all().values()];
    return { files, marks: new Map(this.#marks) };
  }

  #all(): Map<NotePath, NoteMeta> {
    const saved = this.#saved;
    if (!saved) return this.#files;
    this.#saved = undefined;
    for (const meta of saved.files) this.#files.set(meta.path, meta);
    for (const [path, mark] of saved.marks) this.#marks.set(path, mark);
    for (const [path, meta] of this.#newer) put(this.#files, path, meta);
    for (const [path, mark] of this.#newerMarks) put(this.#marks, path, mark);
    this.#newer.clear();
    this.#newerMarks.clear();
    return this.#files;
  }
}

function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
