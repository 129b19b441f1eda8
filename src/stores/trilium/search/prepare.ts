/**
 * Translates user queries to Trilium's syntax: `id:…`, `title:…`, and `a or b`, which Trilium would read as three
 * words.
 */
import { AppError } from '../../../shared/errors.ts';
import { memoize } from '../../../shared/memoize.ts';
import type { TriliumClient } from '../client.ts';
import { EVERY_NOTE } from '../tree.ts';
import { isId, type TriliumNote } from '../wire/entities.ts';
import {
  checkQuery,
  type Expression,
  isKeyword,
  isStructural,
  type QueryShape,
  type QueryToken,
  quoted,
  tokensOf,
} from './validate.ts';

export interface PreparedQuery {
  /** The query as sent. */
  readonly query: string;
  readonly shape: QueryShape;
  /** A note id to look up first. */
  readonly noteId?: string;
  /** Plain words, for a relaxed search; empty if the query has structure. */
  readonly terms: readonly string[];
}

const MAX_QUERY = 4_000;
const MAX_TERMS = 8;

export function prepareQuery(
  raw: string,
  { isFast = false }: { readonly isFast?: boolean } = {},
): PreparedQuery {
  const text = raw.trim();
  if (text === '' || text.length > MAX_QUERY)
    throw new AppError('invalid_input', text === '' ? 'The query is empty' : 'The query is too long', {
      hint: `Give between 1 and ${MAX_QUERY} characters.`,
    });
  const byId = /^id:\s*(\S+)$/i.exec(text)?.[1];
  if (byId !== undefined && isId(byId)) return { ...checked(quoted(byId)), noteId: byId, terms: [] };
  const byTitle = /^title:\s*(.+)$/is.exec(text)?.[1];
  if (byTitle !== undefined)
    return { ...checked(`note.title *=* ${quoted(unquoted(byTitle.trim()))}`), terms: [] };
  const either = eitherQuery(text, isFast);
  if (either !== undefined) return { ...checked(either), terms: [] };
  const prepared = { ...checked(text), terms: termsOf(text) };
  return /^(?=.*\d)[A-Za-z0-9]{12}$/.test(text) ? { ...prepared, noteId: text } : prepared;
}

function checked(query: string): { readonly query: string; readonly shape: QueryShape } {
  const shape = checkQuery(query);
  return { query: spelled(shape), shape };
}

/**
 * The query as Trilium reads it. Trilium takes a query that begins with a bracket or `not` for plain words unless a bare
 * `#` precedes it, gives up on AND beside OR or `not` without brackets (and then returns every note), and ends the words
 * at any `#` or `~`, even inside one.
 */
function spelled({ expression, ending, lead, structure }: QueryShape): string {
  if (!expression) return quotedWords(lead);
  const body = isPlain(expression, structure)
    ? structure
    : [marked(written(expression)), ending].join(' ').trim();
  return `${quotedWords(lead)} ${body}`.trim();
}

/** Whether the expression is a pure conjunction or disjunction without brackets. */
function isPlain(expression: Expression, text: string): boolean {
  const isFlat =
    expression.kind === 'condition' ||
    (expression.kind !== 'not' && expression.parts.every(({ kind }) => kind === 'condition'));
  return isFlat && isStructural(tokensOf(text)[0] as QueryToken) && !tokensOf(text).some(isBracket);
}

const isBracket = ({ kind }: QueryToken): boolean => kind === 'open' || kind === 'close';

