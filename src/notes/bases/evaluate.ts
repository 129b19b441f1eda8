/** Evaluates the expressions of a base for one note. Steps are counted, so that no base takes for ever. */

import { extensionOf, type NotePath, nameOf, parentOf, stemOf } from '../path.ts';
import { propertyOf, tagsOf } from '../properties/fields.ts';
import type { LinkGraph, NoteEntry } from '../searcher.ts';
import { isTagOrBelow, normalizeTag, tagKey } from '../tags.ts';
import { type Expression, ExpressionProblem } from './expression.ts';
import { callMethod, compare, isTruthy, LONGEST_TEXT, METHOD_NAMES, memberOf, numberOf } from './methods.ts';
import {
  DateValue,
  DurationValue,
  FileValue,
  fromFrontmatter,
  LinkValue,
  parseDate,
  parseDuration,
  shiftDate,
  toText,
  typeOf,
} from './values.ts';

/** What is the same for all notes of a base. */
export interface World {
  readonly now: number;
  /** The file with the base in it. */
  readonly base: NotePath;
  readonly formulas: ReadonlyMap<string, Expression>;
  note(path: NotePath): NoteEntry | undefined;
  /** What a link or a path leads to. */
  resolve(target: string, from: NotePath): NotePath | undefined;
  /** There where an expression asks for links. */
  readonly graph?: LinkGraph;
  /** Counts down. */
  readonly budget: { steps: number };
}

interface Scope {
  readonly world: World;
  readonly note: NoteEntry;
  /** `value`, `index` and `acc` within an expression on a list. */
  readonly names: Readonly<Record<string, unknown>>;
  /** Formulas that are being evaluated. */
  readonly open: readonly string[];
}

const GLOBALS: Readonly<Record<string, (args: readonly unknown[], scope: Scope) => unknown>> = {
  date: ([value]) => {
    const date = value instanceof DateValue ? value : parseDate(toText(value));
    if (!date) throw new ExpressionProblem(`has "${toText(value).slice(0, 30)}", which is no date`);
    return date;
  },
  duration: ([value]) => parseDuration(toText(value)),
  file: ([value], { world, note }) => fileOf(value, world, note.path) ?? null,
  link: ([value]) => new LinkValue(value instanceof FileValue ? value.path : linkText(toText(value))),
  list: ([value]) => (Array.isArray(value) ? value : [value]),
  max: (args) => Math.max(...args.map(numberOf)),
  min: (args) => Math.min(...args.map(numberOf)),
  now: (_, { world }) => new DateValue(world.now, true),
  today: (_, { world }) => new DateValue(new Date(world.now).setHours(0, 0, 0, 0), false),
  number: ([value]) => numberOf(value),
};

const FILE_METHODS = ['hasTag', 'hasLink', 'hasProperty', 'inFolder', 'asLink'];
const LINK_METHODS = ['asFile', 'linksTo'];
const LAZY = ['map', 'filter', 'reduce'];

/** For telling beforehand what is not supported. */
export const FUNCTION_NAMES: ReadonlySet<string> = new Set(['if', ...Object.keys(GLOBALS)]);
export const ALL_METHODS: ReadonlySet<string> = new Set([
  ...METHOD_NAMES,
  ...FILE_METHODS,
  ...LINK_METHODS,
  ...LAZY,
]);

export function evaluate(expression: Expression, note: NoteEntry, world: World): unknown {
  return valueIn(expression, { world, note, names: {}, open: [] });
}

function valueIn(expression: Expression, scope: Scope): unknown {
  if (--scope.world.budget.steps < 0) throw new ExpressionProblem('takes too many steps');
  switch (expression.type) {
    case 'literal':
      return expression.value;
    case 'list':
      return expression.items.map((item) => valueIn(item, scope));
    case 'name':
      return named(expression.name, scope);
    case 'member':
      return member(expression.object, expression.name, scope);
    case 'index': {
      const index = valueIn(expression.index, scope);
      if (typeof index === 'string') return member(expression.object, index, scope);
      const list = valueIn(expression.object, scope);
      return (Array.isArray(list) && typeof index === 'number' ? list[index] : undefined) ?? null;
    }
    case 'call':
      return call(expression.name, expression.args, scope);
    case 'method':
      return method(expression, scope);
    case 'unary': {
      const value = valueIn(expression.operand, scope);
      return expression.operator === '!' ? !isTruthy(value) : -numberOf(value);
    }
    case 'binary':
      return binary(expression, scope);
  }
}

