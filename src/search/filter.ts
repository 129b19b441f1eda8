/** The conditions beside the query, as one question about a note. */
import type { SearchFilter } from '../notes/searcher.ts';
import { normalizeTag } from '../notes/tags.ts';
import type { IndexedNote } from './note-table.ts';

export function createFilter(filter: SearchFilter = {}): (note: IndexedNote) => boolean {
  const {
    under,
    notUnder,
    modifiedAfter = Number.NEGATIVE_INFINITY,
    modifiedBefore = Number.POSITIVE_INFINITY,
  } = filter;
  const tag = filter.tag === undefined ? undefined : tagKey(filter.tag);
  const fields = Object.entries(filter.fields ?? {});
  return (note) =>
    (under === undefined || under === '' || note.path.startsWith(`${under}/`)) &&
    (notUnder === undefined || !note.path.startsWith(`${notUnder}/`)) &&
    note.lastModified >= modifiedAfter &&
    note.lastModified <= modifiedBefore &&
    (tag === undefined ||
      [...note.frontmatterTags, ...note.inlineTags].some((own) => isUnder(tagKey(own), tag))) &&
    fields.every(([key, wanted]) => hasValue(note.frontmatter[key], wanted));
}

function isUnder(tag: string, wanted: string): boolean {
  return tag === wanted || tag.startsWith(`${wanted}/`);
}

function tagKey(tag: string): string {
  return normalizeTag(tag).normalize('NFC').toLowerCase();
}

function hasValue(value: unknown, wanted: string | number | boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => hasValue(item, wanted));
  return (
    value === wanted || (typeof value === 'string' && value.toLowerCase() === String(wanted).toLowerCase())
  );
}
