/** What a stranger's schema may ask of us, looked at before anything is checked with it. */

const MAX_CHARACTERS = 262_144;
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;
const MAX_PATTERN = 1_000;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Why a schema is not used; undefined when it is. */
export function schemaProblem(schema: unknown): string | undefined {
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
