/** The definitions of `tools/list`, rendered at the first request and cached. */
import * as z from 'zod';
import type { Effect, Surface, Tool } from './tool.ts';

interface ToolDefinition {
  [key: string]: unknown;
  name: string;
  title?: string;
  description: string;
  inputSchema: { [key: string]: unknown; type: 'object' };
  outputSchema?: { type: 'object' };
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
    // A display name among the annotations needs no second copy.
    title: tool.annotations?.title === undefined ? tool.title : undefined,
    description: tool.description,
    inputSchema: { ...jsonSchemaOf(tool.input(), 'input'), type: 'object' },
    // Whole schemas were half of a list; docs/tools.md has them.
    outputSchema: tool.line && { type: 'object' },
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

/** The JSON of a tool's answers; undefined where they are not JSON. */
export function answerSchemaOf<Backend>({ output }: Tool<Backend>): Record<string, unknown> | undefined {
  return output && jsonSchemaOf(output(), 'output');
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  return json;
}

/** The largest number that Trilium stores as a position; larger bounds are only those of the language. */
const LARGEST_NUMBER = 2 ** 31 - 1;

/**
 * Every session pays for the bytes of what no model needs to make a call: bounds that none meets by accident. They are
 * checked all the same, and whoever exceeds one is told.
 */
function dropNoise(schema: Record<string, unknown>): void {
  delete schema.maxLength;
  if (schema.minLength === 1) delete schema.minLength;
  if (schema.minItems === 1) delete schema.minItems;
  if (Number(schema.maxItems) >= 100) delete schema.maxItems;
  for (const key of ['default', 'additionalProperties'])
    if (['[]', '{}'].includes(JSON.stringify(schema[key]) ?? '')) delete schema[key];
  if (schema.minimum === 0) delete schema.minimum;
  if (Number(schema.maximum) >= LARGEST_NUMBER) delete schema.maximum;
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
  limits: { readonly readOnly: boolean; readonly noDelete: boolean; readonly emptyTrash?: boolean },
): LimitedSurface<Backend> {
  const withheld = new Map<string, string>();
  for (const { name, effect, deletes, purges } of surface.tools)
    if (limits.readOnly && effect !== 'read')
      withheld.set(name, 'This notebook is served read-only (--read-only).');
    else if (limits.noDelete && deletes)
      withheld.set(name, 'Deleting is switched off for this notebook (--no-delete).');
    else if (purges && !limits.emptyTrash)
      withheld.set(
        name,
        'Deleting for good is switched off. The setting emptyTrash: true of the notebook allows it.',
      );
  return {
    surface: { ...surface, tools: surface.tools.filter(({ name }) => !withheld.has(name)) },
    withheld,
  };
}
