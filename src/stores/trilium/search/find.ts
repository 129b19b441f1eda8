/**
 * Searches a Trilium: validated before it is sent, fetched completely, ordered and cut here, relaxed when nothing
 * was found, with notes on what Trilium guessed. No limit is sent, because Trilium cuts before it ranks.
 */
import type { TriliumClient } from '../client.ts';
import { isSystemId, type SearchAnswer, type TriliumNote } from '../wire/entities.ts';
import { ifFound } from '../wire/errors.ts';
import { anyOf, atDepth, inOrder, orderKey, type PreparedQuery, prepareQuery } from './prepare.ts';

interface RankedNotes {
  readonly note: TriliumNote;
  readonly score: number;
  readonly matched: number;
}

/** Ranks the hits of a relaxed search by the number of query words they hold, with title matches first. */
export function ranked(notes: readonly TriliumNote[], terms: readonly string[]): TriliumNote[] {
  const words = terms.map(fold);
  return notes
    .map((note) => rate(note, words))
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.matched - a.matched ||
        a.note.title.length - b.note.title.length ||
        compare(b.note.utcDateModified, a.note.utcDateModified) ||
        compare(a.note.noteId, b.note.noteId),
    )
    .map(({ note }) => note);
}

function rate(note: TriliumNote, words: readonly string[]): RankedNotes {
  const title = fold(note.title);
  const attributes = fold(attributeText(note));
  const inTitle = words.filter((word) => title.includes(word));
  const matched = words.filter((word) => title.includes(word) || attributes.includes(word));
  const score =
    inTitle.length * 10 +
    words.filter((word) => attributes.includes(word)).length * 4 +
    (inTitle.length === words.length ? 15 : 0) +
    (matched.length / words.length) * 20 +
    (words.some((word) => title.startsWith(word)) ? 3 : 0) +
    (title === words.join(' ') ? 5 : 0);
  return { note, score, matched: matched.length };
}

/** Number of notes that hold each word in a visible field. */
function countByTerm(notes: readonly TriliumNote[], terms: readonly string[]): Record<string, number> {
  const texts = notes.map((note) => fold(`${note.title} ${attributeText(note)}`));
  return Object.fromEntries(
    terms.map((term) => [term, texts.filter((text) => text.includes(fold(term))).length]),
  );
}

function attributeText({ attributes }: TriliumNote): string {
  return attributes.map(({ name, value, type }) => (type === 'label' ? `${name} ${value}` : name)).join(' ');
}

export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export interface SearchInput {
  readonly query: string;
  /** Searches titles and attributes only. */
  readonly fastSearch?: boolean | undefined;
  readonly includeArchivedNotes?: boolean | undefined;
  readonly ancestorNoteId?: string | undefined;
  readonly ancestorDepth?: string | undefined;
  readonly orderBy?: string | undefined;
  readonly orderDirection?: 'asc' | 'desc' | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly debug?: boolean | undefined;
  /** Whether a search without results is relaxed. */
  readonly fuzzy?: 'auto' | 'off' | 'force' | undefined;
}

interface SearchOutcome {
  readonly results: readonly TriliumNote[];
  /** Number of all hits. */
  readonly total: number;
  readonly offset: number;
  /** Offset of the next page. */
  readonly nextOffset?: number;
  readonly searchMode: 'id' | 'exact' | 'fuzzy';
  readonly fuzzyTerms?: readonly string[];
  /** Number of notes that hold each word in their title or attributes. */
  readonly termsMatchedInTitleOrAttributes?: Readonly<Record<string, number>>;
  /** Remarks on the reliability of the results. */
  readonly notes: readonly string[];
  readonly debugInfo?: unknown;
}

type Client = Pick<TriliumClient, 'notes' | 'search'>;
type SearchHits = Pick<SearchAnswer, 'results' | 'debugInfo'>;

const DEFAULT_LIMIT = 50;

