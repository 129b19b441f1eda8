/** `GET notes?search=…` with everything that is odd about it. */
import { type Answer, etapiError, type FakeRequest, generic, json } from '../answer.ts';
import type { Database, NoteRow } from '../database.ts';
import type { Trilium } from '../trilium.ts';
import { noteView } from '../views.ts';
import { type LexedQuery, lex } from './lex.ts';
import { ancestorIds, fulfils, holdsWords, isArchived, valuesOf } from './match.ts';
import { type Order, orderPath, type ParsedQuery, parse } from './parse.ts';

/** With fewer than these Trilium begins to guess. */
const ENOUGH = 5;

export function searchNotes({ db }: Trilium, { query }: FakeRequest): Answer {
  const search = query.get('search') ?? '';
  if (search === '')
    throw etapiError(400, 'SEARCH_QUERY_PARAM_MANDATORY', "'search' query parameter is mandatory.");
  const isFast = flagOf(query, 'fastSearch');
  const withArchived = flagOf(query, 'includeArchivedNotes');
  const isDebug = flagOf(query, 'debug');
  const limit = limitOf(query);
  assertDirection(query);
  if (hasCycle(db)) throw generic('Maximum call stack size exceeded');

  const lexed = lex(search);
  const parsed = parse(lexed.structuredExpressionTokens);
  const scope = scopeOf(db, query);
  const candidates = [...db.notes.values()].filter(
    (note) =>
      note.deleteId === undefined &&
      scope(note.noteId) &&
      !isHidden(db, note.noteId) &&
      (withArchived || !isArchived(db, note.noteId)),
  );
  const found = matches(db, candidates, { lexed, parsed, isFast });
  const ordered = orderInQuery(db, found, parsed);
  // Cut first, ranked afterwards: which ones are left is an accident.
  const cut = limit > 0 ? ordered.slice(0, limit) : ordered;
  const results = rank(db, cut, { lexed, parsed, orderBy: query.get('orderBy') });
  return json({
    results: results.map((note) => noteView(db, note)),
    ...(isDebug && { debugInfo: debugInfo(lexed, parsed) }),
  });
}

function flagOf(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? 'false';
  if (text !== 'true' && text !== 'false')
    throw paramError(`Cannot parse boolean '${name}' value '${text}, allowed values are 'true' and 'false'.`);
  return text === 'true';
}

function limitOf(query: URLSearchParams): number {
  const text = query.get('limit') ?? '0';
  if (!/^-?\d+$/.test(text)) throw paramError(`Cannot parse integer 'limit' value '${text}'.`);
  return Number(text);
}

function assertDirection(query: URLSearchParams): void {
  const text = query.get('orderDirection') ?? 'asc';
  if (text !== 'asc' && text !== 'desc')
    throw paramError(`Cannot parse order direction value '${text}, allowed values are 'asc' and 'desc'.`);
}

const paramError = (message: string) => etapiError(400, 'SEARCH_PARAM_VALIDATION_ERROR', message);

/** A note was put below itself. */
function hasCycle(db: Database): boolean {
  const done = new Set<string>();
  const walk = (noteId: string, path: ReadonlySet<string>): boolean => {
    if (path.has(noteId)) return true;
    if (done.has(noteId)) return false;
    const isBad = db.childBranches(noteId).some((branch) => walk(branch.noteId, new Set([...path, noteId])));
    done.add(noteId);
    return isBad;
  };
  return [...db.notes.keys()].some((noteId) => walk(noteId, new Set()));
}

/** The hidden subtree is left out; the note on top of it is not. */
function isHidden(db: Database, noteId: string): boolean {
  return ancestorIds(db, noteId).includes('_hidden');
}

function scopeOf(db: Database, query: URLSearchParams): (noteId: string) => boolean {
  const ancestorNoteId = query.get('ancestorNoteId');
  // Below the root nothing is left out, whatever `ancestorDepth` says: not even the root itself.
  if (ancestorNoteId === null || ancestorNoteId === 'root') return () => true;
  const depths = new Map(db.note(ancestorNoteId) ? [[ancestorNoteId, 0]] : []);
  for (const [noteId, depth] of depths)
    for (const branch of db.childBranches(noteId))
      if (!depths.has(branch.noteId)) depths.set(branch.noteId, depth + 1);
  const [, kind, number] = /^(eq|lt|gt)(\d+)$/.exec(query.get('ancestorDepth') ?? '') ?? [];
  return (noteId) => {
    const depth = depths.get(noteId);
    if (depth === undefined) return false;
    if (kind === 'eq') return depth === Number(number);
    if (kind === 'lt') return depth < Number(number);
    return kind === 'gt' ? depth > Number(number) : true;
  };
}

