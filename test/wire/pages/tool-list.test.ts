/** What a client learns from `tools/list`, and that every answer keeps to it. */
import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, test } from 'vitest';
import { withPages } from '../../kit/server.ts';

type Hints = [readOnly: boolean, destructive: boolean];

const TOOLS: [name: string, required: string[], optional: string[], hints: Hints][] = [
  ['list_pages', [], ['include_trash', 'cursor'], [true, false]],
  ['read_page', ['page'], [], [true, false]],
  ['search_pages', ['query'], ['limit', 'include_trash'], [true, false]],
  ['create_page', ['page', 'body'], [], [false, false]],
  ['write_page', ['page', 'body', 'expected_last_modified'], [], [false, true]],
  ['append_to_page', ['page', 'content'], [], [false, false]],
  ['prepend_to_page', ['page', 'content'], ['position'], [false, false]],
  ['delete_page', ['page'], [], [false, true]],
  ['move_page', ['from', 'to'], [], [false, true]],
];

test('the nine tools are listed in one fixed order, in under 9,000 bytes', async () => {
  const { client } = await withPages();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(([name]) => name));
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(9_000);
});

test.each(TOOLS)('%s has its parameters and hints', async (name, required, optional, hints) => {
  const { client } = await withPages();
  const tool = (await client.listTools()).tools.find((candidate) => candidate.name === name);
  const schema = tool?.inputSchema as unknown as {
    properties: Record<string, { description?: string }>;
    required?: string[];
    additionalProperties: boolean;
  };
  expect(schema.required ?? []).toEqual(required);
  expect(schema.additionalProperties).toBe(false);
  expect(Object.keys(schema.properties).sort()).toEqual([...required, ...optional].sort());
  for (const { description } of Object.values(schema.properties)) expect(description).toMatch(/^\S.{5,}/);
  expect(tool?.annotations).toEqual({
    readOnlyHint: hints[0],
    destructiveHint: hints[1],
    openWorldHint: false,
  });
  // Its answers are content blocks, also those that say what went wrong: a schema would forbid these.
  expect(tool?.outputSchema).toBeUndefined();
  const example = /Example: (\{.*\})$/.exec(tool?.description ?? '')?.[1];
  const judge = new AjvJsonSchemaValidator().getValidator(tool?.inputSchema as JsonSchemaType);
  expect(judge(JSON.parse(example ?? 'null'))).toMatchObject({ valid: true });
});

test('instructions tell a model where to begin', async () => {
  const { client } = await withPages();
  const instructions = client.getInstructions() ?? '';
  for (const word of ['search_pages', 'list_pages', 'read_page', 'lastModified', 'append_to_page'])
    expect(instructions).toContain(word);
  expect(instructions.length).toBeLessThan(512);
});
