/** Arguments against the schemas of strangers. */
import { expect, test } from 'vitest';
import { createArgumentCheck, isPlainSchema } from '../../src/governance/policy/argument-check.ts';

const argumentProblem = createArgumentCheck();

const tool = (inputSchema: unknown) => ({ kind: 'tool' as const, name: 'x', inputSchema });
const SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string', pattern: '^[a-z/]+$', maxLength: 20 }, count: { $ref: '#/$defs/n' } },
  required: ['path'],
  additionalProperties: false,
  $defs: { n: { type: 'integer', minimum: 1 } },
};

test.each([[{ path: 'a/b' }], [{ path: 'a', count: 2 }]])('%j fits', (args) => {
  expect(argumentProblem(tool(SCHEMA), args)).toBeUndefined();
});

test.each([
  [{}, 'path'],
  [undefined, 'path'],
  [{ path: 7 }, '#/path'],
  [{ path: 'A' }, '#/path'],
  [{ path: 'a', count: 0 }, '#/count'],
  [{ path: 'a', other: 1 }, 'other'],
])('%j does not, and it is said where', (args, where) => {
  const problem = argumentProblem(tool(SCHEMA), args);
  expect(problem).toContain('The arguments do not fit: ');
  expect(problem).toContain(where);
});

test.each([[[]], ['x'], [7]])('%j is no object', (args) => {
  expect(argumentProblem(tool({}), args)).toBe('The arguments must be an object.');
});

test('too many arguments, and what is no JSON', () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  for (const args of [{ a: 'x'.repeat(1_048_577) }, loop])
    expect(argumentProblem(tool({}), args)).toContain('too large');
});

const deep = (levels: number): unknown => (levels === 0 ? {} : { not: deep(levels - 1) });

test.each([
  ['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }, 'refers to another document'],
  ['one to a file, deep inside', { properties: { a: { items: { $ref: 'file:///x' } } } }, 'another document'],
  ['a reference to nothing', { $ref: '#/$defs/absent' }, 'cannot be read'],
  ['a reference to itself', { $ref: '#' }, 'The input schema of this tool'],
  ['a broken pattern', { properties: { a: { pattern: '(' } } }, 'cannot be read'],
  ['a long pattern', { properties: { a: { pattern: 'a'.repeat(1_001) } } }, 'pattern that is too long'],
  ['a long pattern of names', { patternProperties: { ['a'.repeat(1_001)]: {} } }, 'pattern that is too long'],
  ['too deep', deep(65), 'nested too deeply'],
  ['too large', { description: 'x'.repeat(262_145) }, 'is too large'],
  ['another language', { $schema: 'http://json-schema.org/draft-04/schema#' }, 'cannot be read'],
  ['no schema', 7, 'is no object'],
  ['a list', [], 'is no object'],
])('a schema that cannot be used lets nothing through: %s', (_, schema, expected) => {
  expect(argumentProblem(tool(schema), { a: 'x' })).toContain(expected);
});

test('a pattern without end is cut off, and not tried again', () => {
  const definition = tool({ properties: { a: { pattern: '^(a+)+$' } } });
  const args = { a: `${'a'.repeat(60)}!` };
  expect(argumentProblem(definition, args)).toContain('takes too long to check');
  const started = process.cpuUsage();
  for (let again = 0; again < 20; again++)
    expect(argumentProblem(definition, args)).toContain('takes too long');
  expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
});

test('neither is a knot of references', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  );
  const definition = tool({ $ref: '#/$defs/d0', $defs: { ...$defs, d40: { type: 'object' } } });
  expect(argumentProblem(definition, {})).toContain('takes too long to check');
});

test('prompts take texts they name', () => {
  const prompt = {
    kind: 'prompt' as const,
    name: 'p',
    arguments: [{ name: 'q', required: true }, { name: 'n' }],
  };
  expect(argumentProblem(prompt, { q: 'x', n: '1' })).toBeUndefined();
  expect(argumentProblem(prompt, { n: '1' })).toBe('The argument q is missing.');
  expect(argumentProblem(prompt, { q: 'x', n: 1 })).toBe('The argument n must be text.');
  expect(argumentProblem(prompt, { q: 'x', z: '1' })).toBe('The argument z is not one of this prompt.');
});

test.each([
  [{ type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] }, true],
  [{ type: 'object', properties: { pattern: { type: 'array', items: { enum: [1, 2] } } } }, true],
  [{ type: 'object', properties: { a: { pattern: '(a+)+$' } } }, false],
  [{ type: 'object', properties: { a: { $ref: '#' } } }, false],
  [{ anyOf: [{ type: 'object' }] }, false],
  [{ additionalProperties: { format: 'uri' } }, false],
  [{ properties: { a: [] } }, false],
  [{ properties: { a: { enum: Array.from({ length: 501 }, (_, at) => at) } } }, false],
  [{ properties: Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`p${at}`, true])) }, false],
])('knows whether the cost of a schema is known beforehand: %#', (schema, isPlain) =>
  expect(isPlainSchema(schema)).toBe(isPlain),
);
