/** Whom an intent names, by all names that the notes have for them. */
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { stemOf } from '../../notes/path.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import { contentWords } from '../../notes/text/analyzer.ts';
import {
  type KnownPerson,
  namesOfPerson,
  personCalled,
  personOfNote,
} from '../extract/meetings/namesakes.ts';
import { foldName } from '../extract/meetings/people.ts';
import { readIfText } from '../retrieve/library.ts';
import type { Library, Retriever, SearchScope } from '../types.ts';

/** One name of an intent. */
export interface NamedPerson {
  /** As the intent has it. */
  readonly name: string;
  /** All names, that one included; the first one alone where nobody is known by it, or more than one. */
  readonly names: readonly string[];
  /** Whether the notes know somebody by just this name; of others a part of it may be all that is written. */
  readonly isKnown: boolean;
}

interface PeopleParts {
  readonly library: Library;
  readonly retriever: Retriever;
}

const MOST_NAMES = 5;
const MOST_NOTES = 30;

/** The notes that may be of somebody with one of the names: by their own name, or by an alias. */
export async function peopleNotes(
  { library, retriever }: PeopleParts,
  names: readonly string[],
  options?: SearchOptions,
): Promise<KnownPerson[]> {
  if (names.length === 0) return [];
  const scope: SearchScope = {};
  const wanted = names.flatMap((name) => name.toLowerCase().split(' '));
  const paths = new Set<string>();
  for (const { sourcePath } of await library.notes(scope, options)) {
    if (paths.size === MOST_NOTES) break;
    const words = stemOf(sourcePath)
      .toLowerCase()
      .split(/[\s._-]+/);
    if (wanted.some((word) => words.includes(word))) paths.add(sourcePath);
  }
  for (const query of names.slice(0, MOST_NAMES)) {
    const request = { query, limit: MOST_NOTES, mode: 'keyword', scope, withFrontmatter: true } as const;
    const { passages } = await retriever.retrieve(request, options);
    for (const { passage } of passages) paths.add(passage.sourcePath);
  }
  const people: KnownPerson[] = [];
  for (const path of paths) {
    const note = await readIfText(library, path, options);
    const person = note && personOfNote(path, (await parseFrontmatter(note.text)).data);
    if (person) people.push(person);
  }
  return people;
}

/** `owners` are those of open loops: who is named in full there is somebody too. */
export function namedPeople(
  names: readonly string[],
  notes: readonly KnownPerson[],
  owners: readonly string[],
): NamedPerson[] {
  const called = [...new Set(owners.flatMap((owner) => owner.split(', ')))].filter((one) =>
    one.includes(' '),
  );
  const people = [...notes, ...called.map(personCalled)];
  const known = new Set(people.flatMap(({ name, aliases }) => [name, ...aliases]).map(foldName));
  return names.map((name) => ({
    name,
    names: namesOfPerson(name, people),
    isKnown: known.has(foldName(name)),
  }));
}

/** Whether a text with these content words is about the person. */
export function isAbout({ name, names, isKnown }: NamedPerson, words: ReadonlySet<string>): boolean {
  if (!isKnown && contentWords(name).some((word) => words.has(word))) return true;
  return names.map(contentWords).some((own) => own.length > 0 && own.every((word) => words.has(word)));
}