function named(name: string, { names, note, world }: Scope): unknown {
  if (Object.hasOwn(names, name)) return names[name];
  if (name === 'file') return new FileValue(note.path);
  if (name === 'this') return new FileValue(world.base);
  if (name === 'note') return note.frontmatter;
  return fromFrontmatter(propertyOf(note.frontmatter, name));
}

function member(object: Expression, name: string, scope: Scope): unknown {
  const { world, note } = scope;
  if (object.type === 'name' && object.name === 'formula') return formula(name, scope);
  if (object.type === 'name' && object.name === 'note')
    return fromFrontmatter(propertyOf(note.frontmatter, name));
  const self = valueIn(object, scope);
  if (!(self instanceof FileValue)) return fromFrontmatter(memberOf(self, name));
  const isThis = object.type === 'name' && object.name === 'this';
  if (isThis && name !== 'file')
    return fromFrontmatter(propertyOf(world.note(self.path)?.frontmatter ?? {}, name));
  return fileField(self, name, scope);
}

function formula(name: string, scope: Scope): unknown {
  const { world, open } = scope;
  const expression = world.formulas.get(name);
  if (!expression)
    throw new ExpressionProblem(`uses formula.${name.slice(0, 40)}, which is not there or not supported`);
  if (open.includes(name))
    throw new ExpressionProblem(`uses formula.${name.slice(0, 40)}, which uses itself`);
  return valueIn(expression, { ...scope, names: {}, open: [...open, name] });
}

function fileField(file: FileValue, name: string, scope: Scope): unknown {
  const { path } = file;
  const { world } = scope;
  const note = path === scope.note.path ? scope.note : world.note(path);
  switch (name) {
    case 'file':
      return file;
    case 'name':
      return nameOf(path);
    case 'basename':
      return stemOf(path);
    case 'path':
      return path;
    case 'folder':
      return parentOf(path);
    case 'ext':
      return extensionOf(path).slice(1);
    case 'size':
      return note?.size ?? null;
    case 'mtime':
      return note ? new DateValue(note.lastModified, true) : null;
    case 'tags':
      return note ? tagsOf(note).map((tag) => `#${tag}`) : [];
    case 'properties':
      return note?.frontmatter ?? {};
    case 'links':
      return [...new Set(world.graph?.outgoing(path).map(({ to, target }) => to ?? target))].map(
        (to) => new LinkValue(to),
      );
    case 'backlinks':
      return [...new Set(world.graph?.incoming(path).map(({ from }) => from))].map(
        (from) => new FileValue(from),
      );
  }
  throw new ExpressionProblem(`uses file.${name.slice(0, 40)}, which is not supported`);
}

function call(name: string, args: readonly Expression[], scope: Scope): unknown {
  if (name === 'if') {
    const [condition, then, otherwise] = args;
    if (!condition || !then) throw new ExpressionProblem('has an if() without a result');
    const chosen = isTruthy(valueIn(condition, scope)) ? then : otherwise;
    return chosen ? valueIn(chosen, scope) : null;
  }
  if (!Object.hasOwn(GLOBALS, name))
    throw new ExpressionProblem(`calls ${name.slice(0, 40)}(), which is not supported`);
  return GLOBALS[name]!(
    args.map((arg) => valueIn(arg, scope)),
    scope,
  );
}

function method({ object, name, args }: Extract<Expression, { type: 'method' }>, scope: Scope): unknown {
  const self = valueIn(object, scope);
  if (Array.isArray(self) && LAZY.includes(name)) return onList(self, name, args, scope);
  const given = args.map((arg) => valueIn(arg, scope));
  if (self instanceof FileValue && FILE_METHODS.includes(name)) return onFile(self, name, given, scope);
  if (self instanceof LinkValue && LINK_METHODS.includes(name)) {
    const file = fileOf(self, scope.world, scope.note.path);
    if (name === 'asFile') return file ?? null;
    return file ? onFile(file, 'hasLink', given, scope) : false;
  }
  return callMethod(self, name, given, (a, b) => equal(a, b, scope));
}

function onList(list: readonly unknown[], name: string, args: readonly Expression[], scope: Scope): unknown {
  const [each, start] = args;
  if (!each) throw new ExpressionProblem(`has a ${name}() without an expression`);
  const within = (names: Record<string, unknown>) =>
    valueIn(each, { ...scope, names: { ...scope.names, ...names } });
  if (name === 'map') return list.map((value, index) => within({ value, index }));
  if (name === 'filter') return list.filter((value, index) => isTruthy(within({ value, index })));
  const begin = start ? valueIn(start, scope) : null;
  return list.reduce((acc, value, index) => within({ acc, value, index }), begin);
}

