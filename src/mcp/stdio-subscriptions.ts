/** Resources that a client of 2026-07-28 listens for on its one line, until it says that it does not any more. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Log } from '../shared/log.ts';
import { listenedUris } from './listened-uris.ts';
import type { Resources } from './resources.ts';

export interface StdioSubscriptions {
  /** Looks at what the client says. */
  hear(message: JSONRPCMessage): void;
  close(): void;
}

const MAX_LISTENING = 100;

export function stdioSubscriptions(resources: Resources, log: Log): StdioSubscriptions {
  const listening = new Map<unknown, Promise<(() => void) | undefined>[]>();
  const stop = (id: unknown) => {
    for (const one of listening.get(id) ?? []) void one.then((end) => end?.());
    listening.delete(id);
  };
  return {
    hear(message) {
      if (!('method' in message)) return;
      if (message.method === 'notifications/cancelled') return stop(message.params?.requestId);
      const uris = listenedUris(message);
      if (uris.length === 0 || !('id' in message) || listening.size >= MAX_LISTENING) return;
      const subscribed = uris.map(async (uri) =>
        // The list may be of some that are not there: nothing will be heard of them.
        resources.subscribe?.(uri, {}).catch((error: unknown) => {
          log('debug', 'not subscribed', { error: String(error) });
          return undefined;
        }),
      );
      listening.set(message.id, subscribed);
    },
    close() {
      for (const id of [...listening.keys()]) stop(id);
    },
  };
}
