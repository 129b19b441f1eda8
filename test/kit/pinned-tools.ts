/**
 * The definitions that `test/toolsnaps.test.ts` pins, and the example call in each description. Tests that hold for
 * every tool take their list from here, so that a new tool needs no row in them.
 */
import { readFileSync } from 'node:fs';
import type { Tool } from '@modelcontextprotocol/client';
import type { Surface } from '../../src/mcp/tool.ts';
import { answerSchemaOf } from '../../src/mcp/tool-list.ts';
import type { Args } from './bad-input.ts';

export function pinnedTools(surface: string): Tool[] {
  const read = (file: string) =>
    JSON.parse(readFileSync(new URL(`../toolsnaps/${file}.json`, import.meta.url), 'utf8'));
  return (read(surface) as string[]).map((name) => read(`${surface}/${name}`) as Tool);
}

export function pinnedNames(surface: string): string[] {
  return pinnedTools(surface).map(({ name }) => name);
}

/** The JSON Schema of a tool's answers, which clients are not sent. */
export function answerSchema({ tools }: Pick<Surface<never>, 'tools'>, name: string) {
  return answerSchemaOf(tools.find((tool) => tool.name === name)!);
}

/** Every client reads all definitions at every start: bytes of the JSON of `tools/list`. */
const LIST_BYTES = {
  notebook: 11_000,
  vault: 5_000,
  pages: 7_000,
  'pages-extended': 8_000,
  trilium: 18_000,
  brain: 12_000,
  history: 3_000,
  links: 4_400,
  tags: 3_200,
  tasks: 5_000,
  properties: 3_200,
  sections: 3_600,
  daily: 2_600,
  files: 5_000,
  trash: 2_400,
  'vault-info': 1_000,
  chatgpt: 1_400,
} as const;

export function budgetOf(surface: keyof typeof LIST_BYTES): number {
  return LIST_BYTES[surface];
}

/** The arguments of `Example: {…}`, with which a description ends. */
export function exampleOf({ name, description }: Pick<Tool, 'name' | 'description'>): Args {
  const [, example] = /Example: (\{.*\})$/.exec(description ?? '') ?? [];
  if (example === undefined) throw new Error(`The description of ${name} does not end with an example`);
  return JSON.parse(example) as Args;
}

/** Notes with which the examples of all notebook and vault tools succeed. */
export const EXAMPLE_NOTES: Readonly<Record<string, string>> = {
  'a.md': 'text\n',
  'b.md': 'text\n',
  'api.md': '---\nstatus: draft\n---\n# API\n\nNotes on authentication.\n',
  'old.md': 'old\n',
  'plan.md': '# Plan\n',
  'inbox/idea.md': 'an idea\n',
  'projects/plan.md': `---\nstatus: open\n---\n# Plan\n${'heating controller\n'.repeat(300)}`,
};
