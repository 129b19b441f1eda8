/** Fields of a note by name: its frontmatter, and what Obsidian's Bases call `file.…`. */
import { nearest } from '../../shared/nearest.ts';
import { isRecord } from '../../shared/records.ts';
import { extensionOf, nameOf, parentOf, stemOf } from '../path.ts';
import type { LinkGraph, NoteEntry } from '../searcher.ts';
import { tagKey } from '../tags.ts';

/** The fields that begin with `file.`. */
const FILE_FIELDS: Readonly<Record<string, (note: NoteEntry, graph: LinkGraph | undefined) => unknown>> = {
  name: ({ path }) => nameOf(path),
  basename: ({ path }) => stemOf(path),
  path: ({ path }) => path,
  folder: ({ path }) => parentOf(path),
  ext: ({ path }) => extensionOf(path).slice(1),
  size: ({ size }) => size,
  mtime: (note) => modifiedAt(note),
  tags: (note) => tagsOf(note),
  links: ({ path }, graph) => distinct(graph?.outgoing(path).flatMap(({ to }) => to ?? []) ?? []),
  backlinks: ({ path }, graph) => distinct(graph?.incoming(path).map(({ from }) => from) ?? []),
};

/** Made once for each note: a query asks for those of all notes. */
const moments = new WeakMap<NoteEntry, string>();

function modifiedAt(note: NoteEntry): string {
  const known = moments.get(note);
  if (known !== undefined) return known;
  const moment = new Date(note.lastModified).toISOString();
  moments.set(note, moment);
  return moment;
}

const FILE = 'file.';
const NOTE = 'note.';

export type FieldReader = (note: NoteEntry, graph?: LinkGraph) => unknown;

/** Why a name is not that of a field, as the end of a sentence; undefined when it is one. */
export function fieldProblem(name: string): string | undefined {
  if (!name.startsWith(FILE) || Object.hasOwn(FILE_FIELDS, name.slice(FILE.length))) return undefined;
  const known = Object.keys(FILE_FIELDS).map((field) => FILE + field);
  return `is no field of a file; there are ${known.join(', ')}`;
}

/** Whether the graph of links is needed to read it. */
export function needsLinks(name: string): boolean {
  return name === 'file.links' || name === 'file.backlinks';
}

/** Undefined for a note without the field, or with nothing in it. `a.b` is the key `b` of the object `a`. */
export function createFieldReader(name: string): FieldReader {
  if (name.startsWith(FILE)) {
    const read = FILE_FIELDS[name.slice(FILE.length)]!;
    return (note, graph) => read(note, graph);
  }
  const key = propertyName(name);
  const steps = key.split('.');
  return ({ frontmatter }) => {
    const direct = propertyOf(frontmatter, key);
    if (direct !== undefined || steps.length === 1) return direct ?? undefined;
    let value: unknown = frontmatter;
    for (const step of steps) value = isRecord(value) ? propertyOf(value, step) : undefined;
    return value ?? undefined;
  };
}

/** For sorting: the same order as by the field, of a value that is quicker to compare. */
export function createOrderReader(name: string): FieldReader {
  return name === 'file.mtime' ? ({ lastModified }) => lastModified : createFieldReader(name);
}

/** The name of a frontmatter key; `note.` tells it from other fields. */
export function propertyName(name: string): string {
  return name.startsWith(NOTE) ? name.slice(NOTE.length) : name;
}

/** In whatever letter case, if none is spelt so. */
export function propertyOf(data: Readonly<Record<string, unknown>>, key: string): unknown {
  if (Object.hasOwn(data, key)) return data[key];
  const wanted = key.toLowerCase();
  for (const own of Object.keys(data)) if (own.toLowerCase() === wanted) return data[own];
  return undefined;
}

export function tagsOf({ frontmatterTags, inlineTags }: NoteEntry): string[] {
  return [...new Map([...frontmatterTags, ...inlineTags].map((tag) => [tagKey(tag), tag])).values()];
}

const propertyNames = new WeakMap<readonly NoteEntry[], ReadonlySet<string>>();

/** A sentence about a property that no note has. */
export function unknownProperty(notes: readonly NoteEntry[], name: string): string | undefined {
  if (name.startsWith(FILE)) return undefined;
  const known =
    propertyNames.get(notes) ?? new Set(notes.flatMap(({ frontmatter }) => Object.keys(frontmatter)));
  propertyNames.set(notes, known);
  const key = propertyName(name);
  const top = key.split('.')[0]!.toLowerCase();
  const isKnown = [...known].some(
    (own) => own.toLowerCase() === key.toLowerCase() || own.toLowerCase() === top,
  );
  if (isKnown) return undefined;
  const near = nearest(key, known);
  return `No note has the property "${key.slice(0, 60)}"${near === undefined ? '.' : `; did you mean "${near}"?`}`;
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
