/**
 * Conditions on the fields of a note, as JSON: `{"status":"open","due":{"<":"2026-12-01"},"or":[…]}`. All keys of an
 * object must hold. A list has a value when one of its elements has it. Everything that is not a condition is refused
 * with its place.
 */
import { AppError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/records.ts';
import type { LinkGraph, NoteEntry } from '../searcher.ts';
import { comparedWith, equalTo, equalValues, textOf } from './compare.ts';
import { createFieldReader, fieldProblem } from './fields.ts';

export type Condition = (note: NoteEntry, graph?: LinkGraph) => boolean;

interface ParsedWhere {
  readonly condition: Condition;
  /** The fields that it asks for, in their order. */
  readonly fields: readonly string[];
}

interface Parsing {
  readonly fields: Set<string>;
  readonly now: number;
  conditions: number;
}

const MAX_DEPTH = 10;
const MAX_CONDITIONS = 100;

export function parseWhere(where: unknown, now: number): ParsedWhere {
  const parsing: Parsing = { fields: new Set(), now, conditions: 0 };
  const condition = parseAll(where, 'where', parsing, 0);
  return { condition, fields: [...parsing.fields] };
}

function parseAll(where: unknown, place: string, parsing: Parsing, depth: number): Condition {
  if (!isRecord(where)) throw problem(place, 'must be an object such as {"status":"open"}');
  if (depth > MAX_DEPTH) throw problem(place, `is nested more than ${MAX_DEPTH} deep`);
  const parts = Object.entries(where).map(([key, value]): Condition => {
    const at = `${place}.${key.slice(0, 60)}`;
    if (key === 'and' || key === 'or') {
      if (!Array.isArray(value) || value.length === 0) throw problem(at, 'must be a list of objects');
      const each = value.map((one, index) => parseAll(one, `${at}[${index}]`, parsing, depth + 1));
      return key === 'and'
        ? (note, graph) => each.every((part) => part(note, graph))
        : (note, graph) => each.some((part) => part(note, graph));
    }
    if (key === 'not') {
      const part = parseAll(value, at, parsing, depth + 1);
      return (note, graph) => !part(note, graph);
    }
    return parseField(key, value, at, parsing);
  });
  return (note, graph) => parts.every((part) => part(note, graph));
}

function parseField(name: string, value: unknown, place: string, parsing: Parsing): Condition {
  if (++parsing.conditions > MAX_CONDITIONS)
    throw problem('where', `has more than ${MAX_CONDITIONS} conditions`);
  if (name.trim() === '' || !name.isWellFormed()) throw problem(place.toWellFormed(), 'names no property');
  const unknown = fieldProblem(name);
  if (unknown !== undefined) throw problem(place, unknown);
  parsing.fields.add(name);
  const read = createFieldReader(name);
  const tests = isRecord(value)
    ? Object.entries(value).map(([operator, operand]) => parseTest(operator, operand, place, parsing.now))
    : [parseTest('=', value, place, parsing.now)];
  if (tests.length === 0) throw problem(place, `has no operator; use one of ${OPERATORS}`);
  return (note, graph) => {
    const own = read(note, graph);
    return tests.every((test) => test(own));
  };
}

type Test = (value: unknown) => boolean;

const ORDER: Readonly<Record<string, (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};
const OPERATORS = '=, !=, <, <=, >, >=, contains, in, exists, missing';

function parseTest(operator: string, operand: unknown, place: string, now: number): Test {
  const at = `${place}.${operator.slice(0, 20)}`;
  switch (operator) {
    case '=':
      return isEqual(scalar(operand, place));
    case '!=': {
      const equal = isEqual(scalar(operand, at));
      return (value) => !equal(value);
    }
    case 'in': {
      if (!Array.isArray(operand) || operand.length === 0) throw problem(at, 'must be a list of values');
      const each = operand.map((one) => isEqual(scalar(one, at)));
      return (value) => each.some((equal) => equal(value));
    }
    case 'contains': {
      const wanted = scalar(operand, at);
      const part = textOf(wanted);
      const has = (value: unknown) =>
        typeof value === 'string' ? textOf(value).includes(part) : equalValues(value, wanted);
      return (value) => (Array.isArray(value) ? value.some((one) => equalValues(one, wanted)) : has(value));
    }
    case 'exists':
    case 'missing': {
      if (typeof operand !== 'boolean') throw problem(at, 'must be true or false');
      const isWanted = (operator === 'exists') === operand;
      return (value) => (value !== undefined && !(Array.isArray(value) && value.length === 0)) === isWanted;
    }
  }
  const isInOrder = Object.hasOwn(ORDER, operator) ? ORDER[operator] : undefined;
  if (!isInOrder)
    throw problem(place, `has the unknown operator "${operator.slice(0, 20)}"; use one of ${OPERATORS}`);
  const compare = comparedWith(dated(scalar(operand, at), now));
  const holds = (one: unknown) => {
    const difference = compare(one);
    return difference !== undefined && isInOrder(difference);
  };
  return (value) => (Array.isArray(value) ? value.some(holds) : holds(value));
}

function isEqual(wanted: string | number | boolean): Test {
  const equals = equalTo(wanted);
  return (value) => (Array.isArray(value) ? value.some(equals) : equals(value));
}

function scalar(value: unknown, place: string): string | number | boolean {
  if (typeof value === 'string' && !value.isWellFormed()) throw problem(place, 'has half a character in it');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) throw problem(place, 'is a list; use {"in":[…]} for one of several values');
  if (value === null) throw problem(place, 'is null; use {"missing":true}');
  throw problem(place, 'must be a text, a number, true or false');
}

const DAY_MS = 86_400_000;
const DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };

/** `today`, `today-7d` and `today+2w` are days. */
function dated<T>(limit: T, now: number): T | string {
  const match = typeof limit === 'string' ? /^today(?:([+-])(\d{1,4})([dwmy]))?$/.exec(limit) : null;
  if (!match) return limit;
  const [, sign, count = '0', unit = 'd'] = match;
  const days = Number(count) * DAYS[unit]! * (sign === '-' ? -1 : 1);
  return new Date(now + days * DAY_MS).toISOString().slice(0, 10);
}

function problem(place: string, what: string): AppError {
  return new AppError('invalid_input', `${place}: ${what}`, {
    hint: 'For example {"status":"open","due":{"<":"2026-12-01"},"or":[{"prio":1},{"owner":{"missing":true}}]}',
  });
}