function onFile({ path }: FileValue, name: string, args: readonly unknown[], scope: Scope): unknown {
  const { world } = scope;
  const note = path === scope.note.path ? scope.note : world.note(path);
  const [first] = args;
  switch (name) {
    case 'hasTag': {
      const own = note ? tagsOf(note).map(tagKey) : [];
      const wanted = args.map((tag) => tagKey(normalizeTag(toText(tag))));
      return wanted.some((tag) => own.some((key) => isTagOrBelow(key, tag)));
    }
    case 'hasProperty':
      return note !== undefined && propertyOf(note.frontmatter, toText(first)) !== undefined;
    case 'inFolder': {
      const folder = toText(first).replace(/^\/+|\/+$/g, '');
      return folder === '' || path.startsWith(`${folder}/`);
    }
    case 'asLink':
      return new LinkValue(path);
    default: {
      const other = fileOf(first, world, path);
      const text = linkText(toText(first));
      return (world.graph?.outgoing(path) ?? []).some(({ to, target }) =>
        other ? to === other.path : to === undefined && target === text,
      );
    }
  }
}

function linkText(text: string): string {
  return /^\[\[([^\]|#]+)/.exec(text)?.[1] ?? text;
}

function fileOf(value: unknown, world: World, from: NotePath): FileValue | undefined {
  if (value instanceof FileValue) return value;
  const target = value instanceof LinkValue ? value.target : linkText(toText(value));
  const path = world.resolve(target, from);
  return path === undefined ? undefined : new FileValue(path);
}

function binary({ operator, left, right }: Extract<Expression, { type: 'binary' }>, scope: Scope): unknown {
  const a = valueIn(left, scope);
  if (operator === '&&') return isTruthy(a) ? valueIn(right, scope) : a;
  if (operator === '||') return isTruthy(a) ? a : valueIn(right, scope);
  const b = valueIn(right, scope);
  switch (operator) {
    case '==':
      return equal(a, b, scope);
    case '!=':
      return !equal(a, b, scope);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(operator, alike(a, b));
    case '+':
      return sum(a, b);
    case '-':
      return difference(a, b);
    case '*':
      return a instanceof DurationValue
        ? new DurationValue(a.ms * numberOf(b), a.months * numberOf(b))
        : numberOf(a) * numberOf(b);
    case '/':
      return numberOf(a) / numberOf(b);
    default:
      return numberOf(a) % numberOf(b);
  }
}

function equal(first: unknown, second: unknown, scope: Scope): boolean {
  const [a, b] = alike(first, second);
  const [left, right] = [typeOf(a), typeOf(b)];
  if (left === 'null' || right === 'null') return left === right;
  if (left === 'date' && right === 'date') return compare(a, b) === 0;
  if ([left, right].some((type) => type === 'link' || type === 'file')) {
    const [one, other] = [fileOf(a, scope.world, scope.note.path), fileOf(b, scope.world, scope.note.path)];
    return one && other
      ? one.path === other.path
      : !one && !other && linkText(toText(a)) === linkText(toText(b));
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => equal(one, b[at], scope));
  return left === right && (a === b || (left === 'object' && JSON.stringify(a) === JSON.stringify(b)));
}

/** A text beside a date is read as one, if it is one. */
function alike(a: unknown, b: unknown): readonly [unknown, unknown] {
  if (a instanceof DateValue && typeof b === 'string') return [a, parseDate(b) ?? b];
  if (b instanceof DateValue && typeof a === 'string') return [parseDate(a) ?? a, b];
  return [a, b];
}

function isOrdered(operator: string, [a, b]: readonly [unknown, unknown]): boolean {
  const order = compare(a, b);
  if (order === undefined) return false;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function sum(a: unknown, b: unknown): unknown {
  if (a instanceof DateValue)
    return shiftDate(a, b instanceof DurationValue ? b : parseDuration(toText(b)), 1);
  if (a instanceof DurationValue && b instanceof DurationValue)
    return new DurationValue(a.ms + b.ms, a.months + b.months);
  if (typeof a === 'string' || typeof b === 'string') {
    const text = toText(a) + toText(b);
    if (text.length > LONGEST_TEXT) throw new ExpressionProblem('makes too long a text');
    return text;
  }
  return numberOf(a) + numberOf(b);
}

function difference(a: unknown, b: unknown): unknown {
  if (!(a instanceof DateValue)) return numberOf(a) - numberOf(b);
  if (b instanceof DateValue) return a.ms - b.ms;
  return shiftDate(a, b instanceof DurationValue ? b : parseDuration(toText(b)), -1);
}
