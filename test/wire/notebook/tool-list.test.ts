/** The answer to `tools/list`, and that every tool result keeps to it. */
import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, test } from 'vitest';
import { notebookSurface } from '../../../src/surfaces/notebook/surface.ts';
import { answerSchema, budgetOf, EXAMPLE_NOTES, exampleOf, pinnedTools } from '../../kit/pinned-tools.ts';
import { withFolder } from '../../kit/server.ts';

interface PinnedTool {
  required: string[];
  optional: Record<string, unknown>;
  hints: [readOnly: boolean, destructive: boolean];
}

interface InputSchema {
  properties: Record<string, { default?: unknown; description?: string }>;
  required?: string[];
  additionalProperties: boolean;
}

/** The documented tools: their required and optional parameters with defaults, and their hints. */
const TOOLS: Record<string, PinnedTool> = {
  read_note: { required: ['path'], optional: { offset: 0, prettyPrint: false }, hints: [true, false] },
  write_note: {
    required: ['path', 'content'],
    optional: { frontmatter: undefined, mode: 'overwrite', expectedVersion: undefined },
    hints: [false, true],
  },
  patch_note: {
    required: ['path', 'oldString', 'newString'],
    optional: { replaceAll: false },
    hints: [false, false],
  },
  delete_note: {
    required: ['path', 'confirmPath'],
    optional: { expectedVersion: undefined },
    hints: [false, true],
  },
  move_note: {
    required: ['oldPath', 'newPath'],
    optional: { overwrite: false, updateLinks: true, dryRun: false, expectedVersion: undefined },
    hints: [false, true],
  },
  list_directory: {
    required: [],
    optional: { path: '', offset: 0, prettyPrint: false },
    hints: [true, false],
  },
  search_notes: {
    required: [],
    optional: {
      query: undefined,
      properties: undefined,
      limit: 10,
      searchContent: true,
      searchFrontmatter: true,
      caseSensitive: false,
      folder: undefined,
      tag: undefined,
      regex: undefined,
      modifiedAfter: undefined,
      modifiedBefore: undefined,
      mode: 'auto',
      sort: 'relevance',
      offset: 0,
      prettyPrint: false,
    },
    hints: [true, false],
  },
  read_multiple_notes: {
    required: ['paths'],
    optional: { includeContent: true, includeFrontmatter: true, prettyPrint: false },
    hints: [true, false],
  },
  get_frontmatter: { required: ['path'], optional: { prettyPrint: false }, hints: [true, false] },
  update_frontmatter: {
    required: ['path', 'frontmatter'],
    optional: { merge: true, expectedVersion: undefined },
    hints: [false, false],
  },
  get_notes_info: { required: ['paths'], optional: { prettyPrint: false }, hints: [true, false] },
  manage_tags: {
    required: ['path', 'operation'],
    optional: { tags: undefined, removeInline: false },
    hints: [false, false],
  },
};

/** Good calls, in an order in which all succeed, beside the example of each tool. */
const CALLS: [string, Record<string, unknown>][] = [
  ['write_note', { path: 'n/new.md', content: '# N\n', frontmatter: { tags: ['a'] } }],
  ['read_note', { path: 'n/new.md' }],
  ['patch_note', { path: 'n/new.md', oldString: '# N', newString: '# M' }],
  ['list_directory', {}],
  ['search_notes', { query: 'm' }],
  ['search_notes', { query: 'zzz' }],
  ['search_notes', { query: 'text', limit: 1 }],
  ['read_multiple_notes', { paths: ['n/new.md', 'no.md'] }],
  ['read_multiple_notes', { paths: ['n/new.md'], includeContent: false, includeFrontmatter: false }],
  ['get_frontmatter', { path: 'n/new.md' }],
  ['get_frontmatter', { path: 'a.md' }],
  ['update_frontmatter', { path: 'n/new.md', frontmatter: { status: 'done' } }],
  ['get_notes_info', { paths: ['n/new.md', 'no.md'] }],
  ['manage_tags', { path: 'n/new.md', operation: 'list' }],
  ['manage_tags', { path: 'n/new.md', operation: 'add', tags: ['b'] }],
  ['manage_tags', { path: 'n/new.md', operation: 'remove', tags: ['b'] }],
  ['move_note', { oldPath: 'a.md', newPath: 'b/a.md' }],
  ['delete_note', { path: 'n/new.md', confirmPath: 'n/new.md' }],
];
const SEED = { 'a.md': 'text\n', 'link.md': 'text [[a]] [x](a.md)\n', 'bad.md': Uint8Array.of(0xff) };

