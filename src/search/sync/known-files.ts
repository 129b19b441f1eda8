/**
 * Every file of the store, searchable or not, and the token of its last listing. Saved files stay packed until all of
 * them are needed, and newer facts are kept beside them: a search needs neither, and the first one should come soon.
 */
import type { NotePath } from '../../notes/path.ts';
import type { Listing, ListingChanges, ListingToken, NoteMeta, NoteStore } from '../../notes/store.ts';
import type { Snapshot } from '../index/snapshot.ts';

type SavedFiles = Pick<Snapshot, 'listing' | 'files'>;

export class KnownFiles {
  #saved: SavedFiles | undefined;
  /** The store's, from its last listing. */
  token: ListingToken | undefined;
  /** Another one after every change. */
  revision = 0;
  readonly #files = new Map<NotePath, NoteMeta>();
  /** Changes since the saved listing; undefined for a file that is gone. */
  readonly #newer = new Map<NotePath, NoteMeta | undefined>();

  /** Starts from saved files; later changes override them. */
  begin(saved: SavedFiles): void {
    this.revision++;
    this.#saved = saved;
    this.token = saved.listing.token;
  }

  set(meta: NoteMeta): void {
    this.revision++;
    if (this.#saved) this.#newer.set(meta.path, meta);
    else this.#files.set(meta.path, meta);
  }

  delete(path: NotePath): void {
    this.revision++;
    if (this.#saved) this.#newer.set(path, undefined);
    else this.#files.delete(path);
  }

  get(path: NotePath): NoteMeta | undefined {
    return this.#all().get(path);
  }

  /** True when the file is known with this size and time stamp. */
  isCurrent({ path, size, lastModified }: NoteMeta): boolean {
    const known = this.get(path);
    return known?.size === size && known.lastModified === lastModified;
  }

  values(): Iterable<NoteMeta> {
    return this.#all().values();
  }

  listing(): Listing {
    const { token } = this;
    if (this.#saved && this.#newer.size === 0) return { ...this.#saved.listing, token };
    const files = this.#all();
    return {
      paths: [...files.keys()],
      sizes: Float64Array.from(files.values(), ({ size }) => size),
      times: Float64Array.from(files.values(), ({ lastModified }) => lastModified),
      token,
    };
  }

  #all(): Map<NotePath, NoteMeta> {
    const saved = this.#saved;
    if (!saved) return this.#files;
    this.#saved = undefined;
    for (const meta of saved.files()) this.#files.set(meta.path, meta);
    for (const [path, meta] of this.#newer) {
      if (meta) this.#files.set(path, meta);
      else this.#files.delete(path);
    }
    this.#newer.clear();
    return this.#files;
  }
}

/** What has changed in the store since the files were listed. */
export async function changesOf(
  store: NoteStore,
  before: Listing,
  known: KnownFiles,
  onChanged: (changed: readonly NoteMeta[]) => void,
): Promise<ListingChanges> {
  if (store.relist) return { token: before.token, ...(await store.relist(before, onChanged)) };
  const listed = await store.list();
  const present = new Set(listed.map(({ path }) => path));
  return {
    changed: listed.filter((meta) => !known.isCurrent(meta)),
    removed: before.paths.filter((path) => !present.has(path)),
    token: before.token,
  };
}
