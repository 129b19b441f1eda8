/**
 * Checks the arguments of a call against the schema of the capability. Schemas are untrusted: no reference is fetched,
 * nothing is compiled to code, and size and time are limited (regular expressions and references can explode).
 */
import { createContext, Script } from 'node:vm';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { memoize } from '../../shared/memoize.ts';
import { recordOf } from '../../shared/records.ts';
import type { Definition } from '../../upstream/definition.ts';

const MAX_CHARACTERS = 262_144;
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
const MAX_PATTERN = 1_000;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** The reason why a schema is not used, found before anything is validated with it; undefined when it is used. */
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
/** Keywords whose check takes one look at a value. */
const QUICK: ReadonlySet<string> = new Set(
  '$schema type title description default examples required enum const minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems minProperties maxProperties'.split(
    ' ',
  ),
);

/** A plain schema has no pattern, reference or choice: the time of a check is linear in the sizes of schema and arguments. */
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
/** Every other call waits for as long. */
const TIME_MS = 40;
/** A busy machine may take this long for anything. */
const MAX_TRIES = 5;
const MAX_TIMEOUTS = 3;
/** Arguments up to this size are checked against a plain schema without a time limit. */
const FEW_CHARACTERS = 10_000;

/** The problem in words for the caller; undefined when there is none. */
export type ArgumentCheck = (definition: Definition, args: unknown) => string | undefined;

interface SchemaCheck {
  readonly isPlain: boolean;
  /** How often it took too long. */
  readonly timeouts?: number;
  readonly problem: (given: object) => string | undefined;
}

export function createArgumentCheck(): ArgumentCheck {
  /** Keyed by the schema object, which stays the same object while the definition is unchanged. */
  const checks = new WeakMap<object, SchemaCheck>();
  const withinTime = createTimeLimit();

  const toolProblem = (schema: unknown, given: object, size: number): string | undefined => {
    if (typeof schema !== 'object' || schema === null) return unusable('is no object');
    const check = checks.get(schema) ?? checkFor(schema);
    checks.set(schema, check);
    // The time limit costs more than the rest of a call.
    if (check.isPlain && size <= FEW_CHARACTERS) return check.problem(given);
    return withinTime(
      () => check.problem(given),
      () => {
        const slow = () => unusable('takes too long to check');
        const timeouts = (check.timeouts ?? 0) + 1;
        // From then on a call is refused at once.
        checks.set(
          schema,
          timeouts < MAX_TIMEOUTS ? { ...check, timeouts } : { isPlain: true, problem: slow },
        );
        return slow();
      },
    );
  };

  return (definition, args) => {
    const given = args ?? {};
    if (typeof given !== 'object' || Array.isArray(given)) return 'The arguments must be an object.';
    const size = sizeOf(given);
    if (size > MAX_ARGUMENT_CHARACTERS) return 'The arguments are too large; the limit is 1 MiB.';
    switch (definition.kind) {
      case 'tool':
        return toolProblem(definition.inputSchema ?? {}, given, size);
      case 'prompt':
        return promptProblem(definition.arguments, given);
      case 'resource':
      case 'template':
        return undefined;
    }
  };
}

/** Infinite for arguments without a JSON form, which cannot be sent. */
function sizeOf(value: object): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function checkFor(schema: object): SchemaCheck {
  const problem = schemaProblem(schema);
  if (problem !== undefined) return { isPlain: true, problem: () => unusable(problem) };
  const isPlain = isPlainSchema(schema);
  const validator = () => new CfWorkerJsonSchemaValidator().getValidator(schema);
  // The validator of another schema is made for each call, so that its making is under the time limit too.
  const made = isPlain ? memoize(validator) : validator;
  const check = (given: object) => {
    try {
      const result = made()(given);
      return result.valid
        ? undefined
        : `The arguments do not fit: ${result.errorMessage}`.slice(0, MAX_REASON);
    } catch (error) {
      return unusable(`cannot be read (${error instanceof Error ? error.message : 'unknown'})`);
    }
  };
  return { isPlain, problem: check };
}

function unusable(why: string): string {
  return `The input schema of this tool ${why}, so no arguments can be checked against it.`.slice(
    0,
    MAX_REASON,
  );
}

/** Only a `vm` script can be interrupted while it runs, with a regular expression in it too. */
function createTimeLimit() {
  const globals: { work: () => void } = { work: () => undefined };
  const ready = memoize(() => ({ script: new Script('work()'), context: createContext(globals) }));
  return <Result>(work: () => Result, onTimeout: () => Result): Result => {
    let result: { value: Result } | undefined;
    globals.work = () => {
      result = { value: work() };
    };
    const { script, context } = ready();
    for (let tries = 0; tries < MAX_TRIES && !result; tries++) {
      const before = process.cpuUsage();
      try {
        script.runInContext(context, { timeout: TIME_MS });
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        // The limit is one of the clock: a process that did not run meanwhile has not used it.
        const { user, system } = process.cpuUsage(before);
        if (user + system > (TIME_MS * 1_000) / 2) break;
      }
    }
    return result ? result.value : onTimeout();
  };
}

/** Prompts list their arguments, which are texts. */
function promptProblem(known: unknown, given: object): string | undefined {
  const fields = (Array.isArray(known) ? known : [])
    .map(recordOf)
    .filter(({ name }) => typeof name === 'string');
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
