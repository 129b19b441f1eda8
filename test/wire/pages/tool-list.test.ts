/** The answer to `tools/list`, and that every tool result keeps to it. */
import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, test } from 'vitest';
import { budgetOf, exampleOf, pinnedTools } from '../../kit/pinned-tools.ts';
import { withPages } from '../../kit/server.ts';

type Hints = [readOnly: boolean, destructive: boolean];

interface InputSchema {
  properties: Record<string, { description?: string }>;
  required?: string[];
  additionalProperties: boolean;
}

/** The documented tools: their required and optional parameters, and their hints. */
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

test('the tools are listed in one fixed order, within their byte budget', async () => {
  const { client } = await withPages();
  const { tools } = await client.listTools();
  expect(tools).toEqual(pinnedTools('pages'));
  const documented = TOOLS.map(([name]) => name);
  expect(tools.map(({ name }) => name).filter((name) => documented.includes(name))).toEqual(documented);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(budgetOf('pages'));
});

test.each(TOOLS)('%s has its parameters and hints', async (name, required, optional, hints) => {
  const { client } = await withPages();
  const tool = (await client.listTools()).tools.find((candidate) => candidate.name === name);
  const schema = tool?.inputSchema as unknown as InputSchema;
  expect(schema.required ?? []).toEqual(required);
  expect(Object.keys(schema.properties).sort()).toEqual([...required, ...optional].sort());
  expect(tool?.annotations).toEqual({
    readOnlyHint: hints[0],
    destructiveHint: hints[1],
    openWorldHint: false,
  });
});

test('every tool has an example that is valid input, and a strict and described schema', async () => {
  const { client } = await withPages();
  for (const tool of (await client.listTools()).tools) {
    const { properties, additionalProperties } = tool.inputSchema as unknown as InputSchema;
    expect(additionalProperties, tool.name).toBe(false);
    for (const [parameter, { description }] of Object.entries(properties))
      expect(description, `${tool.name}.${parameter}`).toMatch(/^\S.{5,}/);
    // Answers are content blocks, also those of failed calls, which an output schema would forbid.
    expect(tool.outputSchema, tool.name).toBeUndefined();
    const judge = new AjvJsonSchemaValidator().getValidator(tool.inputSchema as JsonSchemaType);
    expect(judge(exampleOf(tool)), tool.name).toMatchObject({ valid: true });
  }
});

test('instructions tell a model where to begin', async () => {
  const { client } = await withPages();
  const instructions = client.getInstructions() ?? '';
  for (const word of ['search_pages', 'list_pages', 'read_page', 'lastModified', 'append_to_page'])
    expect(instructions).toContain(word);
  expect(instructions.length).toBeLessThan(512);
});
