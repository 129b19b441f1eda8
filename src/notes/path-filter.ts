/**
 * Decides which files of a notebook are visible. Some are hidden whatever the options say.
 */
import picomatch from 'picomatch';
import { extensionOf, isAlwaysHidden } from './path.ts';
import type { FileEntry, SearchFilter } from './searcher.ts';
import { normalizeTag, tagKey } from './tags.ts';

export interface PathFilterOptions {
  /** Globs of paths to hide, matched without regard to case. One without a slash hides that name at any depth. */
  readonly ignoredPatterns?: readonly string[];
  /** With the dot, any case. */
  readonly allowedExtensions?: readonly string[];
}

const DEFAULT_EXTENSIONS: readonly string[] = ['.md', '.markdown', '.txt'];

export class PathFilter {
  readonly extensions: readonly string[];
  readonly #isIgnored: (path: string) => boolean;

  constructor(options: PathFilterOptions = {}) {
    this.extensions = (options.allowedExtensions ?? DEFAULT_EXTENSIONS).map(withDot);
    const patterns = (options.ignoredPatterns ?? []).flatMap(expand);
    this.#isIgnored = patterns.length === 0 ? () => false : picomatch(patterns, { dot: true, nocase: true });
  }

  /** Whether the path, of a folder or of a file of any kind, is hidden. */
  isHidden(path: string): boolean {
    return isAlwaysHidden(path) || this.#isIgnored(path);
  }

  /** Whether the path is that of a note this notebook serves. */
  isAllowed(path: string): boolean {
    return this.extensions.includes(extensionOf(path)) && !this.isHidden(path);
  }

  filterPaths<Path extends string>(paths: readonly Path[]): Path[] {
    return paths.filter((path) => this.isAllowed(path));
  }
}

function withDot(extension: string): string {
  const lower = extension.trim().toLowerCase();
  return lower.startsWith('.') ? lower : `.${lower}`;
}

function expand(pattern: string): string[] {
  const trimmed = pattern.trim().replace(/^\/+|\/+$/g, '');
  if (trimmed === '') return [];
  const anchored = trimmed.includes('/') ? trimmed : `**/${trimmed}`;
  return [anchored, `${anchored}/**`];
}

type FileFilter = (file: Pick<FileEntry, 'path' | 'lastModified'>, tags: () => readonly string[]) => boolean;

/** The conditions on a file that its text has no part in. */
export function createFileFilter(filter: SearchFilter): FileFilter {
  const {
    under = '',
    notUnder,
    extensions,
    modifiedAfter = Number.NEGATIVE_INFINITY,
    modifiedBefore = Number.POSITIVE_INFINITY,
  } = filter;
  const wanted = (filter.tags ?? []).map(keyOf);
  return ({ path, lastModified }, tags) =>
    (under === '' || path.startsWith(`${under}/`)) &&
    (notUnder === undefined || !path.startsWith(`${notUnder}/`)) &&
    lastModified >= modifiedAfter &&
    lastModified <= modifiedBefore &&
    (extensions === undefined || hasExtension(path, extensions)) &&
    (wanted.length === 0 || hasAll(tags(), wanted));
}

/** Asked of every note found: the usual spelling is recognised without taking the path apart. */
function hasExtension(path: string, extensions: readonly string[]): boolean {
  return extensions.some((extension) => path.endsWith(extension)) || extensions.includes(extensionOf(path));
}

function hasAll(tags: readonly string[], wanted: readonly string[]): boolean {
  const own = tags.map(keyOf);
  return wanted.every((tag) => own.some((each) => each === tag || each.startsWith(`${tag}/`)));
}

function keyOf(tag: string): string {
  return tagKey(normalizeTag(tag));
}
