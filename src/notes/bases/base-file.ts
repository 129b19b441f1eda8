/** Reads a base: the YAML of a `.base` file, or of a code block `base` in a note. */
import { AppError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/records.ts';
import { type Expression, ExpressionProblem, parseExpression } from './expression.ts';
import { unsupportedIn } from './inspect.ts';

/** `none` matches what matches no part. */
export type Filter =
  | { readonly type: 'all' | 'any' | 'none'; readonly parts: readonly Filter[] }
  | { readonly type: 'expression'; readonly source: string; readonly expression: Expression };

interface SortBy {
  readonly property: string;
  readonly isDescending: boolean;
}

export interface BaseView {
  readonly name: string;
  readonly type: string;
  readonly filter: Filter;
  /** Properties to show. */
  readonly order: readonly string[];
  readonly sort: readonly SortBy[];
  readonly groupBy?: SortBy;
  readonly limit?: number;
  /** Parts of this view that are not supported; those of its filters make it unanswerable. */
  readonly unsupported: readonly string[];
  readonly isAnswerable: boolean;
}

export interface Base {
  readonly views: readonly BaseView[];
  readonly formulas: ReadonlyMap<string, Expression>;
  /** Formulas that cannot be evaluated, with the reason. */
  readonly unsupported: readonly string[];
  /** What properties are called in the views. */
  readonly displayNames: ReadonlyMap<string, string>;
}

const MAX_DEPTH = 20;
const MAX_VIEWS = 100;

/** `source` is the YAML. Throws `invalid_input` for what is no base. */
export async function parseBase(source: string, path: string): Promise<Base> {
  const { parseBlock } = await import('../frontmatter/yaml.ts');
  const block = parseBlock(`---\n${source.replace(/^\uFEFF/, '')}`);
  const wrong = (what: string) =>
    new AppError('invalid_input', 'Invalid base', { subject: `${path}: ${what}` });
  if ('problem' in block) throw wrong(block.problem);
  const { data } = block;
  const { formulas, unsupported } = readFormulas(isRecord(data.formulas) ? data.formulas : {});
  const shared = readFilter(data.filters, 'filters');
  const views = Array.isArray(data.views) ? data.views.filter(isRecord).slice(0, MAX_VIEWS) : [];
  const named = views.length > 0 ? views : [{ type: 'table', name: 'Table' }];
  return {
    formulas,
    unsupported,
    views: named.map((view, at) => readView(view, at, shared)),
    displayNames: new Map(
      Object.entries(isRecord(data.properties) ? data.properties : {}).flatMap(([name, value]) =>
        isRecord(value) && typeof value.displayName === 'string' ? [[name, value.displayName]] : [],
      ),
    ),
  };
}

function readFormulas(given: Record<string, unknown>) {
  const formulas = new Map<string, Expression>();
  const unsupported: string[] = [];
  for (const [name, source] of Object.entries(given)) {
    const read = readExpression(String(source));
    if ('problem' in read) unsupported.push(`formula.${name} ${read.problem}`);
    else formulas.set(name, read.expression);
  }
  return { formulas, unsupported };
}

function readExpression(source: string): { readonly expression: Expression } | { readonly problem: string } {
  try {
    const expression = parseExpression(source);
    const names = unsupportedIn(expression);
    if (names.length === 0) return { expression };
    return { problem: `uses ${[...new Set(names)].join(', ')}, which is not supported` };
  } catch (error) {
    if (error instanceof ExpressionProblem) return { problem: error.message };
    throw error;
  }
}

interface ReadFilter {
  readonly filter: Filter;
  readonly unsupported: readonly string[];
}

const KINDS = { and: 'all', or: 'any', not: 'none' } as const;
const EVERYTHING: ReadFilter = { filter: { type: 'all', parts: [] }, unsupported: [] };

function readFilter(given: unknown, place: string, depth = 0): ReadFilter {
  if (given === undefined || given === null || given === '') return EVERYTHING;
  if (depth > MAX_DEPTH)
    return { ...EVERYTHING, unsupported: [`${place} is nested more than ${MAX_DEPTH} deep`] };
  if (typeof given === 'string' || typeof given === 'boolean') {
    const source = String(given);
    const read = readExpression(source);
    if ('problem' in read)
      return { ...EVERYTHING, unsupported: [`${place} "${source.slice(0, 80)}" ${read.problem}`] };
    return { filter: { type: 'expression', source, expression: read.expression }, unsupported: [] };
  }
  const keys = isRecord(given) ? Object.keys(given) : [];
  const isKnown = keys.every((key) => Object.hasOwn(KINDS, key));
  if (!isRecord(given) || keys.length === 0 || !isKnown)
    return { ...EVERYTHING, unsupported: [`${place} has something other than and, or and not`] };
  const each = keys.map((key) => {
    const list = Array.isArray(given[key]) ? given[key] : [given[key]];
    const parts = list.map((one) => readFilter(one, place, depth + 1));
    const filter: Filter = {
      type: KINDS[key as keyof typeof KINDS],
      parts: parts.map((part) => part.filter),
    };
    return { filter, unsupported: parts.flatMap((part) => part.unsupported) };
  });
  return {
    filter: each.length === 1 ? each[0]!.filter : { type: 'all', parts: each.map(({ filter }) => filter) },
    unsupported: each.flatMap(({ unsupported }) => unsupported),
  };
}

const VIEW_KEYS = ['type', 'name', 'filters', 'order', 'sort', 'groupBy', 'limit'];
/** How a view looks, which an answer has no part in. */
const LOOKS = ['columnSize', 'rowHeight', 'image', 'imageFit', 'imageAspectRatio', 'cardSize'];

function readView(view: Record<string, unknown>, at: number, shared: ReadFilter): BaseView {
  const own = readFilter(view.filters, 'filters of the view');
  const further = Object.keys(view).filter((key) => !VIEW_KEYS.includes(key) && !LOOKS.includes(key));
  const broken = [...shared.unsupported, ...own.unsupported];
  const limit = Number(view.limit);
  const [groupBy] = readSorts(view.groupBy === undefined ? [] : [view.groupBy]);
  return {
    name: typeof view.name === 'string' ? view.name : `View ${at + 1}`,
    type: typeof view.type === 'string' ? view.type : 'table',
    filter: { type: 'all', parts: [shared.filter, own.filter] },
    order: Array.isArray(view.order) && view.order.length > 0 ? view.order.map(String) : ['file.name'],
    sort: readSorts(Array.isArray(view.sort) ? view.sort : []),
    groupBy,
    limit: Number.isInteger(limit) && limit > 0 ? limit : undefined,
    unsupported: [...broken, ...further.map((key) => `"${key.slice(0, 40)}" of the view is not supported`)],
    isAnswerable: broken.length === 0,
  };
}

function readSorts(given: readonly unknown[]): SortBy[] {
  return given.flatMap((one) => {
    if (typeof one === 'string') return { property: one, isDescending: false };
    if (!isRecord(one)) return [];
    const property = one.property ?? one.column;
    const isDescending = String(one.direction).toUpperCase() === 'DESC';
    return typeof property === 'string' ? { property, isDescending } : [];
  });
}
