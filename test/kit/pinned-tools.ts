/**
 * The definitions that `test/toolsnaps.test.ts` pins, and the example call in each description. Tests that hold for
 * every tool take their list from here, so that a new tool needs no row in them.
 */
import { readFileSync } from 'node:fs';
import type { Tool } from '@modelcontextprotocol/client';
import type { Args } from './bad-input.ts';

export function pinnedTools(surface: string): Tool[] {
  const read = (file: string) =>
    JSON.parse(readFileSync(new URL(`../toolsnaps/${file}.json`, import.meta.url), 'utf8'));
  return (read(surface) as string[]).map((name) => read(`${surface}/${name}`) as Tool);
}

export function pinnedNames(surface: string): string[] {
  return pinnedTools(surface).map(({ name }) => name);
}

/** Every client reads all definitions at every start, so each surface has a byte budget per tool. */
const BYTES_PER_TOOL = { notebook: 1_333, vault: 1_333, pages: 1_000, trilium: 1_263 } as const;

/** In bytes of the JSON of `tools/list`. */
export function budgetOf(surface: keyof typeof BYTES_PER_TOOL): number {
  return BYTES_PER_TOOL[surface] * pinnedNames(surface).length;
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
