/** Which tools are at which path: what is alone has `/mcp` to itself, several share it and have one of their own beside. */

import { joinPrompts, joinResources, joinSurfaces, type NamedSurface } from '../mcp/join.ts';
import { AppError } from '../shared/errors.ts';
import type { NotebookServer, ServerSurface } from './notebooks.ts';

export const MCP_PATH = '/mcp';
const BRAIN = 'brain';

interface ExtraSurfaces {
  readonly brain: ServerSurface | undefined;
  /** The second brain and nothing else. */
  readonly isAlone: boolean;
  /** What governed servers have goes beside. */
  readonly beside: (surface: ServerSurface) => ServerSurface;
}

export function endpointsOf(
  notebooks: ReadonlyMap<string, NotebookServer>,
  { brain, isAlone, beside }: ExtraSurfaces,
): Map<string, ServerSurface> {
  if (brain && isAlone) return new Map([[MCP_PATH, beside(brain)]]);
  if (brain && notebooks.has(BRAIN))
    throw new AppError('invalid_input', `No notebook can be called ${BRAIN} beside the second brain`, {
      hint: `Its tools are at ${MCP_PATH}/${BRAIN}. Give the notebook another name.`,
    });
  const [only, ...others] = notebooks.values();
  if (only && others.length === 0 && !brain) return new Map([[MCP_PATH, beside(only)]]);
  const isOne = notebooks.size === 1;
  const each = isOne ? [] : [...notebooks].map(([name, served]) => [`${MCP_PATH}/${name}`, served] as const);
  return new Map<string, ServerSurface>([
    [MCP_PATH, beside(joined(notebooks, brain))],
    ...each,
    ...(brain ? [[`${MCP_PATH}/${BRAIN}`, brain] as const] : []),
  ]);
}

/** A notebook alone keeps the names of its tools; those of the second brain are nobody else's. */
function joined(
  notebooks: ReadonlyMap<string, NotebookServer>,
  brain: ServerSurface | undefined,
): ServerSurface {
  const isOne = notebooks.size === 1;
  const parts = [...notebooks].map(
    ([name, { limited, backend }]): NamedSurface => ({
      name,
      limited,
      backend,
      isBare: isOne ? true : undefined,
    }),
  );
  if (!brain) return { limited: joinSurfaces(parts) as NotebookServer['limited'], backend: undefined };
  const own: NamedSurface = { name: BRAIN, limited: brain.limited, backend: brain.backend, isBare: true };
  const beside = isOne ? [...notebooks.values()][0] : undefined;
  const resources = [beside?.resources ?? [], brain.resources ?? []].flat();
  const prompts = [beside?.prompts ?? [], brain.prompts ?? []].flat();
  return {
    limited: joinSurfaces([...parts, own]) as NotebookServer['limited'],
    backend: undefined,
    resources: joinResources(resources),
    prompts: joinPrompts(prompts),
    logs: brain.logs,
  };
}

/** How far the search index of each notebook is, of those that have one. */
export function indexedNotes(notebooks: ReadonlyMap<string, NotebookServer>) {
  return [...notebooks].flatMap(([notebook, { indexStatus }]) => {
    const status = indexStatus();
    return status ? [{ notebook, ...status }] : [];
  });
}
