/** Several notebooks behind one endpoint: each tool under its notebook's name, working on that notebook alone. */
import type { AppError } from '../shared/errors.ts';
import type { LimitedSurface } from './limit-surface.ts';
import type { CallResult, Surface, Tool } from './tool.ts';

export interface NamedSurface {
  readonly name: string;
  readonly limited: LimitedSurface<never>;
  readonly backend: unknown;
  /** Its tools keep their names. */
  readonly isBare?: true;
}

export function joinSurfaces(parts: readonly NamedSurface[]): LimitedSurface<unknown> {
  const tools = parts.flatMap((part) => part.limited.surface.tools.map((tool) => underName(part, tool)));
  const first = parts[0]?.limited.surface;
  const mayChange = parts.some(({ limited }) => limited.surface.toolsMayChange);
  const surface: Surface<unknown> = {
    id: parts.map(({ name }) => name).join('+'),
    instructions: instructionsOf(parts),
    tools,
    ...(mayChange && { toolsMayChange: true }),
    renderError: (error, tool) => (ownerOf(parts, tool) ?? first)?.renderError(error) ?? plainly(error),
    renderUnknownTool: (error, tool) => ownerOf(parts, tool)?.renderUnknownTool?.(error, tool),
    auditLine: (call) => ownerOf(parts, call.tool)?.auditLine?.(call),
    callingLine: (call) => ownerOf(parts, call.tool)?.callingLine?.(call),
  };
  const withheld = parts.flatMap((part) =>
    [...part.limited.withheld].map(([tool, reason]): [string, string] => [nameIn(part, tool), reason]),
  );
  return { surface, withheld: new Map(withheld) };
}

/** A call that was not run is answered and told of as its own surface would. */
function ownerOf(parts: readonly NamedSurface[], tool = ''): Surface<never> | undefined {
  return parts.find((part) => owns(part, tool))?.limited.surface;
}

function owns({ name, limited, isBare }: NamedSurface, tool: string): boolean {
  if (!isBare) return tool.startsWith(`${name}_`);
  return limited.withheld.has(tool) || limited.surface.tools.some((own) => own.name === tool);
}

function nameIn({ name, isBare }: NamedSurface, tool: string): string {
  return isBare ? tool : `${name}_${tool}`;
}

function plainly({ message, hint }: AppError): CallResult {
  const text = hint === undefined ? `Error: ${message}` : `Error: ${message}\n${hint}`;
  return { content: [{ type: 'text', text }], isError: true };
}

function underName(part: NamedSurface, tool: Tool<never>): Tool<unknown> {
  const { name, limited, backend, isBare } = part;
  const auditLine = tool.auditLine ?? limited.surface.auditLine;
  return {
    ...tool,
    name: nameIn(part, tool.name),
    title: isBare ? tool.title : `${tool.title} (${name})`,
    renderError: (error) => limited.surface.renderError(error),
    ...(auditLine && { auditLine }),
    run: (input, call) => tool.run(input, { ...call, backend: backend as never }),
  };
}

function instructionsOf(parts: readonly NamedSurface[]): string {
  const named = parts.filter(({ isBare }) => !isBare);
  const names = named.map(({ name }) => name).join(', ');
  const lead = `Notebooks: ${names}. A tool's name begins with the notebook it works on.`;
  const each = parts.map(({ name, limited, isBare }) =>
    isBare ? limited.surface.instructions : `${name}: ${limited.surface.instructions}`,
  );
  return [...(named.length > 0 ? [lead] : []), ...each].join('\n\n');
}
