/** Every tool set, with its tools and the bytes that it adds to a model's context. */
import type { Surface } from '../mcp/tool.ts';
import { definitionsOf } from '../mcp/tool-list.ts';
import { brainSurface } from '../surfaces/brain/surface.ts';
import { historySurface } from '../surfaces/history/surface.ts';
import { notebookSurface } from '../surfaces/notebook/surface.ts';
import { pagesSurface } from '../surfaces/pages/surface.ts';
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
  const { NOTE_SET_SURFACES } = await import('./note-sets.ts');
  const own = [notebookSurface, vaultSurface, pagesSurface, triliumSurface, brainSurface];
  const noteSets = await Promise.all(Object.values(NOTE_SET_SURFACES).map((load) => load()));
  return [
    ...own.map((surface) => rowOf(surface as Surface<never>, 'command')),
    ...[historySurface, ...noteSets].map((surface) => rowOf(surface as Surface<never>, 'further')),
  ];
}

function rowOf(surface: Surface<never>, kind: ToolSetRow['kind']): ToolSetRow {
  const tools = definitionsOf(surface);
  const bytes = Buffer.byteLength(JSON.stringify({ tools }));
  return { set: surface.id, kind, tools: tools.map(({ name }) => name), bytes };
}
