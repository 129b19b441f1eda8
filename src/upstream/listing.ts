/** Lists the definitions of a server, all pages, and subscribes to its resources. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { CapabilityKind, Definition } from './definition.ts';
import { failure } from './failure.ts';
import type { Session } from './session.ts';

const MAX_ENTRIES = 10_000;
const MAX_CHARACTERS = 2 * 1024 * 1024;

const CAPABILITY = {
  tool: 'tools',
  resource: 'resources',
  template: 'resources',
  prompt: 'prompts',
} as const satisfies Record<CapabilityKind, string>;

type ListedItem = {
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
  // The SDK would write a warning to stdout, which over stdio belongs to our own client.
  if (!client.getServerCapabilities()?.[CAPABILITY[kind]]) return [];
  // A list that the client keeps is searched for output schemas, which it would compile.
  const entries = await listOf(client, kind, { ...request, cacheMode: 'bypass' });
  // The client has just checked them all.
  await nextTurn();
  if (entries.length > MAX_ENTRIES)
    throw failure('too_many_pages', {
      server,
      hint: `It lists ${entries.length} entries; ${MAX_ENTRIES} are read.`,
    });
  if (isLarger(entries, MAX_CHARACTERS))
    throw failure('too_many_pages', {
      server,
      hint: `Its ${CAPABILITY[kind]} are described in more than ${MAX_CHARACTERS} characters, which are compared and kept at every listing. Ask its makers for shorter ones.`,
    });
  return entries;
}

/** Stops counting at the limit. */
function isLarger(entries: readonly Definition[], most: number): boolean {
  let size = 0;
  return entries.some((entry) => {
    size += JSON.stringify(entry).length;
    return size > most;
  });
}

async function listOf(
  client: Client,
  kind: CapabilityKind,
  options: RequestOptions & { cacheMode: 'bypass' },
): Promise<Definition[]> {
  switch (kind) {
    case 'tool': {
      const { tools } = await client.listTools(undefined, options);
      return tools.map((tool) => ({
        ...definitionOf(kind, tool.name, tool),
        inputSchema: tool.inputSchema,
        outputSchema: tool.outputSchema,
      }));
    }
    case 'resource': {
      const { resources } = await client.listResources(undefined, options);
      return resources.map((one) => ({ ...definitionOf(kind, one.uri, one), label: one.name }));
    }
    case 'template': {
      const { resourceTemplates } = await client.listResourceTemplates(undefined, options).catch(noTemplates);
      return resourceTemplates.map((one) => ({
        ...definitionOf(kind, one.uriTemplate, one),
        label: one.name,
      }));
    }
    case 'prompt': {
      const { prompts } = await client.listPrompts(undefined, options);
      return prompts.map((prompt) => ({
        ...definitionOf(kind, prompt.name, prompt),
        arguments: prompt.arguments,
      }));
    }
  }
}

const METHOD_NOT_FOUND = -32601;

/** Templates have no capability of their own: a server with resources may not know the method. */
function noTemplates(error: unknown): { resourceTemplates: [] } {
  if ((error as { code?: unknown } | undefined)?.code === METHOD_NOT_FOUND) return { resourceTemplates: [] };
  throw error;
}

function definitionOf(
  kind: CapabilityKind,
  name: string,
  { title, description, annotations, mimeType }: ListedItem,
): Definition {
  return { kind, name, title, description, annotations, mimeType };
}

const MAX_RESOURCES = 200;

interface ResourceSubscription {
  readonly listeners: Set<() => void>;
  /** Ends the subscription of the present session. */
  stop?: Promise<() => Promise<void>>;
}

/** One subscription for each resource, shared by its listeners, renewed in a new session and ended with the last listener. */
export class Subscriptions {
  readonly #watched = new Map<string, ResourceSubscription>();
  readonly #session: () => Session | undefined;

  constructor(session: () => Session | undefined) {
    this.#session = session;
  }

  /** Resolves once the server has agreed. Rejects when it refuses, or there are too many. */
  async add(uri: string, updated: () => void): Promise<() => void> {
    const known = this.#watched.get(uri);
    if (!known && this.#watched.size >= MAX_RESOURCES)
      throw new Error(`More than ${MAX_RESOURCES} resources are subscribed to already`);
    const watched = known ?? { listeners: new Set() };
    this.#watched.set(uri, watched);
    // A new function for each subscriber, since two may pass an identical one.
    const listener = () => updated();
    watched.listeners.add(listener);
    const stop = () => this.#remove(uri, watched, listener);
    const session = this.#session();
    if (session) watched.stop ??= subscribe(session.client, uri);
    await watched.stop?.catch((error: unknown) => {
      stop();
      throw error;
    });
    return stop;
  }

  has(uri: string): boolean {
    return this.#watched.has(uri);
  }

  updated(uri: string): void {
    for (const listener of this.#watched.get(uri)?.listeners ?? []) listener();
  }

  /** To be called in a new session. */
  renew(): void {
    const session = this.#session();
    for (const [uri, watched] of this.#watched) {
      if (!session) return;
      watched.stop = subscribe(session.client, uri);
      watched.stop.catch(() => undefined);
    }
  }

  close(): void {
    this.#watched.clear();
  }

  #remove(uri: string, watched: ResourceSubscription, listener: () => void): void {
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0 || this.#watched.get(uri) !== watched) return;
    this.#watched.delete(uri);
    // Fails when the session has ended, and the subscription with it.
    void watched.stop?.then((stop) => stop()).catch(() => undefined);
  }
}

async function subscribe(client: Client, uri: string): Promise<() => Promise<void>> {
  if (client.getProtocolEra() === 'modern') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return () => subscription.close();
  }
  await client.subscribeResource({ uri });
  return async () => void (await client.unsubscribeResource({ uri }));
}
