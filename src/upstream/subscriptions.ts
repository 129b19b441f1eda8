/**
 * Resources of a server that somebody wants to hear of. The server is asked once for each, however many listen, again
 * when the session is a new one, and no more when nobody listens.
 */
import type { Client } from '@modelcontextprotocol/client';
import type { Session } from './session.ts';

const MAX_RESOURCES = 200;

interface WatchedResource {
  readonly listeners: Set<() => void>;
  /** In the session there is now. */
  stop?: Promise<() => Promise<void>>;
}

export class Subscriptions {
  readonly #watched = new Map<string, WatchedResource>();
  readonly #session: () => Session | undefined;

  constructor(session: () => Session | undefined) {
    this.#session = session;
  }

  /** Resolves once the server was asked. Throws when it refuses, or there are too many. */
  async add(uri: string, updated: () => void): Promise<() => void> {
    const known = this.#watched.get(uri);
    if (!known && this.#watched.size >= MAX_RESOURCES)
      throw new Error(`More than ${MAX_RESOURCES} resources are subscribed to already`);
    const watched = known ?? { listeners: new Set() };
    this.#watched.set(uri, watched);
    // A listener of its own for everybody who asks, also where it is the same function.
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

  updated(uri: string): void {
    for (const listener of this.#watched.get(uri)?.listeners ?? []) listener();
  }

  /** In a new session everything is asked for anew. */
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

  #remove(uri: string, watched: WatchedResource, listener: () => void): void {
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0 || this.#watched.get(uri) !== watched) return;
    this.#watched.delete(uri);
    // The session may be over, and the subscription with it.
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
