/** The names by which notes call one person: the title of a note, its aliases, and a first name that nobody else has. */
import { readListKey } from '../../../notes/frontmatter/lists.ts';
import { stemOf } from '../../../notes/path.ts';
import { foldName } from './people.ts';

/** Somebody with a note of their own, or somebody who is only named in full. */
export interface KnownPerson {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The folder of the note. */
  readonly folder?: string;
}

const FULL_NAME = /^\p{Lu}[\p{L}\p{M}.'’-]*(?: \p{L}[\p{L}\p{M}.'’-]*){0,3}$/u;

/** Undefined for a note whose name is none of a person. */
export function personOfNote(
  sourcePath: string,
  data: Readonly<Record<string, unknown>>,
): KnownPerson | undefined {
  const name = stemOf(sourcePath);
  if (!FULL_NAME.test(name)) return undefined;
  const folder = sourcePath.slice(0, sourcePath.lastIndexOf('/') + 1);
  const aliases = ['aliases', 'alias'].flatMap((key) => readListKey({ ...data }, key));
  return { name, aliases: aliases.slice(0, MOST_ALIASES), folder };
}

const MOST_ALIASES = 20;

export function personCalled(name: string): KnownPerson {
  return { name, aliases: [] };
}

/** The names of the one person who is called `wanted`; that alone where nobody or more than one is. */
export function namesOfPerson(wanted: string, known: readonly KnownPerson[]): string[] {
  const people = withoutRepeats(known);
  const called = people.filter((one) => hasName(one, wanted));
  const [person, ...others] = called.length > 0 ? called : people.filter((one) => isFirstOf(one, wanted));
  if (!person || others.length > 0) return [wanted];
  const rivals = people.filter((one) => one !== person && isRival(one, person));
  const isShared = (name: string) => rivals.some((one) => hasName(one, name) || isFirstOf(one, name));
  if (isShared(wanted)) return [wanted];
  const names = [wanted, ...namesOf(person), firstOf(person)];
  const unique = new Map([...names].reverse().map((name) => [foldName(name), name]));
  return [...unique.values()].reverse().filter((name) => !isShared(name));
}

/** Somebody who is only named is nobody else than the one with a note of that name. */
function withoutRepeats(people: readonly KnownPerson[]): readonly KnownPerson[] {
  const notes = people.filter(({ folder }) => folder !== undefined);
  const named = people.filter((one) => one.folder === undefined);
  const names = new Set(notes.flatMap(namesOf).map(foldName));
  return [
    ...new Map(notes.map((one) => [foldName(one.name), one])).values(),
    ...named.filter(({ name }) => !names.has(foldName(name))),
  ];
}

function namesOf({ name, aliases }: KnownPerson): readonly string[] {
  return [name, ...aliases];
}

function hasName(one: KnownPerson, name: string): boolean {
  return namesOf(one).some((own) => foldName(own) === foldName(name));
}

function firstOf({ name }: KnownPerson): string {
  return name.split(' ')[0] ?? '';
}

function isFirstOf(one: KnownPerson, name: string): boolean {
  return one.name.includes(' ') && foldName(firstOf(one)) === foldName(name);
}

/** Other notes than those beside the person's own may be about things. */
function isRival({ folder, aliases }: KnownPerson, person: KnownPerson): boolean {
  return folder === undefined || aliases.length > 0 || folder === person.folder;
}
