/** All files of a notebook, listed again only as far as something changed. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { extensionOf, type NotePath, nameOf, parseNotePath, pathKey, shownPath } from '../path.ts';
import type { ListingToken, NoteMeta, NoteStore } from '../store.ts';
import { pathsCalled } from './called-paths.ts';

interface Known {
  readonly files: ReadonlyMap<NotePath, NoteMeta>;
  readonly sorted: readonly NoteMeta[];
  readonly token?: ListingToken;
  /** Of the store, when the listing began. */
  readonly revision?: number;
}

const known = new WeakMap<NoteStore, Promise<Known>>();

/** In path order. The same array as before when nothing changed. */
export async function listFiles(view: NoteStore, signal?: AbortSignal): Promise<readonly NoteMeta[]> {
  const store = view.base ?? view;
  // A view with changes of its own, such as proposed ones, is not that of the store.
  if (!store.relist || view !== store) return view.list({ signal });
  const revision = await store.revision?.();
  const before = await known.get(store)?.catch(() => undefined);
  if (before && revision !== undefined && before.revision === revision) return before.sorted;
  const listing = (before ? again(store, before) : whole(store)).then((listed) => ({ ...listed, revision }));
  known.set(store, listing);
  return (await listing).sorted;
}

async function whole(store: NoteStore): Promise<Known> {
  const { changed, token } = await store.relist!({ paths: [], sizes: [], times: [] });
  return knownOf(new Map(changed.map((meta) => [meta.path, meta])), token);
}

async function again(store: NoteStore, before: Known): Promise<Known> {
  const { sorted, token } = before;
  const listing = {
    paths: sorted.map(({ path }) => path),
    sizes: sorted.map(({ size }) => size),
    times: sorted.map(({ lastModified }) => lastModified),
    token,
  };
  const changes = await store.relist!(listing);
  if (changes.changed.length === 0 && changes.removed.length === 0)
    return changes.token === token ? before : { ...before, token: changes.token };
  const files = new Map(before.files);
  for (const path of changes.removed) files.delete(path);
  for (const meta of changes.changed) files.set(meta.path, meta);
  return knownOf(files, changes.token);
}

function knownOf(files: ReadonlyMap<NotePath, NoteMeta>, token: ListingToken | undefined): Known {
  return { files, token, sorted: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Finds the file that somebody means: by its path, its name, or either without the extension. */
export async function findFile(
  store: NoteStore,
  given: string,
  among: (path: NotePath) => boolean = () => true,
): Promise<NotePath> {
  const link = /^!?\[\[([^\]|#]+)[^\]]*\]\]$/.exec(given.trim())?.[1];
  const wanted = parseNotePath(link ?? given);
  if (store.stat && among(wanted) && extensionOf(wanted) !== '') {
    const there = await store.stat(wanted).catch(unlessMissing);
    if (there) return there.path;
  }
  const found = pathsCalled(await listFiles(store), wanted, among);
  if (found.length > 1)
    throw new AppError('invalid_input', `"${shownPath(given)}" can mean ${found.length} files`, {
      subject: found.slice(0, 8).join(', ') + (found.length > 8 ? ', …' : ''),
      hint: 'Give the path of the one you mean.',
    });
  if (found[0] !== undefined) return found[0];
  throw new AppError('not_found', 'File not found', {
    subject: shownPath(nameOf(wanted) === wanted ? wanted : given),
    hint: 'list_files shows what files there are.',
  });
}

/** The given paths that are no file, in no letter case. */
export async function missingFiles(store: NoteStore, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const missing = new Set(paths);
  for (const path of store.stat ? new Set(paths) : []) {
    const there = await Promise.resolve()
      .then(() => store.stat!(parseNotePath(path)))
      .catch(unlessMissing);
    if (there) missing.delete(path);
  }
  if (missing.size === 0) return missing;
  const known = new Set((await listFiles(store)).map(({ path }) => pathKey(path)));
  return new Set([...missing].filter((path) => !known.has(pathKey(path))));
}

/** A folder, or what may not be reached, is no file either. */
function unlessMissing(error: unknown): undefined {
  if (!isAppError(error)) throw error;
}
