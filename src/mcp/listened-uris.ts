/** Which resources a client of 2026-07-28 names when it begins to listen. */

const MAX_URIS = 100;

export function listenedUris(message: unknown): readonly string[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { notifications?: unknown } };
  if (method !== 'subscriptions/listen') return [];
  const { resourceSubscriptions: uris } = (params?.notifications ?? {}) as {
    resourceSubscriptions?: unknown;
  };
  if (!Array.isArray(uris)) return [];
  return uris.slice(0, MAX_URIS).filter((uri): uri is string => typeof uri === 'string');
}
