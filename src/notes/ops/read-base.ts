/** Answers a view of one of Obsidian's Bases. Only notes are looked at, from memory; other files are not indexed. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { type Base, type BaseView, type Filter, parseBase } from '../bases/base-file.ts';
import { evaluate, type World } from '../bases/evaluate.ts';
import { type Expression, ExpressionProblem } from '../bases/expression.ts';
import { asksForLinks } from '../bases/inspect.ts';
import { compare, isTruthy } from '../bases/methods.ts';
import { toJson, toText, typeOf } from '../bases/values.ts';
import { createLinkResolver, type LinkResolver } from '../links/resolve.ts';
import { extensionOf, type NotePath, parseNotePath } from '../path.ts';
import type { NoteEntry, SearchOptions } from '../searcher.ts';
import type { Notebook } from '../store.ts';
import { textOf } from '../text/text.ts';
import { findFile } from './file-listing.ts';
import { findNote } from './find-note.ts';
import { suggestingWhenMissing } from './read-note.ts';
import { isTrashed } from './trash.ts';

export interface BaseRow {
  readonly path: NotePath;
  readonly values: Readonly<Record<string, unknown>>;
  /** Where the view groups its rows. */
  readonly group?: unknown;
}

export interface BaseAnswer {
  readonly path: NotePath;
  readonly views: readonly string[];
  readonly view: BaseView;
  /** Of the properties shown, what they are called. */
  readonly columns: Readonly<Record<string, string>>;
  /** None where a filter is not supported. */
  readonly rows: readonly BaseRow[];
  readonly unsupported: readonly string[];
  /** Of expressions that could not be evaluated for some notes: the first reason of each. */
  readonly problems: readonly string[];
}

const MAX_STEPS = 5_000_000;

export async function readBase(
  notebook: Pick<Notebook, 'notes' | 'files' | 'searcher'>,
  given: { readonly path: string; readonly view?: string; readonly now: number },
  asking: SearchOptions,
): Promise<BaseAnswer> {
  const { path, source } = await sourceOf(notebook, given.path, asking);
  const base = await parseBase(source, path);
  const view = viewOf(base, given.view);
  const columns = columnsOf(base, view);
  const shown = { path, views: base.views.map(({ name }) => name), view, columns };
  const unsupported = [...new Set([...view.unsupported, ...base.unsupported])];
  if (!view.isAnswerable) return { ...shown, rows: [], unsupported, problems: [] };
  const problems = new Map<string, string>();
  const notes = await notebook.searcher.notes(asking);
  const needsGraph = [
    ...base.formulas.values(),
    ...expressionsIn(view.filter),
    ...view.order.map(propertyExpression),
  ];
  const world: World = {
    now: given.now,
    base: path,
    formulas: base.formulas,
    ...namesOf(notes),
    graph: needsGraph.some(asksForLinks) ? await notebook.searcher.links(asking) : undefined,
    budget: { steps: MAX_STEPS },
  };
  const rows = rowsOf(view, notes, attempts(world, problems));
  return { ...shown, rows, unsupported, problems: [...problems.values()] };
}

async function sourceOf(
  notebook: Pick<Notebook, 'notes' | 'files' | 'searcher'>,
  given: string,
  asking: SearchOptions,
): Promise<{ readonly path: NotePath; readonly source: string }> {
  const { files } = notebook;
  const isBase = (path: string) => extensionOf(path) === '.base';
  const found = await findFile(files, given, isBase).catch((error: unknown) => {
    if (!isAppError(error, 'not_found')) throw error;
    return undefined;
  });
  if (found) return { path: found, source: textOf(await files.read(found)) };
  if (isBase(given)) {
    const path = parseNotePath(given);
    return suggestingWhenMissing(files, path, async () => ({ path, source: textOf(await files.read(path)) }));
  }
  const path = await findNote(notebook, given, asking);
  const block = /^```+[ \t]*base[ \t]*\r?\n([\s\S]*?)^```/m.exec(
    textOf(await notebook.notes.read(path)),
  )?.[1];
  if (block !== undefined) return { path, source: block };
  throw new AppError('invalid_input', 'No base', {
    subject: path,
    hint: 'Give the path of a .base file, or of a note with a code block "base".',
  });
}

function viewOf({ views }: Base, wanted: string | undefined): BaseView {
  const view =
    wanted === undefined ? views[0] : views.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (view) return view;
  throw new AppError('not_found', 'view: there is no such view', {
    subject: wanted?.slice(0, 60),
    hint: `The base has: ${views
      .slice(0, 20)
      .map(({ name }) => name)
      .join(', ')}`,
  });
}

