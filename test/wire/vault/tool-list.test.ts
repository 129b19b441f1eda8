/** What a client learns from `tools/list`, and that every answer keeps to it. */
import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { expect, test } from 'vitest';
import { startVault, withVault } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';

type Hints = [readOnly: boolean, destructive: boolean];

/** Parameters that must be given, those that need not with their defaults, and what the tool may do. */
const TOOLS: [name: string, required: string[], optional: Record<string, unknown>, hints: Hints][] = [
  ['vault_list_all', [], { cursor: undefined }, [true, false]],
  ['vault_list', [], { path: '/', cursor: undefined }, [true, false]],
  ['vault_read', ['path'], { offset: 1, limit: 0, column: 1 }, [true, false]],
  ['vault_search', ['query'], { max_results: 20 }, [true, false]],
  ['vault_write', ['path', 'content'], { create_dirs: true }, [false, true]],
  ['vault_edit', ['path', 'old_text', 'new_text'], {}, [false, false]],
];

/** Good calls, in an order in which all succeed. */
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

test('the six tools are listed in one fixed order, in under 8,000 bytes', async () => {
  const { client } = await withVault();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(([name]) => name));
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(8_000);
});

test.each(TOOLS)('%s has its parameters, defaults and hints', async (name, required, optional, hints) => {
  const { client } = await withVault();
  const tool = (await client.listTools()).tools.find((candidate) => candidate.name === name);
  const schema = tool?.inputSchema as unknown as {
    properties: Record<string, { default?: unknown; description?: string }>;
    required?: string[];
    additionalProperties: boolean;
  };
  expect(schema.required ?? []).toEqual(required);
  expect(schema.additionalProperties).toBe(false);
  expect(Object.keys(schema.properties).sort()).toEqual([...required, ...Object.keys(optional)].sort());
  for (const [parameter, usual] of Object.entries(optional))
    expect(schema.properties[parameter]?.default, parameter).toEqual(usual);
  for (const { description } of Object.values(schema.properties)) expect(description).toMatch(/^\S.{5,}/);
  expect(tool?.annotations).toEqual({
    readOnlyHint: hints[0],
    destructiveHint: hints[1],
    openWorldHint: false,
  });
  expect(tool?.title).toMatch(/^[A-Z]/);
  const example = /Example: (\{.*\})$/.exec(tool?.description ?? '')?.[1];
  expect(verdict(tool?.inputSchema, JSON.parse(example ?? 'null'))).toMatchObject({ valid: true });
});

test('every answer is whole in structuredContent, as its schema says, and the same as text', async () => {
  const folder = await temporaryFolder(SEED);
  for (const { client, call } of [await withVault(SEED), await startVault(folder)]) {
    const { tools } = await client.listTools();
    expect(new Set(CALLS.map(([name]) => name)).size).toBe(6);
    for (const [name, args] of CALLS) {
      const answer = await call(name, args);
      expect(answer.isError, `${name}: ${answer.text}`).toBe(false);
      const { outputSchema } = tools.find((tool) => tool.name === name) ?? {};
      expect(verdict(outputSchema, answer.structured), name).toMatchObject({ valid: true });
      expect(answer.content[0]?.text, name).toBe(JSON.stringify(answer.structured));
    }
  }
});

test('instructions tell a model where to begin', async () => {
  const { client } = await withVault();
  const instructions = client.getInstructions() ?? '';
  for (const word of ['vault_list_all', 'vault_search', 'vault_edit']) expect(instructions).toContain(word);
  expect(instructions.length).toBeLessThan(512);
});
