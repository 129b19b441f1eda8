/** Which files somebody means by a path, its end, or either without the extension. */
import { extensionOf, type NotePath, nameOf, pathKey } from '../path.ts';

type Files = readonly { readonly path: NotePath }[];

/** By name with and without extension, kept for one state of the files. */
const byName = new WeakMap<Files, ReadonlyMap<string, readonly NotePath[]>>();

/** The files with this path; else those whose path ends so. */
export function pathsCalled(
  files: Files,
  wanted: string,
  among: (path: NotePath) => boolean = () => true,
): readonly NotePath[] {
  const key = pathKey(wanted.trim().replace(/^\/+/, ''));
  const candidates = (namesOf(files).get(nameOf(key)) ?? []).filter(among);
  const ways: ((path: string) => boolean)[] = [
    (path) => path === wanted,
    (path) => pathKey(path) === key || pathKey(withoutExtension(path)) === key,
    (path) => pathKey(path).endsWith(`/${key}`) || pathKey(withoutExtension(path)).endsWith(`/${key}`),
  ];
  for (const way of ways) {
    const found = candidates.filter(way);
    if (found.length > 0) return found;
  }
  return [];
}

function namesOf(files: Files): ReadonlyMap<string, readonly NotePath[]> {
  const known = byName.get(files);
  if (known) return known;
  const names = new Map<string, NotePath[]>();
  const add = (name: string, path: NotePath) => {
    const paths = names.get(name);
    if (paths) paths.push(path);
    else names.set(name, [path]);
  };
  for (const { path } of files) {
    const name = pathKey(nameOf(path));
    const bare = withoutExtension(name);
    add(name, path);
    if (bare !== name) add(bare, path);
  }
  byName.set(files, names);
  return names;
}

function withoutExtension(path: string): string {
  return path.slice(0, path.length - extensionOf(path).length);
}
