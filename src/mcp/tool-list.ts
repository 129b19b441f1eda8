/** The definitions of `tools/list`, rendered at the first request and cached. */
import * as z from 'zod';
import type { Effect, Surface, Tool } from './tool.ts';

interface ToolDefinition {
  [key: string]: unknown;
  name: string;
  title: string;
  description: string;
  inputSchema: { [key: string]: unknown; type: 'object' };
  outputSchema?: { [key: string]: unknown; type: 'object' };
  annotations: ToolAnnotations;
}

interface ToolAnnotations {
  title?: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  openWorldHint: boolean;
  idempotentHint?: boolean;
}

const rendered = new WeakMap<object, ToolDefinition>();

/** `hasApps`: whether the client shows views of MCP Apps. */
export function definitionsOf<Backend>(surface: Surface<Backend>, hasApps = false): ToolDefinition[] {
  if (hasApps) return surface.tools.map(withView);
  return surface.tools.filter((tool) => !isOnlyForViews(tool)).map(definitionOf);
}

export function isOnlyForViews({ view }: Pick<Tool<never>, 'view'>): boolean {
  return view?.isOnlyCaller === true;
}

function withView<Backend>(tool: Tool<Backend>): ToolDefinition {
  const { view } = tool;
  if (!view) return definitionOf(tool);
  const visibility = view.isOnlyCaller ? ['app'] : undefined;
  return { ...definitionOf(tool), _meta: { ui: { resourceUri: view.uri, visibility } } };
}

export function definitionOf<Backend>(tool: Tool<Backend>): ToolDefinition {
  const known = rendered.get(tool);
  if (known) return known;
  const definition: ToolDefinition = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchemaOf(tool.input(), 'input'),
    outputSchema: tool.output ? jsonSchemaOf(tool.output(), 'output') : undefined,
    annotations: {
      title: tool.annotations?.title,
      ...annotationsOf(tool.effect),
      idempotentHint: tool.annotations?.idempotentHint,
    },
  };
  rendered.set(tool, definition);
  return definition;
}

/** Every tool works on the notebook alone, hence the closed world. */
export function annotationsOf(effect: Effect): ToolAnnotations {
  return { readOnlyHint: effect === 'read', destructiveHint: effect === 'destroy', openWorldHint: false };
}

function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): ToolDefinition['inputSchema'] {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  return { ...json, type: 'object' };
}

/** Bounds and empty schemas without a meaning cost every session bytes. */
function dropNoise(schema: Record<string, unknown>): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.propertyNames && schema.type === 'object') delete schema.propertyNames;
}

/** A tool that may not be used is not listed; a call of it is answered with the reason. */
export interface LimitedSurface<Backend> {
  readonly surface: Surface<Backend>;
  /** Why a tool of the full surface is missing, by name. */
  readonly withheld: ReadonlyMap<string, string>;
}

export function limitSurface<Backend>(
  surface: Surface<Backend>,
  limits: { readonly readOnly: boolean; readonly noDelete: boolean },
): LimitedSurface<Backend> {
  const withheld = new Map<string, string>();
  for (const { name, effect, deletes } of surface.tools)
    if (limits.readOnly && effect !== 'read')
      withheld.set(name, 'This notebook is served read-only (--read-only).');
    else if (limits.noDelete && deletes)
      withheld.set(name, 'Deleting is switched off for this notebook (--no-delete).');
  return {
    surface: { ...surface, tools: surface.tools.filter(({ name }) => !withheld.has(name)) },
    withheld,
  };
}