function marked(expression: string): string {
  return /^(?:[#~]|note\.)/i.test(expression) ? expression : `# ${expression}`;
}

function quotedWords(text: string): string {
  let spelledOut = '';
  let from = 0;
  for (const { kind, text: word, start, end } of tokensOf(text)) {
    if (kind !== 'word' || !/[#~\\]/.test(word)) continue;
    spelledOut += text.slice(from, start) + quoted(word);
    from = end;
  }
  return spelledOut + text.slice(from);
}

function written(expression: Expression): string {
  switch (expression.kind) {
    case 'condition':
      return expression.text;
    case 'not':
      return `not(${written(expression.part)})`;
    default: {
      const parts = expression.parts.map((part) =>
        part.kind === 'and' || part.kind === 'or' ? `(${written(part)})` : written(part),
      );
      return parts.join(expression.kind === 'or' ? ' OR ' : ' AND ');
    }
  }
}

function unquoted(text: string): string {
  return /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text;
}

/** Matches title or content; only the title for a fast search. */
function holding(term: string, isFast: boolean): string {
  const value = quoted(term);
  return isFast ? `note.title *=* ${value}` : `(note.title *=* ${value} OR note.content *=* ${value})`;
}

/** Any of the words, in any field. */
export function anyOf(terms: readonly string[], isFast: boolean): string {
  return checked(terms.map((term) => holding(term, isFast)).join(' OR ')).query;
}

/** Undefined when the query is no such disjunction. Structured parts are kept. */
function eitherQuery(text: string, isFast: boolean): string | undefined {
  const tokens = tokensOf(text);
  const segments = splitAt(tokens, (token) => isKeyword(token, 'or'));
  const isOdd = tokens.some(
    ({ kind, text: word }) => kind === 'open' || kind === 'close' || /^orderby$/i.test(word),
  );
  if (segments.length < 2 || isOdd || segments.some((segment) => segment.length === 0)) return undefined;
  const isText = (segment: readonly QueryToken[]) =>
    segment.every(({ kind }) => kind === 'word' || kind === 'quoted');
  const isPure = segments.every((segment) => isText(segment) || isStructural(segment[0] as QueryToken));
  if (!isPure || !segments.some(isText)) return undefined;
  return segments
    .map((segment) => {
      if (!isText(segment)) return text.slice(segment[0]?.start, segment.at(-1)?.end);
      const arms = segment.map((token) => holding(token.text, isFast));
      return arms.length === 1 ? arms[0] : `(${arms.join(' AND ')})`;
    })
    .join(' OR ');
}

function splitAt<T>(items: readonly T[], isBorder: (item: T) => boolean): T[][] {
  const parts: T[][] = [[]];
  for (const item of items) {
    if (isBorder(item)) parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts;
}

/** Empty if the query has structure. Single letters are dropped, except in scripts where a letter is a word. */
function termsOf(text: string): string[] {
  const tokens = tokensOf(text);
  if (!tokens.every(({ kind }) => kind === 'word' || kind === 'quoted')) return [];
  if (/[#~()=<>*]/.test(text)) return [];
  const terms = tokens
    .map((token) => token.text.trim())
    .filter((term) => term !== '' && !/^[\x00-\x7f]$/.test(term));
  return [...new Set(terms)].slice(0, MAX_TERMS);
}

type Key = (note: TriliumNote) => string | number | undefined;

const KEYS: Readonly<Record<string, Key>> = {
  title: ({ title }) => title,
  noteid: ({ noteId }) => noteId,
  type: ({ type }) => type,
  mime: ({ mime }) => mime,
  // Local times of different zones are not comparable; UTC times are.
  datecreated: ({ utcDateCreated }) => utcDateCreated,
  datemodified: ({ utcDateModified }) => utcDateModified,
  utcdatecreated: ({ utcDateCreated }) => utcDateCreated,
  utcdatemodified: ({ utcDateModified }) => utcDateModified,
  childrencount: ({ childNoteIds }) => childNoteIds.length,
  parentcount: ({ parentNoteIds }) => parentNoteIds.length,
};
const NAMES =
  'relevancy, title, dateCreated, dateModified, type, mime, noteId, childrenCount, parentCount or #label';
/** Created on first use, because it takes 18 ms. */
const collator = memoize(() => new Intl.Collator('en', { numeric: true, sensitivity: 'base' }));

/** Undefined keeps Trilium's order. */
export function orderKey(orderBy: string | undefined): Key | undefined {
  const name = orderBy
    ?.trim()
    .replace(/^note\./i, '')
    .toLowerCase();
  if (name === undefined || name === 'relevancy' || name === 'relevance') return undefined;
  const label = /^#([\p{L}\p{N}_:-]+)$/u.exec(name)?.[1];
  if (label !== undefined)
    return ({ attributes }) =>
      attributes.find((one) => one.type === 'label' && one.name.toLowerCase() === label)?.value;
  const key = KEYS[name];
  if (!key)
    throw new AppError('invalid_input', 'Cannot order by that', {
      subject: orderBy?.slice(0, 60) ?? '',
      hint: `Use ${NAMES}.`,
    });
  return key;
}

/**
 * Orders results here, because Trilium sorts in one direction only, and reads "roadmap 95" as a year. A stable
 * sort; notes without a value come last in either direction.
 */
export function inOrder(notes: readonly TriliumNote[], key: Key, direction: 'asc' | 'desc'): TriliumNote[] {
  const sign = direction === 'asc' ? 1 : -1;
  return [...notes].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return (
      sign *
      (typeof x === 'number' && typeof y === 'number' ? x - y : collator().compare(String(x), String(y)))
    );
  });
}

/** The shortest depth of every note that is reachable from the root. */
async function depthsBelowRoot({
  search,
}: Pick<TriliumClient, 'search'>): Promise<ReadonlyMap<string, number>> {
  const { results } = await search({ search: EVERY_NOTE, fastSearch: true, includeArchivedNotes: true });
  const below = new Map<string, string[]>();
  for (const { noteId, parentNoteIds } of results)
    for (const parent of parentNoteIds) below.set(parent, [...(below.get(parent) ?? []), noteId]);
  const depths = new Map([['root', 0]]);
  for (const [noteId, depth] of depths)
    for (const child of below.get(noteId) ?? []) if (!depths.has(child)) depths.set(child, depth + 1);
  return depths;
}

/** Notes whose depth below the root matches `eq1`, `lt3` or `gt2`; Trilium ignores a depth filter at the root. */
export async function atDepth(
  client: Pick<TriliumClient, 'search'>,
  notes: readonly TriliumNote[],
  wanted: string,
): Promise<TriliumNote[]> {
  const [, kind, digits] = /^(eq|lt|gt)(\d+)$/.exec(wanted) ?? [];
  const number = Number(digits);
  if (kind === 'eq' && number === 1)
    return notes.filter(({ parentNoteIds }) => parentNoteIds.includes('root'));
  const depths = await depthsBelowRoot(client);
  return notes.filter(({ noteId }) => {
    const depth = depths.get(noteId);
    if (depth === undefined) return false;
    return kind === 'eq' ? depth === number : kind === 'lt' ? depth < number : depth > number;
  });
}
