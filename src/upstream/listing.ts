/** What a server offers, all pages of it, as it says it. */
import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { CapabilityKind, Definition } from '../governance/types.ts';
import { failure } from './failure.ts';

const MAX_ENTRIES = 10_000;

const CAPABILITY = {
  tool: 'tools',
  resource: 'resources',
  template: 'resources',
  prompt: 'prompts',
} as const satisfies Record<CapabilityKind, string>;

type DescribedServer = {
  mimeType?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  annotations?: unknown;
};

export async function listDefinitions(
  client: Client,
  kind: CapabilityKind,
  request: RequestOptions,
  server: string,
): Promise<Definition[]> {
  // Asked for what a server does not have, the SDK writes to stdout, which is not its own.
  if (!client.getServerCapabilities()?.[CAPABILITY[kind]]) return [];
  const entries = await listOf(client, kind, { ...request, cacheMode: 'refresh' });
  if (entries.length <= MAX_ENTRIES) return entries;
  throw failure('too_many_pages', {
    server,
    hint: `It lists ${entries.length} entries; ${MAX_ENTRIES} are read.`,
  });
}

async function listOf(
  client: Client,
  kind: CapabilityKind,
  options: RequestOptions & { cacheMode: 'refresh' },
): Promise<Definition[]> {
  // The SDK would say so on standard output, where over stdio our own client listens.
  if (!client.getServerCapabilities()?.[CAPABILITY[kind]]) return [];
  switch (kind) {
    case 'tool': {
      const { tools } = await client.listTools(undefined, options);
      return tools.map((tool) => ({
        ...described(kind, tool.name, tool),
        inputSchema: tool.inputSchema,
        ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema }),
      }));
    }
    case 'resource': {
      const { resources } = await client.listResources(undefined, options);
      return resources.map((one) => ({ ...described(kind, one.uri, one), label: one.name }));
    }
    case 'template': {
      const { resourceTemplates } = await client.listResourceTemplates(undefined, options).catch(noTemplates);
      return resourceTemplates.map((one) => ({ ...described(kind, one.uriTemplate, one), label: one.name }));
    }
    case 'prompt': {
      const { prompts } = await client.listPrompts(undefined, options);
      return prompts.map((prompt) => ({
        ...described(kind, prompt.name, prompt),
        ...(prompt.arguments !== undefined && { arguments: prompt.arguments }),
      }));
    }
  }
}

const METHOD_NOT_FOUND = -32601;

/** No capability speaks of templates alone: a server with resources and no templates need not know the question. */
function noTemplates(error: unknown): { resourceTemplates: [] } {
  if ((error as { code?: unknown } | undefined)?.code === METHOD_NOT_FOUND) return { resourceTemplates: [] };
  throw error;
}

function described(
  kind: CapabilityKind,
  name: string,
  { title, description, annotations, mimeType }: DescribedServer,
): Definition {
  return {
    kind,
    name,
    title,
    description,
    annotations,
    mimeType,
  };
}
