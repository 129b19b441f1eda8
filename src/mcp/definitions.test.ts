import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineToolFor } from './tool.ts';
import { annotationsOf, answerSchemaOf, definitionOf, definitionsOf } from './tool-list.ts';

const tool = defineToolFor<undefined>()({
  name: 'do_it',
  title: 'Do it',
  description: 'Does it.',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: z.string().min(1).max(4_096).describe('Where'),
      times: z.number().int().min(0).default(3).describe('How often'),
      any: z.record(z.string(), z.unknown()).optional(),
      kind: z.enum(['a', 'b']).default('a'),
    }),
  output: () => z.object({ ok: z.boolean(), more: z.array(z.string()).optional() }),
  run: async () => ({ value: { ok: true } }),
});

test('a tool is shown with its schema as a plain JSON Schema object, and without that of its answers', () => {
  const { inputSchema, ...rest } = definitionOf(tool);
  expect(rest).toEqual({
    name: 'do_it',
    title: 'Do it',
    description: 'Does it.',
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  });
  expect(inputSchema).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where' },
      times: { type: 'integer', default: 3, description: 'How often' },
      any: { type: 'object' },
      kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
    },
    required: ['path'],
    additionalProperties: false,
  });
  expect(answerSchemaOf(tool)).toMatchObject({
    type: 'object',
    properties: { ok: { type: 'boolean' }, more: { type: 'array', items: { type: 'string' } } },
    required: ['ok'],
  });
});

test('nothing that says nothing is sent', () => {
  const text = JSON.stringify(definitionOf(tool));
  for (const noise of ['$schema', 'propertyNames', String(Number.MAX_SAFE_INTEGER)])
    expect(text).not.toContain(noise);
});

test('a definition is rendered once', () => {
  expect(definitionOf(tool)).toBe(definitionOf(tool));
});

test('a surface lists its tools in its own order', () => {
  const other = { ...tool, name: 'another' };
  const surface = {
    id: 's',
    instructions: '',
    tools: [tool, other],
    renderError: () => ({ content: [] }),
  };
  expect(definitionsOf(surface).map(({ name }) => name)).toEqual(['do_it', 'another']);
});

test.each([
  ['read', true, false],
  ['write', false, false],
  ['destroy', false, true],
] as const)('a tool that may %s has hints that say so', (effect, readOnlyHint, destructiveHint) => {
  expect(annotationsOf(effect)).toEqual({ readOnlyHint, destructiveHint, openWorldHint: false });
});
