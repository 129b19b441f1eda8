/** Checks of one key's value. A list is checked item by item, except for its own type and length. */
import { dateValue } from './dates.ts';
import type { Scalar } from './scalars.ts';

export interface FieldRule {
  readonly type?: 'string' | 'number' | 'boolean' | 'date' | 'list';
  readonly enum?: readonly Scalar[];
  /** A regular expression, anchored only where it says so. */
  readonly pattern?: string;
  /** Bounds of a number, of a text's length, or of how many items a list has. */
  readonly min?: number;
  readonly max?: number;
}

export type FieldCheck = (value: unknown) => string[];

/** Bounds what a slow pattern can cost. */
const MAX_PATTERN_INPUT = 1_000;

/** Throws when the pattern is not a regular expression. */
export function fieldCheck(key: string, rule: FieldRule): FieldCheck {
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
