/** Subscriptions to the resources that a client of 2026-07-28 names in `subscriptions/listen`. */
import type { Log } from '../shared/log.ts';
import type { Caller } from '../shared/principal.ts';
import type { Resources } from './offers.ts';

const MAX_URIS = 100;

interface SubscriptionParts {
  readonly resources: Resources;
  readonly caller: Caller;
  readonly log: Log;
}

/** Resolves to a function that ends the subscriptions. */
export async function subscribeForListener(
  message: unknown,
  { resources, caller, log }: SubscriptionParts,
): Promise<() => void> {
  const stops = await Promise.all(
    listenedUris(message).map((uri) =>
      // A resource that does not exist has no changes to report.
      resources.subscribe?.(uri, caller).catch((error: unknown) => {
        log('debug', 'not subscribed', { error: String(error) });
      }),
    ),
  );
  return () => {
    for (const stop of stops) stop?.();
  };
}

export function listenedUris(message: unknown): readonly string[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions: uris } = (params?.notifications ?? {}) as {
    resourceSubscriptions?: unknown;
  };
  if (!Array.isArray(uris)) return [];
  return uris.slice(0, MAX_URIS).filter((uri): uri is string => typeof uri === 'string');
}