export async function searchNotes(client: Client, input: SearchInput): Promise<SearchOutcome> {
  const isFast = input.fastSearch ?? false;
  const prepared = prepareQuery(input.query, { isFast });
  const key = orderKey(input.orderBy);
  const page = (notes: readonly TriliumNote[]) =>
    cut(key ? inOrder(notes, key, input.orderDirection ?? 'asc') : notes, input);

  const { noteId } = prepared;
  const byId = noteId === undefined ? undefined : await ifFound(client.notes.get(noteId));
  if (byId) return { ...page([byId]), searchMode: 'id', notes: [] };

  const isForced = input.fuzzy === 'force' && prepared.terms.length > 0;
  if (!isForced) {
    const found = await ask(client, prepared.query, prepared.shape.hasOrder, input);
    const isMissed = found.results.length === 0 && input.fuzzy !== 'off' && prepared.terms.length >= 2;
    if (!isMissed) {
      if (found.results.length === 0) await assertAncestor(client, input);
      const notes = remarks(prepared, found, input);
      return { ...page(found.results), ...debugOf(found), searchMode: 'exact', notes };
    }
  }
  const { terms } = prepared;
  const found = await ask(client, anyOf(terms, isFast), false, input);
  if (found.results.length === 0) await assertAncestor(client, input);
  return {
    ...page(key ? found.results : ranked(found.results, terms)),
    ...debugOf(found),
    searchMode: 'fuzzy',
    fuzzyTerms: terms,
    termsMatchedInTitleOrAttributes: countByTerm(found.results, terms),
    notes: [
      `${isForced ? 'As asked, any' : 'No note holds all of these words; any'} of them counts here, best matches first.`,
    ],
  };
}

async function ask(
  client: Client,
  query: string,
  hasOrder: boolean,
  { fastSearch, includeArchivedNotes, ancestorNoteId, ancestorDepth, debug }: SearchInput,
): Promise<SearchHits & { readonly all: readonly TriliumNote[] }> {
  const { results: answered, debugInfo } = await client.search({
    search: query,
    fastSearch,
    includeArchivedNotes,
    ancestorNoteId,
    ancestorDepth,
    debug,
    // Only with this setting does Trilium respect an order inside the query.
    orderBy: hasOrder ? 'relevancy' : undefined,
  });
  const isBelowRoot = ancestorNoteId === 'root' && ancestorDepth !== undefined;
  const results = isBelowRoot ? await atDepth(client, answered, ancestorDepth) : answered;
  const isAmongSystem = ancestorNoteId !== undefined && isSystemId(ancestorNoteId);
  return {
    all: results,
    results: isAmongSystem ? results : results.filter(({ noteId }) => !isSystemId(noteId)),
    debugInfo,
  };
}

/** Trilium returns no results, and no error, for an ancestor that does not exist. */
async function assertAncestor({ notes }: Client, { ancestorNoteId }: SearchInput): Promise<void> {
  if (ancestorNoteId !== undefined) await notes.get(ancestorNoteId);
}

function remarks(
  { terms, shape, noteId }: PreparedQuery,
  { results, all }: SearchHits & { readonly all: readonly TriliumNote[] },
  { fuzzy }: SearchInput,
): string[] {
  const isEverything = ['root', '_hidden'].every((id) => all.some((note) => note.noteId === id));
  const isUnseen =
    terms.length > 0 && results.length > 0 && !results.slice(0, 5).some((note) => shows(note, terms));
  return [
    ...(isEverything && shape.isStructured
      ? [
          'The root of the tree is among the results: this matches nearly every note. Trilium answers so too when it cannot read a condition.',
        ]
      : []),
    ...(isUnseen
      ? [
          `No title or attribute of the first results shows ${terms.join(', ')}: the words stand in the text, or Trilium guessed at a spelling.`,
        ]
      : []),
    ...(fuzzy === 'force' && terms.length === 0
      ? ['The query uses search syntax, so it was searched for exactly.']
      : []),
    ...(noteId !== undefined ? [`There is no note with the id ${noteId}; it was searched for as text.`] : []),
  ];
}

function shows(note: TriliumNote, terms: readonly string[]): boolean {
  const text = fold([note.title, ...note.attributes.map(({ name, value }) => `${name} ${value}`)].join(' '));
  return terms.some((term) => text.includes(fold(term)));
}

function cut(
  notes: readonly TriliumNote[],
  { limit = DEFAULT_LIMIT, offset = 0 }: SearchInput,
): Pick<SearchOutcome, 'results' | 'total' | 'offset' | 'nextOffset'> {
  const end = offset + limit;
  return {
    results: notes.slice(offset, end),
    total: notes.length,
    offset,
    nextOffset: end < notes.length ? end : undefined,
  };
}

function debugOf({ debugInfo }: SearchHits): Pick<SearchHits, 'debugInfo'> {
  return debugInfo === undefined ? {} : { debugInfo };
}
