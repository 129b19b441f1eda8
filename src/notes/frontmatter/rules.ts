/**
 * A project's own rules for its frontmatter, given as data in the configuration: which keys a kind of note must
 * have, what their values may be, and which value must not come after which. Checking is pure; it reports
 * every problem and changes nothing.
 */
import { AppError } from '../../shared/errors.ts';
import { dateValue } from './dates.ts';
import { type FieldCheck, type FieldRule, fieldCheck } from './field-rules.ts';
import type { Scalar } from './scalars.ts';

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
