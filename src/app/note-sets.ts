/** The tool sets over notes, beside the tools of a notebook. */
import type { Config, NotebookConfig } from '../config/schema.ts';
import { type NoteSet, noteSetsOf } from '../config/tool-sets.ts';
import type { Surface, Tool } from '../mcp/tool.ts';
import { limitSurface } from '../mcp/tool-list.ts';
import type { NoteSetBackend } from '../surfaces/shared/note-set.ts';
import type { NotebookServer } from './notebooks.ts';

/** Loaded when one is wanted: most notebooks are served without. */
export const NOTE_SET_SURFACES: Readonly<Record<NoteSet, () => Promise<Surface<NoteSetBackend>>>> = {
  links: async () => (await import('../surfaces/links/surface.ts')).linksSurface,
  tags: async () => (await import('../surfaces/tags/surface.ts')).tagsSurface,
  tasks: async () => (await import('../surfaces/tasks/surface.ts')).tasksSurface,
  properties: async () => (await import('../surfaces/properties/surface.ts')).propertiesSurface,
  sections: async () => (await import('../surfaces/sections/surface.ts')).sectionsSurface,
  daily: async () => (await import('../surfaces/daily/surface.ts')).dailySurface,
  files: async () => (await import('../surfaces/files/surface.ts')).filesSurface,
  trash: async () => (await import('../surfaces/trash/surface.ts')).trashSurface,
  'vault-info': async () => (await import('../surfaces/vault-info/surface.ts')).vaultInfoSurface,
  chatgpt: async () => (await import('../surfaces/chatgpt/surface.ts')).chatgptSurface,
};

/** Where sets are wanted, their tools join the notebook's own, and answer errors in its words. */
export async function withNoteSets(served: NotebookServer, config: NotebookConfig): Promise<NotebookServer> {
  const { noteSetBackend } = served;
  const wanted = noteSetsOf(config);
  if (wanted.length === 0 || !noteSetBackend) return served;
  const sets = await Promise.all(wanted.map((set) => NOTE_SET_SURFACES[set]()));
  const limited = sets.map((set) => limitSurface(set, config));
  const { surface, withheld } = served.limited;
  // A surface may have a tool of its own for the same.
  const own = new Set([...surface.tools.map(({ name }) => name), ...withheld.keys()]);
  const tools = limited.flatMap((set) => set.surface.tools).filter(({ name }) => !own.has(name));
  const changing = new Set(tools.flatMap(({ name, effect }) => (effect === 'read' ? [] : name)));
  const { canPropose } = served;
  return {
    ...served,
    canPropose: canPropose && ((tool) => canPropose(tool) || changing.has(tool)),
    limited: {
      surface: {
        ...surface,
        instructions: [surface.instructions, ...sets.map(({ instructions }) => instructions)].join(' '),
        tools: [...surface.tools, ...tools.map((tool) => over(tool, noteSetBackend))],
      },
      withheld: new Map([...limited.flatMap((set) => [...set.withheld]), ...withheld]),
    },
  };
}

export async function allWithNoteSets(
  notebooks: ReadonlyMap<string, NotebookServer>,
  config: Pick<Config, 'notebooks'>,
): Promise<Map<string, NotebookServer>> {
  const each = [...notebooks].map(
    async ([name, served]) => [name, await withNoteSets(served, config.notebooks[name]!)] as const,
  );
  return new Map(await Promise.all(each));
}

function over(tool: Tool<NoteSetBackend>, backend: () => Promise<NoteSetBackend>): Tool<never> {
  return {
    ...tool,
    run: async (input: never, call: object) =>
      tool.run(input, { ...call, backend: await backend() } as never),
  } as Tool<never>;
}
