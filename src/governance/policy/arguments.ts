/**
 * Whether the arguments of a call are what the capability says it takes. The schemas are strangers': nothing is fetched
 * for them, nothing of them is compiled to code, and a pattern or a knot of references that takes too long is cut off.
 */
import { createContext, Script } from 'node:vm';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { memoize } from '../../shared/memoize.ts';
import type { Definition } from '../../upstream/definition.ts';

/** Limits of a foreign schema, checked before anything is validated with it. */

const MAX_CHARACTERS = 262_144;
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
const MAX_PATTERN = 1_000;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Why a schema is not used; undefined when it is. */
function schemaProblem(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'is no object';
  let nodes = 0;
  let characters = 0;
  const waiting: { value: unknown; key: string; depth: number }[] = [{ value: schema, key: '', depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, key, depth } = next;
    characters += key.length + (typeof value === 'string' ? value.length : 1);
    if (++nodes > MAX_NODES || characters > MAX_CHARACTERS) return 'is too large';
    if (depth > MAX_DEPTH) return 'is nested too deeply';
    const problem = typeof value === 'string' ? textProblem(key, value) : undefined;
    if (problem !== undefined) return problem;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, item] of Object.entries(value)) {
      if (key === 'patternProperties' && name.length > MAX_PATTERN) return 'has a pattern that is too long';
      waiting.push({ value: item, key: name, depth: depth + 1 });
    }
  }
  return undefined;
}

function textProblem(key: string, value: string): string | undefined {
  if (REFERENCES.includes(key) && !value.startsWith('#')) return 'refers to another document';
  return key === 'pattern' && value.length > MAX_PATTERN ? 'has a pattern that is too long' : undefined;
}

const PLAIN_NODES = 500;
const WITH_SCHEMAS_BY_NAME = 'properties';
const WITH_SCHEMA: readonly string[] = ['items', 'additionalProperties'];
/** Each looks at a value once, whatever it is. */
const QUICK: ReadonlySet<string> = new Set(
  '$schema type title description default examples required enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems minProperties maxProperties'.split(
    ' ',
  ),
);

/** Whether checking with it takes a time that its size and that of what is checked tell: no pattern, no reference, no choice. */
export function isPlainSchema(schema: unknown): boolean {
  let nodes = 0;
  const waiting: unknown[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (++nodes > PLAIN_NODES) return false;
    if (typeof next === 'boolean') continue;
    if (typeof next !== 'object' || next === null || Array.isArray(next)) return false;
    for (const [keyword, value] of Object.entries(next)) {
      if (WITH_SCHEMA.includes(keyword)) waiting.push(value);
      else if (keyword === WITH_SCHEMAS_BY_NAME) waiting.push(...Object.values(value as object));
      else if (!QUICK.has(keyword) || isLong(value)) return false;
    }
  }
  return true;
}

function isLong(value: unknown): boolean {
  return Array.isArray(value) && value.length > PLAIN_NODES;
}

const MAX_ARGUMENT_CHARACTERS = 1_048_576;
const MAX_REASON = 300;
const TIME_MS = 500;
/** Up to here what a plain schema takes is known without a clock. */
const FEW_CHARACTERS = 10_000;

/** The problem in words for the caller; undefined when there is none. */
export function argumentProblem(definition: Definition, args: unknown): string | undefined {
  const given = args ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return 'The arguments must be an object.';
  if (sizeOf(given) > MAX_ARGUMENT_CHARACTERS) return 'The arguments are too large; the limit is 1 MiB.';
  switch (definition.kind) {
    case 'tool':
      return toolProblem(definition.inputSchema ?? {}, given);
    case 'prompt':
      return promptProblem(definition.arguments, given);
    case 'resource':
    case 'template':
      return undefined;
  }
}

/** Arguments without a JSON form cannot be sent. */
function sizeOf(value: object): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

type ArgumentCheck = (given: object) => string | undefined;
/** Keyed by the schema object, which is the same one as long as the definition is unchanged. */
const checks = new WeakMap<object, ArgumentCheck>();

function toolProblem(schema: unknown, given: object): string | undefined {
  if (typeof schema !== 'object' || schema === null) return unusable('is no object');
  const check = checks.get(schema) ?? checkFor(schema);
  checks.set(schema, check);
  // A clock that can stop the engine costs more than the rest of a call.
  if (isPlain(schema) && sizeOf(given) <= FEW_CHARACTERS) return check(given);
  return withinTime(
    () => check(given),
    () => {
      // Once is enough: the next call is refused without trying.
      checks.set(schema, () => unusable('takes too long to check'));
      return unusable('takes too long to check');
    },
  );
}

const plain = new WeakMap<object, boolean>();

function isPlain(schema: object): boolean {
  const known = plain.get(schema) ?? isPlainSchema(schema);
  plain.set(schema, known);
  return known;
}

function checkFor(schema: object): ArgumentCheck {
  const problem = schemaProblem(schema);
  if (problem !== undefined) return () => unusable(problem);
  const validator = () => new CfWorkerJsonSchemaValidator().getValidator(schema);
  // Else made for each call, so that making it is bounded in time too.
  const made = isPlain(schema) ? memoize(validator) : validator;
  return (given) => {
    try {
      const result = made()(given);
      return result.valid
        ? undefined
        : `The arguments do not fit: ${result.errorMessage}`.slice(0, MAX_REASON);
    } catch (error) {
      return unusable(`cannot be read (${error instanceof Error ? error.message : 'unknown'})`);
    }
  };
}

function unusable(why: string): string {
  return `The input schema of this tool ${why}, so no arguments can be checked against it.`.slice(
    0,
    MAX_REASON,
  );
}

/** Nothing but a script of the engine can be stopped from outside while it runs, a regular expression in it too. */
const bench: { work: () => void } = { work: () => undefined };
const ready = memoize(() => ({ script: new Script('work()'), context: createContext(bench) }));

function withinTime<Result>(work: () => Result, onTimeout: () => Result): Result {
  let result: { value: Result } | undefined;
  bench.work = () => {
    result = { value: work() };
  };
  try {
    const { script, context } = ready();
    script.runInContext(context, { timeout: TIME_MS });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return result ? result.value : onTimeout();
}

/** Prompts list their arguments, which are texts. */
function promptProblem(known: unknown, given: object): string | undefined {
  const list: unknown[] = Array.isArray(known) ? known : [];
  const fields = list.filter((item): item is { name: unknown; required?: unknown } => isNamedField(item));
  const names = new Set(fields.map(({ name }) => name));
  const missing = fields.find(
    ({ name, required }) => required === true && !Object.hasOwn(given, String(name)),
  );
  if (missing) return `The argument ${String(missing.name).slice(0, 100)} is missing.`;
  const wrong = Object.entries(given).find(([name, value]) => !names.has(name) || typeof value !== 'string');
  if (!wrong) return undefined;
  const what = names.has(wrong[0]) ? 'must be text' : 'is not one of this prompt';
  return `The argument ${wrong[0].slice(0, 100)} ${what}.`;
}

function isNamedField(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';
}
