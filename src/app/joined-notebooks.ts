/** Several notebooks, and the second brain, behind one endpoint: each tool has the name of its notebook in front. */
import type { Config } from '../config/schema.ts';
import {
  joinPrompts,
  joinResources,
  joinSurfaces,
  type NamedSurface,
  nameIn,
  promptsUnder,
  resourcesUnder,
} from '../mcp/join.ts';
import { createClosers } from '../shared/closers.ts';
import { allWithHistoryTools } from './history-tools.ts';
import { type NotebookServer, openAllServed, type ServerSurface } from './notebooks.ts';
import { withReviewOffers } from './review-offers.ts';
import type { Services } from './services.ts';
import type { StdioServer } from './stdio.ts';

export const BRAIN = 'brain';

/** One notebook keeps the names of its tools, with which those of the second brain never collide. */
export function joined(
  notebooks: ReadonlyMap<string, NotebookServer>,
  brain: ServerSurface | undefined,
  isOne = notebooks.size === 1,
): ServerSurface {
  const isBare = isOne || undefined;
  const parts = [...notebooks].map(
    ([name, { limited, backend }]): NamedSurface => ({ name, limited, backend, isBare }),
  );
  const own: NamedSurface[] = brain
    ? [{ name: BRAIN, limited: brain.limited, backend: brain.backend, isBare: true }]
    : [];
  const resources = [...notebooks].flatMap(([name, served]) => {
    if (!served.resources) return [];
    return isOne ? served.resources : resourcesUnder(name, served.resources);
  });
  const prompts = [...notebooks].flatMap(([name, served]) => {
    if (!served.prompts) return [];
    return isOne ? served.prompts : promptsUnder(name, served.prompts);
  });
  const allResources = [...resources, brain?.resources ?? []].flat();
  const allPrompts = [...prompts, brain?.prompts ?? []].flat();
  return {
    limited: joinSurfaces([...parts, ...own]) as NotebookServer['limited'],
    backend: undefined,
    canPropose: anyCanPropose(notebooks, isBare),
    resources: allResources.length > 0 ? joinResources(allResources) : undefined,
    prompts: allPrompts.length > 0 ? joinPrompts(allPrompts) : undefined,
    logs: brain?.logs,
    notebookOf: notebookOfTool(parts),
  };
}

function notebookOfTool(parts: readonly NamedSurface[]): ServerSurface['notebookOf'] {
  const owners = new Map(
    parts.flatMap((part) => part.limited.surface.tools.map((tool) => [nameIn(part, tool.name), part.name])),
  );
  return (tool) => owners.get(tool);
}

function anyCanPropose(
  notebooks: ReadonlyMap<string, NotebookServer>,
  isBare: true | undefined,
): ServerSurface['canPropose'] {
  const able = [...notebooks].filter(([, served]) => served.canPropose);
  if (able.length === 0) return undefined;
  return (tool) =>
    able.some(([name, { canPropose, limited }]) =>
      limited.surface.tools.some(
        (own) => nameIn({ name, isBare }, own.name) === tool && canPropose?.(own.name) === true,
      ),
    );
}

/** All notebooks of a configuration with several, for one client. */
export async function openJoined(config: Config, services: Services): Promise<StdioServer> {
  const opened = await openAllServed(config, services);
  const closers = createClosers();
  for (const { close } of opened.values()) closers.add(close);
  // In a file of its own, as for one notebook: the tool sets need modules that the main bundle cannot hold.
  const { allWithNoteSets } = await import('./note-sets.ts');
  const notebooks = allWithHistoryTools(await allWithNoteSets(opened, config), config, services);
  const together = withReviewOffers(joined(notebooks, undefined), notebooks.values(), services);
  return {
    ...together,
    start: () => {
      for (const { start } of opened.values()) start();
    },
    warmUpSearches: [...notebooks].flatMap(([name, { warmUpSearch }]) =>
      warmUpSearch ? { ...warmUpSearch, tool: nameIn({ name }, warmUpSearch.tool) } : [],
    ),
    close: () => closers.close(),
  };
}
