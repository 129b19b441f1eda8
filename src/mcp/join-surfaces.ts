/** Several notebooks behind one endpoint: each tool under its notebook's name, working on that notebook alone. */
import type { AppError } from '../shared/errors.ts';
import type { LimitedSurface } from './limit-surface.ts';
import type { CallResult, Surface, Tool } from './tool.ts';

export interface NamedSurface {
  readonly name: string;
  readonly limited: LimitedSurface<never>;
  readonly backend: unknown;
}

export function joinSurfaces(parts: readonly NamedSurface[]): LimitedSurface<unknown> {
  const tools = parts.flatMap((part) => part.limited.surface.tools.map((tool) => underName(part, tool)));
  const first = parts[0]?.limited.surface;
  const surface: Surface<unknown> = {
    id: parts.map(({ name }) => name).join('+'),
    instructions: instructionsOf(parts),
    tools,
    renderError: (error, tool) => (ownerOf(parts, tool) ?? first)?.renderError(error) ?? plainly(error),
    renderUnknownTool: (error, tool) => ownerOf(parts, tool)?.renderUnknownTool?.(error, tool),
    auditLine: (call) => ownerOf(parts, call.tool)?.auditLine?.(call),
    callingLine: (call) => ownerOf(parts, call.tool)?.callingLine?.(call),
  };
  const withheld = parts.flatMap(({ name, limited }) =>
    [...limited.withheld].map(([tool, reason]): [string, string] => [`${name}_${tool}`, reason]),
  );
  return { surface, withheld: new Map(withheld) };
}

/** A call that was not run is answered and told of as its own surface would. */
function ownerOf(parts: readonly NamedSurface[], tool = ''): Surface<never> | undefined {
  return parts.find(({ name }) => tool.startsWith(`${name}_`))?.limited.surface;
}

function plainly({ message, hint }: AppError): CallResult {
  const text = hint === undefined ? `Error: ${message}` : `Error: ${message}\n${hint}`;
  return { content: [{ type: 'text', text }], isError: true };
}

function underName({ name, limited, backend }: NamedSurface, tool: Tool<never>): Tool<unknown> {
  const auditLine = tool.auditLine ?? limited.surface.auditLine;
  return {
    ...tool,
    name: `${name}_${tool.name}`,
    title: `${tool.title} (${name})`,
    renderError: (error) => limited.surface.renderError(error),
    ...(auditLine && { auditLine }),
    run: (input, call) => tool.run(input, { ...call, backend: backend as never }),
  };
}

function instructionsOf(parts: readonly NamedSurface[]): string {
  if (parts.length === 0) return '';
  const names = parts.map(({ name }) => name).join(', ');
  const each = parts.map(({ name, limited }) => `${name}: ${limited.surface.instructions}`);
  return [`Notebooks: ${names}. A tool's name begins with the notebook it works on.`, ...each].join('\n\n');
}
