/** Every tool set, with its tools and the bytes that it adds to a model's context. */
import type { Surface } from '../mcp/tool.ts';
import { definitionsOf } from '../mcp/tool-list.ts';
import { brainSurface } from '../surfaces/brain/surface.ts';
import { historySurface } from '../surfaces/history/surface.ts';
import { notebookSurface } from '../surfaces/notebook/surface.ts';
import { furtherPagesSurface, pagesSurface } from '../surfaces/pages/surface.ts';
import { triliumSurface } from '../surfaces/trilium/surface.ts';
import { vaultSurface } from '../surfaces/vault/surface.ts';

export interface ToolSetRow {
  readonly set: string;
  /** Whether it is the set of a command, or one that stands beside any of them. */
  readonly kind: 'command' | 'further';
  readonly tools: readonly string[];
  /** Of the JSON of its definitions, which a client reads at every start. */
  readonly bytes: number;
}

export async function toolSetRows(): Promise<ToolSetRow[]> {
  return (await toolSets()).map(([surface, kind]) => rowOf(surface, kind));
}

/** Everything that has tools, in the order of the sets. */
export async function allSurfaces(): Promise<Surface<never>[]> {
  return (await toolSets()).flatMap(([surface]) =>
    surface.id === pagesSurface.id ? [surface, furtherPagesSurface as Surface<never>] : surface,
  );
}

async function toolSets(): Promise<(readonly [Surface<never>, ToolSetRow['kind']])[]> {
  const { NOTE_SET_SURFACES } = await import('./note-sets.ts');
  const own = [notebookSurface, vaultSurface, pagesSurface, triliumSurface, brainSurface];
  const noteSets = await Promise.all(Object.values(NOTE_SET_SURFACES).map((load) => load()));
  return [
    ...own.map((surface) => [surface as Surface<never>, 'command'] as const),
    ...[historySurface, ...noteSets].map((surface) => [surface as Surface<never>, 'further'] as const),
  ];
}

function rowOf(surface: Surface<never>, kind: ToolSetRow['kind']): ToolSetRow {
  const tools = definitionsOf(surface);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  return { set: surface.id, kind, tools: tools.map(({ name }) => name), bytes };
}
