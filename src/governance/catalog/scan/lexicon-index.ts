/** The lexicon, as it is looked up: entries by their first word. */
import { memoize } from '../../../shared/memoize.ts';
import { type Concept, FUNCTION_WORDS, lexiconEntries } from './lexicon.ts';
import type { Language } from './lexicon-orders.ts';
import { foldText } from './reading.ts';

export interface Word {
  readonly text: string;
  readonly isStem: boolean;
}

export interface Entry {
  readonly concept: Concept;
  readonly language: Language;
  /** The words after the first. */
  readonly rest: readonly Word[];
}

type Entries = Map<string, Entry[]>;

/** The entries of a first word: those of it alone, and phrases, by their second word where that is a whole one. */
export interface Group {
  readonly alone: Entry[];
  before?: Entries;
  beforeStem?: Entry[];
}

type Groups = Map<string, Group>;

interface Lexicon {
  /** Entries by their first word, which is a whole word or a stem. */
  readonly whole: Groups;
  readonly stems: Groups;
  /** The lengths of the stems that begin with two letters. */
  readonly stemLengths: Map<string, number[]>;
  /** Entries of languages without spaces, and of the others without their spaces: found at any place of a run. */
  readonly unspaced: Entries;
  readonly squeezed: Entries;
  readonly functionWords: ReadonlyMap<string, readonly Language[]>;
}

const UNSPACED_LANGUAGES: ReadonlySet<Language> = new Set(['zh', 'ja']);
/** Stems are told apart by so many letters first. */
export const MIN_STEM = 2;
const MIN_SQUEEZED = 4;

/** Made for the first text, in steps: most commands scan none, and it has tens of thousands of entries. */
const making = memoize(() => {
  const lexicon = {
    whole: new Map(),
    stems: new Map(),
    stemLengths: new Map(),
    unspaced: new Map(),
    squeezed: new Map(),
    functionWords: new Map<string, Language[]>(),
  };
  return { lexicon, steps: makeLexicon(lexicon) };
});

function* makeLexicon(made: Lexicon & { functionWords: Map<string, Language[]> }) {
  for (const [concept, language, source] of lexiconEntries()) {
    for (const one of wordsOf(source)) addEntry(made, { concept, language }, one);
    yield;
  }
  for (const [language, source] of Object.entries(FUNCTION_WORDS)) {
    for (const word of wordsOf(source))
      made.functionWords.set(word, [...(made.functionWords.get(word) ?? []), language as Language]);
    yield;
  }
}

/** Makes the lexicon, unless it is made. */
export function* lexiconSteps(): Generator<undefined, void, unknown> {
  const { steps } = making();
  while (!steps.next().done) yield;
}

export function lexicon(): Lexicon {
  const { lexicon: made, steps } = making();
  while (!steps.next().done);
  return made;
}

function addTo(map: Entries, key: string, entry: Entry): void {
  const entries = map.get(key);
  if (entries) entries.push(entry);
  else map.set(key, [entry]);
}

function addToGroup(map: Groups, key: string, entry: Entry): void {
  let group = map.get(key);
  if (!group) {
    group = { alone: [] };
    map.set(key, group);
  }
  const [second] = entry.rest;
  if (!second) group.alone.push(entry);
  else if (second.isStem) {
    group.beforeStem ??= [];
    group.beforeStem.push(entry);
  } else {
    group.before ??= new Map();
    addTo(group.before, second.text, entry);
  }
}

/** Folded all at once: one by one, tens of thousands take a good part of a second. */
function wordsOf(source: string): string[] {
  return foldText(source, { isOwnScript: true })
    .replace(/['-]/g, ' ')
    .replace(/(^|[ ,])ال(?=\p{Script=Arabic}{3})/gu, '$1')
    .split(',')
    .map((word) => word.trim());
}

const NO_WORDS: readonly Word[] = [];

function wordOf(text: string): Word {
  return text.endsWith('*') ? { text: text.slice(0, -1), isStem: true } : { text, isStem: false };
}

function addEntry(
  { whole, stems, stemLengths, unspaced, squeezed }: Omit<Lexicon, 'functionWords'>,
  { concept, language }: Pick<Entry, 'concept' | 'language'>,
  source: string,
): void {
  const [head = '', ...others] = source.split(' ');
  const first = wordOf(head);
  if (first.text === '') return;
  const rest = others.length === 0 ? NO_WORDS : others.map(wordOf);
  const entry: Entry = { concept, language, rest };
  if (UNSPACED_LANGUAGES.has(language)) {
    addTo(unspaced, first.text, entry);
    return;
  }
  addToGroup(first.isStem ? stems : whole, first.text, entry);
  if (first.isStem) {
    const start = first.text.slice(0, MIN_STEM);
    const lengths = stemLengths.get(start);
    if (!lengths) stemLengths.set(start, [first.text.length]);
    else if (!lengths.includes(first.text.length)) lengths.push(first.text.length);
  }
  const joined = rest.reduce((all, { text }) => all + text, first.text);
  if (joined.length >= MIN_SQUEEZED)
    addTo(squeezed, joined, rest.length === 0 ? entry : { concept, language, rest: NO_WORDS });
}
