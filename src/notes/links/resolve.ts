/**
 * Resolves links to files by Obsidian's rules. Letter case and Unicode form do not matter unless files
 * differ in nothing else; then the exact spelling wins. `.md`, `.markdown` and `.txt` may be left out.
 */
import { joinPath, type NotePath, nameOf, parentOf, pathKey } from '../path.ts';
import { type Link, readingsOf } from './link.ts';

type LinkQuestion = Pick<Link, 'raw' | 'notation'>;

export interface Resolution {
  readonly path: NotePath;
  /** From the source's folder, from the notebook's root, or by the end of the path alone. */
  readonly by: 'relative' | 'root' | 'name';
  /** True when the link has the letter case of the file. */
  readonly exact: boolean;
  /** The path as the link gives it, decoded, and how many characters of the link's `raw` spell it. */
  readonly target: string;
  readonly length: number;
}

export interface LinkResolver {
  resolve(link: LinkQuestion, from: NotePath): NotePath | undefined;
  /** Like `resolve`, and says how the answer was found. */
  explain(link: LinkQuestion, from: NotePath): Resolution | undefined;
  /** The file with this path from the root, in whatever letter case and Unicode form. */
  at(path: string): NotePath | undefined;
}

export const OPTIONAL_EXTENSIONS: readonly string[] = ['.md', '.markdown', '.txt'];
const ENDINGS = ['', ...OPTIONAL_EXTENSIONS];

type LinkMatch = Pick<Resolution, 'path' | 'by' | 'exact'>;

export function createLinkResolver(paths: Iterable<NotePath>): LinkResolver {
  const byPath = new Map<string, NotePath[]>();
  /** By name, and by name with the folder it is in: folders keep the many files called `README.md` apart. */
  const byTail = new Map<string, NotePath[]>();
  for (const path of new Set(paths)) {
    const key = pathKey(path);
    add(byPath, key, path);
    const name = lastSegments(key, 1);
    add(byTail, name, path);
    if (name !== key) add(byTail, lastSegments(key, 2), path);
  }
  const nearestByEnding = new Map<string, NotePath | undefined>();

  function atRoot(path: string, endings: readonly string[] = ENDINGS): NotePath | undefined {
    for (const ending of endings) {
      const found = closest(byPath.get(pathKey(path + ending)) ?? [], path + ending);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The best file whose path ends in `ending`, wherever the link stands. */
  function nearest(ending: string): NotePath | undefined {
    if (!nearestByEnding.has(ending)) {
      const key = pathKey(ending);
      const candidates = (byTail.get(lastSegments(key, 2)) ?? []).filter((path) => endsIn(path, key));
      nearestByEnding.set(ending, closest(candidates, ending));
    }
    return nearestByEnding.get(ending);
  }

  function byEnding(target: string, folder: NotePath): NotePath | undefined {
    for (const ending of ENDINGS) {
      const wanted = target + ending;
      const best = nearest(wanted);
      if (best === undefined) continue;
      const sibling = atRoot(joinPath(folder, nameOf(wanted)), ['']);
      const preferSibling =
        sibling !== undefined &&
        endsIn(sibling, pathKey(wanted)) &&
        inexactness(sibling, wanted) <= inexactness(best, wanted);
      return preferSibling ? sibling : best;
    }
    return undefined;
  }

  function find(target: string, link: LinkQuestion, from: NotePath): LinkMatch | undefined {
    if (target.endsWith('/')) return undefined;
    const folder = parentOf(from);
    const steps: [LinkMatch['by'], string | undefined][] = [];
    if (/^\.\.?\//.test(target)) steps.push(['relative', walk(folder, target)]);
    else if (target.startsWith('/')) steps.push(['root', walk('', target)]);
    else {
      if (link.notation.syntax !== 'wiki') steps.push(['relative', walk(folder, target)]);
      steps.push(['root', walk('', target)], ['name', walk('', target)]);
    }
    for (const [by, path] of steps) {
      if (path === undefined) continue;
      const found = by === 'name' ? byEnding(path, folder) : atRoot(path);
      if (found !== undefined) return { path: found, by, exact: isExact(found, path) };
    }
    return undefined;
  }

  function explain(link: LinkQuestion, from: NotePath): Resolution | undefined {
    for (const reading of readingsOf(link)) {
      const found = find(reading.target, link, from);
      if (found) return { ...found, ...reading };
    }
    return undefined;
  }

  return {
    explain,
    resolve: (link, from) => explain(link, from)?.path,
    at: (path) => atRoot(path, ['']),
  };
}

function add(map: Map<string, NotePath[]>, key: string, path: NotePath): void {
  const known = map.get(key);
  if (known) known.push(path);
  else map.set(key, [path]);
}

/** Follows `target` from `folder`; undefined when it leaves the notebook or names no file. */
function walk(folder: string, target: string): string | undefined {
  const segments = folder === '' ? [] : folder.split('/');
  for (const segment of target.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '' && segment !== '.') {
      segments.push(segment);
    }
  }
  return segments.length > 0 ? segments.join('/') : undefined;
}

/** The candidate spelled most like `wanted`, then with the fewest segments, then first in path order. */
function closest(candidates: readonly NotePath[], wanted: string): NotePath | undefined {
  let best: NotePath | undefined;
  for (const path of candidates) if (best === undefined || compare(path, best, wanted) < 0) best = path;
  return best;
}

function compare(a: NotePath, b: NotePath, wanted: string): number {
  return (
    inexactness(a, wanted) - inexactness(b, wanted) || depthOf(a) - depthOf(b) || (a < b ? -1 : a > b ? 1 : 0)
  );
}

/** 0 for the same characters, 1 for another Unicode form, 2 for another letter case. */
function inexactness(path: string, wanted: string): number {
  if (endsWithPath(path, wanted)) return 0;
  return endsWithPath(path.normalize('NFC'), wanted.normalize('NFC')) ? 1 : 2;
}

function isExact(path: NotePath, wanted: string): boolean {
  return ENDINGS.some((ending) => inexactness(path, wanted + ending) < 2);
}

function endsIn(path: NotePath, key: string): boolean {
  return endsWithPath(pathKey(path), key);
}

function endsWithPath(path: string, ending: string): boolean {
  return (
    path.endsWith(ending) && (path.length === ending.length || path[path.length - ending.length - 1] === '/')
  );
}

function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) depth++;
  return depth;
}

function lastSegments(path: string, count: number): string {
  let slash = path.length;
  for (let i = 0; i < count && slash > 0; i++) slash = path.lastIndexOf('/', slash - 1);
  return path.slice(slash + 1);
}
