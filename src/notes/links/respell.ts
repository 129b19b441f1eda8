/**
 * The ways to write a link to a file, the one nearest to the author's own first: short stays short, a path
 * stays a path, relative stays relative, and an extension left out stays left out. None is checked here.
 */
import { extensionOf, type NotePath, nameOf, parentOf, pathKey } from '../path.ts';
import type { Link } from './link.ts';
import { OPTIONAL_EXTENSIONS, type Resolution } from './resolve.ts';

export interface Move {
  /** The file the link shall mean. */
  readonly expected: NotePath;
  /** The note the link will stand in. */
  readonly to: NotePath;
}

export function respellings(link: Link, was: Resolution, move: Move): string[] {
  const relative = relativePath(parentOf(move.to), move.expected);
  const withoutExtension = nameKey(was.target) !== nameKey(was.path);
  const short = (path: string) => (withoutExtension ? dropOptionalExtension(path) : path);
  return unique([
    ...preferred(link, was, { root: short(move.expected), relative: short(relative) }),
    short(move.expected),
    move.expected,
    relative,
    `/${move.expected}`,
  ]);
}

function preferred(link: Link, was: Resolution, forms: { root: string; relative: string }): string[] {
  const isWiki = link.notation.syntax === 'wiki';
  if (was.target.startsWith('/')) return [`/${forms.root}`];
  if (/^\.\.?\//.test(was.target)) {
    const keepsDot = isWiki || was.target.startsWith('./');
    return [keepsDot && !forms.relative.startsWith('../') ? `./${forms.relative}` : forms.relative];
  }
  if (was.by === 'relative') return [forms.relative];
  const segments = was.target.split('/').length;
  if (segments > 1 && was.by === 'root') return [forms.root];
  return [forms.root.split('/').slice(-segments).join('/')];
}

function relativePath(folder: NotePath, path: NotePath): string {
  const from = folder === '' ? [] : folder.split('/');
  const to = path.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared++;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}

function dropOptionalExtension(path: string): string {
  const extension = extensionOf(path);
  return OPTIONAL_EXTENSIONS.includes(extension) ? path.slice(0, -extension.length) : path;
}

function nameKey(path: string): string {
  return pathKey(nameOf(path));
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