interface Search {
  readonly lexed: LexedQuery;
  readonly parsed: ParsedQuery;
  readonly isFast: boolean;
}

function matches(db: Database, notes: readonly NoteRow[], { lexed, parsed, isFast }: Search): NoteRow[] {
  const structured = notes.filter((note) => fulfils(db, note, parsed.condition));
  const tokens = lexed.fulltextTokens;
  const exact = structured.filter((note) => holdsWords(db, note, { tokens, isFast, isFuzzy: false }));
  if (tokens.length === 0 || exact.length >= ENOUGH) return exact;
  const guessed = structured.filter(
    (note) => !exact.includes(note) && holdsWords(db, note, { tokens, isFast, isFuzzy: true }),
  );
  return [...exact, ...guessed];
}

function orderInQuery(db: Database, notes: readonly NoteRow[], { order, limit }: ParsedQuery): NoteRow[] {
  const sorted = order.length === 0 ? [...notes] : [...notes].sort((a, b) => compare(db, a, b, order));
  return limit === undefined ? sorted : sorted.slice(0, limit);
}

function compare(db: Database, a: NoteRow, b: NoteRow, order: readonly Order[]): number {
  for (const { path, isDescending } of order) {
    const [x = '', y = ''] = [valuesOf(db, a, path)[0], valuesOf(db, b, path)[0]];
    if (x !== y) return x < y === isDescending ? 1 : -1;
  }
  return 0;
}

interface Ranking {
  readonly lexed: LexedQuery;
  readonly parsed: ParsedQuery;
  readonly orderBy: string | null;
}

/** An order inside the query holds only together with `orderBy=relevancy`. */
function rank(db: Database, notes: readonly NoteRow[], { lexed, parsed, orderBy }: Ranking): NoteRow[] {
  if (orderBy !== null && orderBy !== 'relevancy') return byParameter(db, notes, orderPath(orderBy));
  if (orderBy === 'relevancy' && parsed.order.length > 0) return [...notes];
  const words = lexed.fulltextTokens.map(({ token }) => token);
  const score = ({ title }: NoteRow) =>
    words.reduce((sum, word) => sum + title.toLowerCase().split(word).length - 1, 0);
  return [...notes].sort(
    (a, b) =>
      Number(a.noteId.startsWith('_')) - Number(b.noteId.startsWith('_')) ||
      score(b) - score(a) ||
      depthOf(db, a) - depthOf(db, b) ||
      (a.title < b.title ? -1 : a.title > b.title ? 1 : 0),
  );
}

/** Always descending, and whatever can be read as a date is one. */
function byParameter(db: Database, notes: readonly NoteRow[], path: readonly string[]): NoteRow[] {
  const keyOf = (note: NoteRow): string | number => {
    const value = valuesOf(db, note, path)[0] ?? '';
    const date = Date.parse(value);
    return Number.isNaN(date) ? value : date;
  };
  return [...notes].sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    return x === y ? 0 : x < y ? 1 : -1;
  });
}

function depthOf(db: Database, note: NoteRow): number {
  const above = db.parentBranches(note.noteId).flatMap(({ parentNoteId }) => db.note(parentNoteId) ?? []);
  return above.length === 0 ? 0 : 1 + Math.min(...above.map((parent) => depthOf(db, parent)));
}

/** The names of the real one's classes come out of a minifier. */
function debugInfo(lexed: LexedQuery, { condition }: ParsedQuery): unknown {
  const subExpressions = [
    { name: 'A_t', propertyName: 'isArchived', operator: '=', comparedValue: 'false' },
    { name: 'N_t', subExpression: { name: 'k_t' } },
    ...(condition.kind === 'has'
      ? [
          {
            name: 'c_t',
            attributeType: condition.type,
            attributeName: condition.name,
            isTemplateLabel: false,
            prefixMatch: false,
          },
        ]
      : []),
  ];
  return { ...lexed, expression: { name: 'e', subExpressions } };
}
