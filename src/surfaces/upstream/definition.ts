/** Definitions of upstream capabilities as our own endpoint lists them. */
import { spelledOut } from '../../governance/exposure/names.ts';
import type { Exposure } from '../../governance/exposure/visibility.ts';
import type { ActionClass } from '../../governance/types.ts';
import type { PromptDefinition, ResourceEntry, ResourceTemplate } from '../../mcp/offers.ts';
import type { Effect, LiveDefinition } from '../../mcp/tool.ts';
import { recordOf } from '../../shared/records.ts';

export const APPROVAL = 'sb/approval';
const RENAMED = 'sb/renamed-from';

export function definitionOf(exposure: Exposure): LiveDefinition {
  const { name, candidate } = exposure;
  const { inputSchema, outputSchema, annotations } = candidate.entry.definition;
  return {
    ...describedOf(exposure),
    name,
    inputSchema: { ...recordOf(inputSchema), type: 'object' },
    outputSchema,
    annotations: { ...recordOf(annotations), ...hintsOf(candidate.class, annotations) },
  };
}

export function promptOf(exposure: Exposure): PromptDefinition {
  const { arguments: args } = exposure.candidate.entry.definition;
  return {
    ...describedOf(exposure),
    name: exposure.name,
    arguments: Array.isArray(args) ? (args as NonNullable<PromptDefinition['arguments']>) : undefined,
  };
}

export function resourceOf(exposure: Exposure): ResourceEntry {
  const { label, mimeType, annotations } = exposure.candidate.entry.definition;
  return {
    ...describedOf(exposure),
    ...(annotations !== undefined && { annotations: recordOf(annotations) }),
    uri: exposure.name,
    name: label ?? exposure.name,
    mimeType,
  };
}

export function templateOf(exposure: Exposure): ResourceTemplate {
  const { uri: uriTemplate, ...rest } = resourceOf(exposure);
  return { ...rest, uriTemplate };
}

function describedOf({ needsApproval, isRenamed, candidate }: Exposure) {
  const { name, title, description } = candidate.entry.definition;
  const original = isRenamed ? spelledOut(name) : undefined;
  const meta = {
    ...(needsApproval && { [APPROVAL]: 'required' }),
    ...(original !== undefined && { [RENAMED]: original }),
  };
  return {
    title: original === undefined ? title : `Renamed from "${original}"`,
    description,
    _meta: Object.keys(meta).length > 0 ? meta : undefined,
  };
}

/** A server's own hints are kept only where they do not understate the action class. */
function hintsOf(actionClass: ActionClass, annotations: unknown): Record<string, boolean> {
  const isSaidToRead = recordOf(annotations).readOnlyHint === true;
  return {
    ...(isSaidToRead && actionClass !== 'read_only' && { readOnlyHint: false }),
    ...(actionClass === 'destructive' && { destructiveHint: true }),
  };
}

const EFFECTS: Readonly<Record<ActionClass, Effect>> = {
  read_only: 'read',
  local_write: 'write',
  external: 'write',
  destructive: 'destroy',
};

export function effectOf({ candidate }: Exposure): Effect {
  return EFFECTS[candidate.class];
}
