/** The conditions beside the query, as one question about a note. */
import { createFileFilter } from '../notes/file-filter.ts';
import type { SearchFilter } from '../notes/searcher.ts';
import type { IndexedNote } from './note-table.ts';

export function createFilter(filter: SearchFilter = {}): (note: IndexedNote) => boolean {
  const fits = createFileFilter(filter);
  const fields = Object.entries(filter.fields ?? {});
  return (note) =>
    fits(note, () => [...note.frontmatterTags, ...note.inlineTags]) &&
    fields.every(([key, wanted]) => hasValue(note.frontmatter[key], wanted));
}

function hasValue(value: unknown, wanted: string | number | boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => hasValue(item, wanted));
  return (
    value === wanted || (typeof value === 'string' && value.toLowerCase() === String(wanted).toLowerCase())
  );
}
