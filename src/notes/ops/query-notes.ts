/** Notes by what their frontmatter says. Answered from memory. Pages in the trash do not count. */
import { AppError } from '../../shared/errors.ts';
import type { NotePath } from '../path.ts';
import { compareKeys, orderKeyOf, orderOf, textOf } from '../properties/compare.ts';
import {
  createFieldReader,
  createOrderReader,
  fieldProblem,
  needsLinks,
  tagsOf,
  unknownProperty,
} from '../properties/fields.ts';
import { parseWhere } from '../properties/where.ts';
import type { LinkGraph, NoteEntry, NoteSearcher, SearchOptions } from '../searcher.ts';
import { isTagOrBelow, normalizeTag, tagKey } from '../tags.ts';
import { isTrashed } from './trash.ts';

interface NoteQuery {
  readonly where: unknown;
  readonly isWanted: (path: NotePath) => boolean;
  /** All of them. */
  readonly tags: readonly string[];
  /** Fields, the most important first; `-` before one for the other way round. */
  readonly sort: readonly string[];
  readonly columns?: readonly string[];
  readonly now: number;
}

export interface QueryResult {
  readonly notes: readonly NoteEntry[];
  /** The fields that were asked for, or else those that the conditions and the order name. */
  readonly columns: readonly string[];
  /** The value of a field, shortened. */
  valueOf(note: NoteEntry, field: string): unknown;
}

export async function queryNotes(
  searcher: NoteSearcher,
  query: NoteQuery,
  furtherFields: readonly string[],
  asking: SearchOptions,
): Promise<QueryResult> {
  const { condition, fields } = parseWhere(query.where, query.now);
  const sorts = query.sort.map(sortOf);
  for (const name of query.columns ?? []) assertField('columns', name);
  const named = [...new Set([...fields, ...sorts.map(({ field }) => field)])];
  const columns = query.columns ?? named.filter((name) => name !== 'file.path');
  const all = await searcher.notes(asking);
  const used = [...named, ...columns, ...furtherFields];
  const graph = used.some(needsLinks) ? await searcher.links(asking) : undefined;
  for (const name of new Set(used)) {
    const warning = unknownProperty(all, name);
    if (warning !== undefined) asking.onWarning?.(warning);
  }
  const tags = query.tags.map((tag) => tagKey(normalizeTag(tag)));
  const notes = all.filter(
    (note) =>
      query.isWanted(note.path) && !isTrashed(note.path) && hasTags(note, tags) && condition(note, graph),
  );
  const readers = new Map([...new Set(used)].map((name) => [name, createFieldReader(name)]));
  return {
    notes: sorted(notes, sorts, graph),
    columns,
    valueOf: (note, field) => shortened(readers.get(field)?.(note, graph)),
  };
}

interface Sort {
  readonly field: string;
  readonly direction: 1 | -1;
}

function sortOf(given: string): Sort {
  const isReversed = given.startsWith('-');
  const field = isReversed ? given.slice(1) : given;
  assertField('sort', field);
  return { field, direction: isReversed ? -1 : 1 };
}

/** `parameter` is the one that names the field. */
export function assertField(parameter: string, name: string): void {
  const problem = name.trim() === '' ? 'names no property' : fieldProblem(name);
  if (problem !== undefined)
    throw new AppError('invalid_input', `${parameter}: "${name.slice(0, 60)}" ${problem}`);
}

function hasTags(note: NoteEntry, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const own = tagsOf(note).map(tagKey);
  return wanted.every((tag) => own.some((key) => isTagOrBelow(key, tag)));
}

/** Notes without a value come last, whichever way round. */
function sorted(
  notes: readonly NoteEntry[],
  sorts: readonly Sort[],
  graph: LinkGraph | undefined,
): NoteEntry[] {
  if (sorts.length === 0) return [...notes];
  const readers = sorts.map(({ field }) => createOrderReader(field));
  const keyed = notes.map((note) => ({ note, keys: readers.map((read) => orderKeyOf(read(note, graph))) }));
  keyed.sort((a, b) => {
    // Without an iterator: very many pairs are compared.
    for (let at = 0; at < sorts.length; at++) {
      const first = a.keys[at]!;
      const second = b.keys[at]!;
      const order = compareKeys(first, second);
      if (order !== 0) return first.isMissing || second.isMissing ? order : order * sorts[at]!.direction;
    }
    // The notes come in path order, and equal ones stay in it.
    return 0;
  });
  return keyed.map(({ note }) => note);
}

const LONGEST_VALUE = 300;

function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= LONGEST_VALUE ? value : `${value.slice(0, LONGEST_VALUE).toWellFormed()}…`;
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const json = JSON.stringify(value);
  return json.length <= LONGEST_VALUE ? value : `${json.slice(0, LONGEST_VALUE).toWellFormed()}…`;
}

export interface Group {
  /** Absent for the notes without a value. */
  readonly value?: unknown;
  readonly notes: number;
}

/** How many notes have each value, the most first; one with a list of values counts for each. */
export function groupNotes(result: QueryResult, field: string): Group[] {
  const groups = new Map<string, { value?: unknown; notes: number }>();
  for (const note of result.notes) {
    const value = result.valueOf(note, field);
    const values =
      Array.isArray(value) && value.length > 0 ? value : [Array.isArray(value) ? undefined : value];
    const own =
      values.length === 1
        ? [[keyOf(values[0]), values[0]] as const]
        : new Map(values.map((one) => [keyOf(one), one]));
    for (const [key, one] of own) {
      const group = groups.get(key) ?? { value: one, notes: 0 };
      group.notes++;
      groups.set(key, group);
    }
  }
  return [...groups.values()].sort((a, b) => b.notes - a.notes || orderOf(a.value, b.value));
}

function keyOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : `=${textOf(value)}`;
}
