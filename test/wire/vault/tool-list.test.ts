/** The answer to `tools/list`, and that every tool result keeps to it. */
import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, test } from 'vitest';
import { vaultSurface } from '../../../src/surfaces/vault/surface.ts';
import { answerSchema, budgetOf, EXAMPLE_NOTES, exampleOf, pinnedTools } from '../../kit/pinned-tools.ts';
import { startVault, withVault } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';

type Hints = [readOnly: boolean, destructive: boolean];

interface InputSchema {
  properties: Record<string, { default?: unknown; description?: string }>;
  required?: string[];
  additionalProperties: boolean;
}

/** The documented tools: their required and optional parameters with defaults, and their hints. */
const TOOLS: [name: string, required: string[], optional: Record<string, unknown>, hints: Hints][] = [
  ['vault_list_all', [], { cursor: undefined }, [true, false]],
  ['vault_list', [], { path: '/', cursor: undefined }, [true, false]],
  ['vault_read', ['path'], { offset: 1, limit: 0, column: 1 }, [true, false]],
  ['vault_search', ['query'], { max_results: 20 }, [true, false]],
  ['vault_write', ['path', 'content'], { create_dirs: true, expected_version: undefined }, [false, true]],
  ['vault_edit', ['path', 'old_text', 'new_text'], {}, [false, false]],
];

/** Good calls, in an order in which all succeed, beside the example of each tool. */
const CALLS: [string, Record<string, unknown>][] = [
  ['vault_write', { path: 'n/new.md', content: '# N\n' }],
  ['vault_list_all', {}],
  ['vault_list', {}],
  ['vault_list', { path: 'n' }],
  ['vault_read', { path: 'n/new.md' }],
  ['vault_read', { path: 'long.md' }],
  ['vault_read', { path: 'p.png' }],
  ['vault_search', { query: 'text' }],
  ['vault_search', { query: 'zzz' }],
  ['vault_edit', { path: 'n/new.md', old_text: '# N', new_text: '# M' }],
];
const SEED = { 'a.md': 'text\n', 'long.md': 'text\n'.repeat(300), 'p.png': Uint8Array.of(1) };

function verdict(schema: unknown, value: unknown) {
  return new AjvJsonSchemaValidator().getValidator(schema as JsonSchemaType)(value);
}

test('the tools are listed in one fixed order, within their byte budget', async () => {
  const { client } = await withVault();
  const { tools } = await client.listTools();
  expect(tools).toEqual(pinnedTools('vault'));
  const documented = TOOLS.map(([name]) => name);
  expect(tools.map(({ name }) => name).filter((name) => documented.includes(name))).toEqual(documented);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(budgetOf('vault'));
});

test.each(TOOLS)('%s has its parameters, defaults and hints', async (name, required, optional, hints) => {
  const { client } = await withVault();
  const tool = (await client.listTools()).tools.find((candidate) => candidate.name === name);
  const schema = tool?.inputSchema as unknown as InputSchema;
  expect(schema.required ?? []).toEqual(required);
  expect(Object.keys(schema.properties).sort()).toEqual([...required, ...Object.keys(optional)].sort());
  for (const [parameter, usual] of Object.entries(optional))
    expect(schema.properties[parameter]?.default, parameter).toEqual(usual);
  expect(tool?.annotations).toEqual({
    readOnlyHint: hints[0],
    destructiveHint: hints[1],
    openWorldHint: false,
  });
});

test('every tool has a title, an example that is valid input, and a strict and described schema', async () => {
  const { client } = await withVault();
  for (const tool of (await client.listTools()).tools) {
    const { properties, additionalProperties } = tool.inputSchema as unknown as InputSchema;
    expect(tool.title, tool.name).toMatch(/^[A-Z]/);
    expect(verdict(tool.inputSchema, exampleOf(tool)), tool.name).toMatchObject({ valid: true });
    expect(additionalProperties, tool.name).toBe(false);
    for (const [parameter, { description }] of Object.entries(properties))
      expect(description, `${tool.name}.${parameter}`).toMatch(/^\S.{5,}/);
  }
});

test('every answer begins with a text block of JSON, as its schema says', async () => {
  const seed = { ...EXAMPLE_NOTES, ...SEED };
  for (const { client, call } of [await withVault(seed), await startVault(await temporaryFolder(seed))]) {
    const { tools } = await client.listTools();
    const examples = tools.map((tool) => [tool.name, exampleOf(tool)] as const);
    for (const [name, args] of [...CALLS, ...examples]) {
      const answer = await call(name, args);
      expect(answer.isError, `${name}: ${answer.text}`).toBe(false);
      expect(verdict(answerSchema(vaultSurface, name), answer.json), name).toMatchObject({ valid: true });
      expect(answer.content[0]?.text, name).toBe(JSON.stringify(answer.json));
    }
  }
});

test('instructions tell a model where to begin', async () => {
  const { client } = await withVault();
  const instructions = client.getInstructions() ?? '';
  for (const word of ['vault_list_all', 'vault_search', 'vault_edit']) expect(instructions).toContain(word);
  expect(instructions.length).toBeLessThan(512);
});
