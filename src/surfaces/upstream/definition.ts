/** A tool of a server behind us, as it is listed at our own endpoint. */
import type { Exposure } from '../../governance/exposure.ts';
import type { ActionClass } from '../../governance/types.ts';
import type { LiveDefinition } from '../../mcp/live-tools.ts';
import type { Effect } from '../../mcp/tool.ts';

export const APPROVAL = 'sb/approval';

export function definitionOf({ name, needsApproval, candidate }: Exposure): LiveDefinition {
  const { title, description, inputSchema, outputSchema, annotations } = candidate.entry.definition;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { ...objectIn(inputSchema), type: 'object' },
    ...(outputSchema !== undefined && { outputSchema }),
    annotations: { ...objectIn(annotations), ...hintsOf(candidate.class, annotations) },
    ...(needsApproval && { _meta: { [APPROVAL]: 'required' } }),
  };
}

/** What a server says of itself holds as far as it does not make it look tamer than it was judged. */
function hintsOf(actionClass: ActionClass, annotations: unknown): Record<string, boolean> {
  const isSaidToRead = objectIn(annotations).readOnlyHint === true;
  return {
    ...(isSaidToRead && actionClass !== 'read_only' && { readOnlyHint: false }),
    ...(actionClass === 'destructive' && { destructiveHint: true }),
  };
}

export function effectOf({ candidate }: Exposure): Effect {
  switch (candidate.class) {
    case 'read_only':
      return 'read';
    case 'destructive':
      return 'destroy';
    default:
      return 'write';
  }
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
