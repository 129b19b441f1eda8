/** What the schema refuses, in words: which flag, variable or line of the file, what is wrong, and a suggestion. */
import * as z from 'zod';
import { AppError } from '../shared/errors.ts';
import { nearest } from '../shared/nearest.ts';
import { planeSections } from './control-plane-schema.ts';
import type { Origin, Origins } from './origins.ts';
import { type Config, configSchema } from './schema.ts';

const MAX_PROBLEMS = 5;

/** `origins` is called only when something is wrong. */
export async function checkConfig(config: unknown, origins: () => Promise<Origins>): Promise<Config> {
  const result = configSchema.safeParse(config, { reportInput: true, error: wordsFor });
  if (result.success) return result.data;
  const ofPlane = result.error.issues.filter(({ path }) => Object.hasOwn(planeSections, String(path[0])));
  if (ofPlane.length > 0) throw planeProblem(ofPlane);
  const { nearest: originAt } = await origins();
  const problems = result.error.issues
    .slice(0, MAX_PROBLEMS)
    .flatMap(byKey)
    .map((issue) => ({ issue, origin: originAt(placeOf(issue)) }));
  const isInFile = problems.some(({ origin: { kind } }) => kind === 'file' || kind === 'command file');
  throw new AppError('invalid_input', isInFile ? 'Invalid configuration' : 'Invalid setting', {
    subject: problems.map(({ issue, origin }) => problemOf(issue, origin)).join('; '),
    hint: hintFor(problems.map(({ origin }) => origin)),
  });
}

/** Each unknown key has a line of its own. */
function byKey(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];
}

function placeOf(issue: z.core.$ZodIssue): string[] {
  return [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys : [])].map(String);
}

function hintFor(origins: readonly Origin[]): string | undefined {
  const has = (kind: Origin['kind']) => origins.some((origin) => origin.kind === kind);
  if (has('file') || has('command file')) return 'Correct the file, then run the command again.';
  return has('variable')
    ? 'It is set in the environment. Correct it there, then run the command again.'
    : undefined;
}

/** Plain words where the schema has none of its own. */
function wordsFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String);
    return `must be ${values.length === 1 ? values[0] : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`}`;
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'number')
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    return Number(issue.minimum) === 1
      ? 'must not be empty'
      : `must have at least ${issue.minimum} ${issue.origin === 'string' ? 'characters' : 'items'}`;
  }
  if (issue.code === 'too_big')
    return issue.origin === 'number'
      ? `must be at most ${issue.maximum}`
      : `must have at most ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'items'}`;
  return undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  tuple: 'a list',
  object: 'a mapping of keys',
  record: 'a mapping of names',
};

/** For example: `config: control_plane.mcp_polcy: unknown key (did you mean mcp_policy?)` */
function planeProblem(issues: readonly z.core.$ZodIssue[]): AppError {
  const problems = issues.slice(0, MAX_PROBLEMS).flatMap(planeProblemsOf);
  return new AppError('invalid_input', 'config', { subject: problems.join('; '), reason: 'invalid_plane' });
}

function planeProblemsOf(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const path = at.slice(1);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path);
    return issue.keys.map((key) => `${path}.${key}: unknown key${didYouMean(key, known)}`);
  }
  if (issue.code === 'invalid_key') return [`${path}: ${issue.issues[0]?.message ?? issue.message}`];
  const wanted = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  return [`${path}: ${issue.message}${didYouMean(String(issue.input ?? ''), wanted)}`];
}

function didYouMean(word: string, known: readonly string[]): string {
  const suggestion = nearest(word, known);
  return suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`;
}

/** A key is named only where it is in a file: nobody who sets a variable has seen it. */
function problemOf(issue: z.core.$ZodIssue, { kind, name }: Origin): string {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path);
    const [key = ''] = issue.keys;
    const suggestion = nearest(key, known);
    return `${name}: unknown key ${at ? `${at}.` : ''}${key}${suggestion ? `, did you mean ${suggestion}?` : ''}`;
  }
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return kind === 'file' && at !== '' ? `${name}, ${at}: ${message}` : `${name}: ${message}`;
}

/** Valid keys at a path of the configuration, for suggestions. */
function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: unknown = configSchema;
  for (const step of path) schema = schemaBelow(schema, step);
  const found = unwrapped(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

/** The words that a setting of a command takes, where they are a fixed list. */
export function choicesOf(setting: string): string[] {
  const steps = setting.split('.');
  const path =
    (steps[0] ?? '') in configSchema.shape && steps.length > 1 ? steps : ['notebooks', '', ...steps];
  let schema: unknown = configSchema;
  for (const step of path) schema = schemaBelow(schema, step);
  return wordsOf(unwrapped(schema));
}

function wordsOf(schema: unknown): string[] {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodLiteral) return [...schema.values].map(String);
  return schema instanceof z.ZodUnion ? schema.options.flatMap((one) => wordsOf(unwrapped(one))) : [];
}

function schemaBelow(schema: unknown, step: PropertyKey): unknown {
  const found = unwrapped(schema);
  if (found instanceof z.ZodObject) return found.shape[String(step)];
  if (found instanceof z.ZodRecord) return found.valueType;
  return found instanceof z.ZodArray ? found.element : undefined;
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  const isWrapper =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodLazy;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}
