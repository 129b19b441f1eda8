/** The conditions on a file that its text has no part in. */
import { extensionOf } from './path.ts';
import type { KnownFile, SearchFilter } from './searcher.ts';
import { normalizeTag } from './tags.ts';

export type FileFilter = (
  file: Pick<KnownFile, 'path' | 'lastModified'>,
  tags: () => readonly string[],
) => boolean;

export function createFileFilter(filter: SearchFilter): FileFilter {
  const {
    under = '',
    notUnder,
    extensions,
    modifiedAfter = Number.NEGATIVE_INFINITY,
    modifiedBefore = Number.POSITIVE_INFINITY,
  } = filter;
  const wanted = (filter.tags ?? []).map(tagKey);
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
  const own = tags.map(tagKey);
  return wanted.every((tag) => own.some((each) => each === tag || each.startsWith(`${tag}/`)));
}

function tagKey(tag: string): string {
  return normalizeTag(tag).normalize('NFC').toLowerCase();
}
