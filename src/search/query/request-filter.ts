/** The filter of a search request as predicates: over the metadata of notes, and over their texts. */
import { createContext, Script } from 'node:vm';
import { createFileFilter } from '../../notes/path-filter.ts';
import type { SearchFilter } from '../../notes/searcher.ts';
import { AppError } from '../../shared/errors.ts';
import type { NoteIndex } from '../index/note-index.ts';
import type { IndexedNote } from '../index/note-table.ts';

/** What filters look at. */
export type FilteredNote = Pick<
  IndexedNote,
  'path' | 'lastModified' | 'frontmatterTags' | 'inlineTags' | 'frontmatter'
>;

/** Most notes are left out by their path or time: the rest of them is not unpacked. */
export function filteredNote(index: NoteIndex, number: number): FilteredNote {
  return {
    path: index.pathOf(number)!,
    lastModified: index.lastModified(number),
    get frontmatterTags() {
      return index.note(number)!.frontmatterTags;
    },
    get inlineTags() {
      return index.note(number)!.inlineTags;
    },
    get frontmatter() {
      return index.note(number)!.frontmatter;
    },
  };
}

export interface FoundNumbers {
  readonly numbers: number[];
  /** By note number; higher is better. */
  readonly rank: Float32Array;
}

/** All notes that are accepted, none better than another. */
export function numbersFor(
  { index, isSlice }: { readonly index: NoteIndex; readonly isSlice?: boolean | undefined },
  filter: SearchFilter | undefined,
  accepts: (note: FilteredNote) => boolean,
): FoundNumbers {
  const { under, tags = [] } = filter ?? {};
  const tagged = isSlice || tags.length === 0 ? undefined : index.maybeTagged(tags);
  const some = tagged ?? (isSlice || under === undefined ? index.numbers() : index.maybeAt(under));
  // Most notes with the words of the folder's name are elsewhere, and a path tells that soonest.
  const isThere = (number: number) => under === undefined || index.pathOf(number)?.startsWith(under) === true;
  const numbers = [...some].filter((number) => isThere(number) && accepts(filteredNote(index, number)));
  return { numbers, rank: index.scratch.zeros() };
}

/** What a request asks of the metadata of a note. */
export function createFilter(filter: SearchFilter = {}): (note: FilteredNote) => boolean {
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

/** Of a regular expression of the request, per note. */
const LIMIT_MS = 200;
const LONGEST = 500;

export function createPattern(source: string, caseSensitive: boolean): (text: string) => boolean {
  if (source.length > LONGEST) throw invalid(source, `it is longer than ${LONGEST} characters`);
  try {
    new RegExp(source, 'u');
  } catch (error) {
    throw invalid(
      source,
      error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '',
    );
  }
  const context = createContext({ text: '' });
  const flags = caseSensitive ? 'mu' : 'imu';
  const script = new Script(`new RegExp(${JSON.stringify(source)}, '${flags}').test(text)`);
  return (text) => {
    context.text = text;
    try {
      return script.runInContext(context, { timeout: LIMIT_MS }) === true;
    } catch (error) {
      // An error of another realm is no instance of our Error.
      if ((error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
        throw invalid(source, 'it takes too long; avoid nested repetition such as (a+)+');
      }
      throw error;
    }
  };
}

function invalid(source: string, why: string): AppError {
  return new AppError('invalid_input', 'Invalid regular expression', {
    subject: source.slice(0, 100),
    hint: why,
  });
}

/** Whether a filter needs the metadata of notes; its pattern is matched against their texts. */
export function isNarrowing({ pattern: _, ...metadata }: SearchFilter = {}): boolean {
  return Object.values(metadata).some((value) => value !== undefined);
}