function verdict(schema: unknown, value: unknown) {
  return new AjvJsonSchemaValidator().getValidator(schema as JsonSchemaType)(value);
}

test('the tools are listed by name, in one fixed order', async () => {
  const { client } = await withFolder();
  const { tools } = await client.listTools();
  expect(tools).toEqual(pinnedTools('notebook'));
  expect(tools.map(({ name }) => name).filter((name) => name in TOOLS)).toEqual(Object.keys(TOOLS));
});

test.each(Object.entries(TOOLS))('%s has its parameters, defaults and hints', async (name, expected) => {
  const { client } = await withFolder();
  const tool = (await client.listTools()).tools.find((one) => one.name === name);
  const schema = tool?.inputSchema as unknown as InputSchema;
  expect(schema.required ?? []).toEqual(expected.required);
  expect(Object.keys(schema.properties)).toEqual(
    expect.arrayContaining([...expected.required, ...Object.keys(expected.optional)]),
  );
  expect(Object.keys(schema.properties)).toHaveLength(
    expected.required.length + Object.keys(expected.optional).length,
  );
  for (const [parameter, value] of Object.entries(expected.optional))
    expect(schema.properties[parameter]?.default, parameter).toEqual(value);
  const [readOnlyHint, destructiveHint] = expected.hints;
  expect(tool?.annotations).toEqual({ readOnlyHint, destructiveHint, openWorldHint: false });
});

test('every tool has a title, a description with an example that is valid input, and both schemas', async () => {
  const { client } = await withFolder();
  for (const tool of (await client.listTools()).tools) {
    expect(tool.title, tool.name).toMatch(/^[A-Z]/);
    expect(verdict(tool.inputSchema, exampleOf(tool)), tool.name).toMatchObject({ valid: true });
    expect(tool.outputSchema, tool.name).toBeUndefined();
    expect(tool.annotations?.openWorldHint, tool.name).toBe(false);
    const { properties, additionalProperties } = tool.inputSchema as unknown as InputSchema;
    for (const [parameter, { description }] of Object.entries(properties))
      expect(description, `${tool.name}.${parameter}`).toMatch(/\w/);
    expect(additionalProperties, tool.name).toBe(false);
  }
});

test('the whole list is within its byte budget', async () => {
  const { client } = await withFolder();
  const { tools } = await client.listTools();
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(budgetOf('notebook'));
});

test('every answer of every tool is text with JSON in it, as its schema says, and no structured content', async () => {
  const { client, call } = await withFolder(SEED);
  const { tools } = await client.listTools();
  const expectWhole = async (name: string, args: Record<string, unknown>, through = call) => {
    const answer = await through(name, args);
    expect(answer.isError, `${name}: ${answer.text}`).toBe(false);
    expect(verdict(answerSchema(notebookSurface, name), answer.json), name).toMatchObject({ valid: true });
  };
  for (const [name, args] of CALLS) await expectWhole(name, args);
  for (const tool of tools)
    await expectWhole(tool.name, exampleOf(tool), (await withFolder(EXAMPLE_NOTES)).call);
});

test('prettyPrint never changes what an answer says', async () => {
  const { call } = await withFolder(SEED);
  for (const [name, args] of CALLS.filter(([tool]) => 'prettyPrint' in (TOOLS[tool]?.optional ?? {}))) {
    const known = JSON.parse(JSON.stringify(args).replaceAll('n/new.md', 'a.md'));
    const plain = await call(name, known);
    const pretty = await call(name, { ...known, prettyPrint: true });
    expect(pretty.json, name).toEqual(plain.json);
    expect(plain.content[0]?.text, name).toBe(JSON.stringify(plain.json));
    expect(pretty.content[0]?.text, name).toBe(JSON.stringify(plain.json, null, 2));
  }
});

test('instructions tell a model where to begin', async () => {
  const { client } = await withFolder();
  const instructions = client.getInstructions() ?? '';
  expect(instructions).toContain('search_notes');
  expect(instructions).toContain('patch_note');
  expect(instructions.length).toBeLessThan(512);
});
