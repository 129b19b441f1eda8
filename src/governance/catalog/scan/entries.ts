/** The lexicon by first words, and the entries that a word of a text begins. */
import { memoize } from '../../../shared/memoize.ts';
import { type Concept, FUNCTION_WORDS, LEXICON } from './lexicon.ts';
import type { Language } from './lexicon-orders.ts';
import { foldText } from './reading.ts';

interface Word {
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
  readonly before: Entries;
  readonly beforeStem: Entry[];
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
const MIN_STEM = 2;
export const MAX_UNSPACED = 10;
const MIN_SQUEEZED = 4;
export const MAX_SQUEEZED = 24;

/** Made for the first text: most commands scan none. */
export const lexicon = memoize((): Lexicon => {
  const made = {
    whole: new Map(),
    stems: new Map(),
    stemLengths: new Map(),
    unspaced: new Map(),
    squeezed: new Map(),
  };
  for (const [concept, language, source] of LEXICON)
    for (const one of source.split(',')) addEntry(made, { concept, language }, one);
  const functionWords = new Map<string, Language[]>();
  for (const [language, source] of Object.entries(FUNCTION_WORDS))
    for (const word of source.split(',').map(foldWord))
      functionWords.set(word, [...(functionWords.get(word) ?? []), language as Language]);
  return { ...made, functionWords };
});

function addTo(map: Entries, key: string, entry: Entry): void {
  const entries = map.get(key);
  if (entries) entries.push(entry);
  else map.set(key, [entry]);
}

function addToGroup(map: Groups, key: string, entry: Entry): void {
  const group: Group = map.get(key) ?? { alone: [], before: new Map(), beforeStem: [] };
  map.set(key, group);
  const [second] = entry.rest;
  if (!second) group.alone.push(entry);
  else if (second.isStem) group.beforeStem.push(entry);
  else addTo(group.before, second.text, entry);
}

const foldWord = (word: string) =>
  foldText(word, { isOwnScript: true })
    .replace(/['-]/g, ' ')
    .replace(/(^| )ال(?=\p{Script=Arabic}{3})/gu, '$1')
    .trim();

function addEntry(
  { whole, stems, stemLengths, unspaced, squeezed }: Omit<Lexicon, 'functionWords'>,
  of: Pick<Entry, 'concept' | 'language'>,
  source: string,
): void {
  const words = foldWord(source)
    .split(' ')
    .map((word) => ({ text: word.replace('*', ''), isStem: word.endsWith('*') }));
  const [first, ...rest] = words;
  if (!first || first.text === '') return;
  const entry: Entry = { ...of, rest };
  if (UNSPACED_LANGUAGES.has(of.language)) {
    addTo(unspaced, first.text, entry);
    return;
  }
  addToGroup(first.isStem ? stems : whole, first.text, entry);
  if (first.isStem) {
    const lengths = stemLengths.get(first.text.slice(0, MIN_STEM)) ?? [];
    stemLengths.set(first.text.slice(0, MIN_STEM), [...new Set([...lengths, first.text.length])]);
  }
  const joined = words.map(({ text }) => text).join('');
  if (joined.length >= MIN_SQUEEZED) addTo(squeezed, joined, { ...entry, rest: [] });
}

/** The phrases whose second word the next one may be. */
export function phrasesOf(groups: readonly Group[], next: string | undefined): Entry[] {
  const found: Entry[] = [];
  if (next === undefined) return found;
  const forms = formsOf(next);
  for (const { before, beforeStem } of groups) {
    for (const form of forms) found.push(...(before.get(form) ?? []));
    found.push(...beforeStem);
  }
  return found;
}

export function groupsOf(word: string): Group[] {
  const { whole, stems, stemLengths } = lexicon();
  const found: Group[] = [];
  const add = (group: Group | undefined) => void (group && found.push(group));
  for (const form of formsOf(word)) {
    add(whole.get(form));
    for (const length of stemLengths.get(form.slice(0, MIN_STEM)) ?? [])
      if (length <= form.length) add(stems.get(form.slice(0, length)));
  }
  return found;
}

export function isWord(word: string | undefined, { text, isStem }: Word): boolean {
  return word !== undefined && formsOf(word).some((form) => (isStem ? form.startsWith(text) : form === text));
}

const ARABIC = /^\p{Script=Arabic}/u;
/** The last parts of German compounds. */
const HEAD =
  /.{3}(schlussel|passwort|passworter|kennwort|kennworter|token|anweisung|anweisungen|vorgabe|vorgaben|regel|regeln|richtlinie|richtlinien|nachricht|nachrichten|verlauf|filter|datei|dateien|werkzeug|werkzeuge|empfanger|dialog|abfrage|abfragen|freigabe|bestatigung|protokoll|daten)$/;

/** An Arabic word also without what is written with it: conjunction, preposition, article; a German one by its last part. */
function formsOf(word: string): readonly string[] {
  if (!ARABIC.test(word)) {
    const head = word.length > 8 ? HEAD.exec(word)?.[1] : undefined;
    return head === undefined ? [word] : [word, head];
  }
  const bare = word.replace(/^[وف](?=.{3})/u, '');
  return [...new Set([word, bare, bare.replace(/^(?:[بك]?ال|لل|[بلكس])(?=.{2})/u, '')])];
}
