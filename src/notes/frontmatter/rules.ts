/**
 * A project's own rules for its frontmatter, given as data in the configuration: which keys a kind of note must
 * have, what their values may be, and which value must not come after which. Checking is pure; it reports
 * every problem and changes nothing.
 */

import { AppError } from '../../shared/errors.ts';
import type { Scalar } from './print.ts';

/** Dates as people write them in frontmatter: `2024-01-15`, with or without a time. */
const DATE =
  /^(\d{4}-\d{2}-(\d{2}))(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)(Z|[-+]\d{2}:?\d{2})?)?$/;

/** The moment as a number to compare by; a time without a zone counts as UTC. Undefined when it is no real date. */
function dateValue(value: unknown): number | undefined {
  const [, date = '', day, time = '00:00', zone = 'Z'] =
    (typeof value === 'string' && DATE.exec(value)) || [];
  // The parser takes February 30 for March 1.
  if (new Date(date).getUTCDate() !== Number(day)) return undefined;
  const moment = Date.parse(`${date}T${time}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(moment) ? undefined : moment;
}

interface FieldRule {
  readonly type?: 'string' | 'number' | 'boolean' | 'date' | 'list';
  readonly enum?: readonly Scalar[];
  /** A regular expression, anchored only where it says so. */
  readonly pattern?: string;
  /** Bounds of a number, of a text's length, or of how many items a list has. */
  readonly min?: number;
  readonly max?: number;
}

type FieldCheck = (value: unknown) => string[];

/** Bounds what a slow pattern can cost. */
const MAX_PATTERN_INPUT = 1_000;

/**
 * Checks of one key's value. A list is checked item by item, except for its own type and length. Throws when the
 * pattern is not a regular expression.
 */
function fieldCheck(key: string, rule: FieldRule): FieldCheck {
  const pattern = rule.pattern === undefined ? undefined : new RegExp(rule.pattern, 'u');
  return (value) => {
    const typeProblem = checkType(key, rule.type, value);
    if (typeProblem) return [typeProblem];
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const problems = [
      ...items.map((item) => checkEnum(key, rule.enum, item)),
      ...items.map((item) => checkPattern(key, pattern, item)),
      checkBounds(key, rule, value),
    ];
    return problems.filter((problem) => problem !== undefined);
  };
}

const TYPE_NAMES = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2024-01-15',
  list: 'a list',
} as const;

function checkType(key: string, type: FieldRule['type'], value: unknown): string | undefined {
  if (type === undefined || hasType(type, value)) return undefined;
  return `${key} must be ${TYPE_NAMES[type]} (got ${show(value)})`;
}

function hasType(type: NonNullable<FieldRule['type']>, value: unknown): boolean {
  if (type === 'list') return Array.isArray(value);
  if (type === 'date') return dateValue(value) !== undefined;
  return typeof value === type;
}

function checkEnum(key: string, allowed: FieldRule['enum'], value: unknown): string | undefined {
  if (!allowed || allowed.some((candidate) => candidate === value)) return undefined;
  return `${key} must be one of ${allowed.map(String).join(', ')} (got ${show(value)})`;
}

function checkPattern(key: string, pattern: RegExp | undefined, value: unknown): string | undefined {
  if (!pattern) return undefined;
  if (typeof value === 'object' && value !== null) return `${key} must be text (got ${show(value)})`;
  const text = String(value);
  if (text.length > MAX_PATTERN_INPUT)
    return `${key} must not be longer than ${MAX_PATTERN_INPUT} characters (got ${text.length})`;
  return pattern.test(text) ? undefined : `${key} must match ${pattern.source} (got ${show(value)})`;
}

function checkBounds(key: string, { min, max }: FieldRule, value: unknown): string | undefined {
  const measured = measure(value);
  if (!measured) return undefined;
  const got = measured.unit === '' ? show(value) : `${measured.size}`;
  if (min !== undefined && measured.size < min)
    return `${key} must be at least ${min}${measured.unit} (got ${got})`;
  if (max !== undefined && measured.size > max)
    return `${key} must be at most ${max}${measured.unit} (got ${got})`;
  return undefined;
}

function measure(value: unknown): { size: number; unit: string } | undefined {
  if (typeof value === 'number') return { size: value, unit: '' };
  if (typeof value === 'string') return { size: [...value].length, unit: ' characters long' };
  if (Array.isArray(value)) return { size: value.length, unit: ' items long' };
  return undefined;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

export interface FrontmatterRule {
  /** A glob of note paths; without it the rule is for every note. */
  readonly paths?: string;
  /** The rule is only for notes where these keys hold these values, alone or in a list. */
  readonly when?: Readonly<Record<string, Scalar>>;
  readonly required?: readonly string[];
  readonly fields?: Readonly<Record<string, FieldRule>>;
  /** Pairs of keys; the first one's value must not be after the second one's. */
  readonly order?: readonly (readonly [string, string])[];
}

export interface CompiledRule {
  readonly matchesPath: (path: string) => boolean;
  readonly rule: FrontmatterRule;
  readonly fields: readonly (readonly [string, FieldCheck])[];
}

type Data = Readonly<Record<string, unknown>>;

/** Prepares globs and patterns once. `matcherFor` turns a glob into a test of a path. */
export function compileRules(
  rules: readonly FrontmatterRule[],
  matcherFor: (glob: string) => (path: string) => boolean,
): CompiledRule[] {
  return rules.map((rule, index) => ({
    rule,
    matchesPath: rule.paths === undefined ? () => true : matcherFor(rule.paths),
    fields: Object.entries(rule.fields ?? {}).map(([key, field]) => {
      try {
        return [key, fieldCheck(key, field)] as const;
      } catch (cause) {
        throw new AppError('invalid_input', 'Invalid frontmatter rule', {
          subject: `rule ${index + 1}, ${key}: the pattern is not a valid regular expression`,
          cause,
        });
      }
    }),
  }));
}

export function ruleProblems(rules: readonly CompiledRule[], path: string, data: Data): string[] {
  const problems = rules
    .filter(({ rule, matchesPath }) => matchesPath(path) && isMeant(rule, data))
    .flatMap(({ rule, fields }) => [
      ...(rule.required ?? [])
        .filter((key) => isMissing(valueAt(data, key)))
        .map((key) => `${key} is required`),
      ...fields.flatMap(([key, check]) => {
        const value = valueAt(data, key);
        return isMissing(value) ? [] : check(value);
      }),
      ...(rule.order ?? []).flatMap(([first, second]) => orderProblem(data, first, second) ?? []),
    ]);
  return [...new Set(problems)];
}

function valueAt(data: Data, key: string): unknown {
  return Object.hasOwn(data, key) ? data[key] : undefined;
}

function isMissing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function isMeant(rule: FrontmatterRule, data: Data): boolean {
  return Object.entries(rule.when ?? {}).every(([key, wanted]) => {
    const value = valueAt(data, key);
    return Array.isArray(value) ? value.includes(wanted) : (value ?? null) === wanted;
  });
}

function orderProblem(data: Data, first: string, second: string): string | undefined {
  const a = valueAt(data, first);
  const b = valueAt(data, second);
  if (isMissing(a) || isMissing(b)) return undefined;
  const left = orderValue(a);
  const right = orderValue(b);
  if (left === undefined || right === undefined || typeof a !== typeof b)
    return `${first} and ${second} must be two dates or two numbers to be compared`;
  return left > right
    ? `${first} must not be after ${second} (${String(a)} is after ${String(b)})`
    : undefined;
}

function orderValue(value: unknown): number | undefined {
  return typeof value === 'number' ? value : dateValue(value);
}