function columnsOf({ displayNames }: Base, { order }: BaseView): Record<string, string> {
  return Object.fromEntries(
    order.map((property) => [
      property,
      displayNames.get(property) ?? displayNames.get(`note.${property}`) ?? property,
    ]),
  );
}

function expressionsIn(filter: Filter): Expression[] {
  return filter.type === 'expression' ? [filter.expression] : filter.parts.flatMap(expressionsIn);
}

/** `note.x`, `formula.x`, `file.x`, or a property of the note. Its name may be no name in an expression. */
function propertyExpression(property: string): Expression {
  const [, kind, name] = /^(note|formula|file)\.(.+)$/s.exec(property) ?? [];
  if (kind !== undefined && name !== undefined)
    return { type: 'member', object: { type: 'name', name: kind }, name };
  return { type: 'member', object: { type: 'name', name: 'note' }, name: property };
}

interface NoteNames extends Pick<World, 'note' | 'resolve'> {}

/** The names of one state of the notes are gathered once. */
const gathered = new WeakMap<readonly NoteEntry[], NoteNames>();

function namesOf(notes: readonly NoteEntry[]): NoteNames {
  const known = gathered.get(notes);
  if (known) return known;
  const byPath = new Map(notes.map((note) => [note.path, note]));
  let resolver: LinkResolver | undefined;
  const names: NoteNames = {
    note: (path) => byPath.get(path),
    resolve: (target, from) => {
      resolver ??= createLinkResolver(byPath.keys());
      return resolver.resolve({ raw: target, notation: { syntax: 'wiki', quoting: 'none' } }, from);
    },
  };
  gathered.set(notes, names);
  return names;
}

/** Evaluates; what cannot be evaluated for a note is nothing there, and said once. */
type Attempt = (expression: Expression, note: NoteEntry, nameOf: () => string) => unknown;

function attempts(world: World, problems: Map<string, string>): Attempt {
  return (expression, note, nameOf) => {
    try {
      return evaluate(expression, note, world);
    } catch (error) {
      if (!(error instanceof ExpressionProblem)) throw error;
      const name = nameOf();
      if (!problems.has(name)) problems.set(name, `${name} ${error.message} (first in ${note.path})`);
      return null;
    }
  };
}

function rowsOf(view: BaseView, notes: readonly NoteEntry[], attempt: Attempt): BaseRow[] {
  const matching = notes.filter((note) => !isTrashed(note.path) && passes(view.filter, note, attempt));
  const sorts = [...(view.groupBy ? [view.groupBy] : []), ...view.sort];
  const properties = [...view.order, ...sorts.map(({ property }) => property)];
  const expressions = new Map(properties.map((property) => [property, propertyExpression(property)]));
  const cellOf = (note: NoteEntry, property: string) =>
    attempt(expressions.get(property)!, note, () => property);
  const keyed = matching.map((note) => ({
    note,
    keys: sorts.map(({ property }) => cellOf(note, property)),
  }));
  keyed.sort((a, b) => {
    // Without an iterator: very many pairs are compared.
    for (let at = 0; at < sorts.length; at++) {
      const order = orderOf(a.keys[at], b.keys[at]);
      if (order !== 0) return sorts[at]!.isDescending ? -order : order;
    }
    // The notes come in path order, and equal ones stay in it.
    return 0;
  });
  return keyed.slice(0, view.limit).map(({ note, keys }) => ({
    path: note.path,
    values: Object.fromEntries(view.order.map((property) => [property, shownValue(cellOf(note, property))])),
    group: view.groupBy ? shownValue(keys[0]) : undefined,
  }));
}

function passes(filter: Filter, note: NoteEntry, attempt: Attempt): boolean {
  switch (filter.type) {
    case 'expression':
      return isTruthy(attempt(filter.expression, note, () => `filter "${filter.source.slice(0, 80)}"`));
    case 'all':
      return filter.parts.every((part) => passes(part, note, attempt));
    case 'any':
      return filter.parts.some((part) => passes(part, note, attempt));
    case 'none':
      return !filter.parts.some((part) => passes(part, note, attempt));
  }
}

function orderOf(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  const [first, second] = [typeOf(a) === 'null', typeOf(b) === 'null'];
  if (first || second) return Number(first) - Number(second);
  return compare(a, b) ?? (toText(a) < toText(b) ? -1 : toText(a) > toText(b) ? 1 : 0);
}

const LONGEST_VALUE = 300;

function shownValue(value: unknown): unknown {
  const json = toJson(value);
  const text = typeof json === 'string' ? json : typeof json === 'object' ? JSON.stringify(json) : undefined;
  return text !== undefined && text.length > LONGEST_VALUE
    ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`
    : json;
}
