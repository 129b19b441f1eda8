/** A tool that may not be used is not listed; whoever calls it all the same is told why. */
import type { Surface, Tool } from './tool.ts';

export interface LimitedSurface<Backend> {
  readonly surface: Surface<Backend>;
  /** Why a tool of the full surface is missing, by name. */
  readonly withheld: ReadonlyMap<string, string>;
}

export function limitSurface<Backend>(
  surface: Surface<Backend>,
  limits: { readonly readOnly: boolean; readonly noDelete: boolean },
): LimitedSurface<Backend> {
  const leftOf = (tool: Tool<Backend>) => (limits.readOnly ? (tool.whenReadOnly ?? tool) : tool);
  const reasonAgainst = (tool: Tool<Backend>): string | undefined => {
    if (limits.readOnly && tool.effect !== 'read') return 'This notebook is served read-only (--read-only).';
    return limits.noDelete && tool.deletes
      ? 'Deleting is switched off for this notebook (--no-delete).'
      : undefined;
  };
  const tools = surface.tools.map(leftOf);
  const withheld = new Map<string, string>();
  for (const tool of tools) {
    const reason = reasonAgainst(tool);
    if (reason !== undefined) withheld.set(tool.name, reason);
  }
  return {
    surface: { ...surface, tools: tools.filter(({ name }) => !withheld.has(name)) },
    withheld,
  };
}
