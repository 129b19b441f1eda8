/**
 * What a server offered when it was last asked, as it is judged now: enough to refuse a call, or to ask somebody about
 * it, without starting anything. Whatever is to run is asked for anew.
 */
import type { UpstreamServer } from '../config/control-plane.ts';
import { keyOf } from './catalog/fingerprint.ts';
import { BASELINE, type ServerPins } from './catalog/pins.ts';
import { digestOf } from './digest.ts';
import type { Plane } from './plane.ts';
import type { CatalogEntry } from './types.ts';

/** Changes when another program or address is configured under the same name. */
export function sourceOf({ transport, command, args, url, env }: UpstreamServer): string {
  return digestOf(
    JSON.parse(JSON.stringify({ transport, command, args, url, env: Object.keys(env).sort() })),
  );
}

/** Undefined when it was never asked, or was another one then. */
export async function rememberedEntries(
  { lastSeen, catalog }: Pick<Plane, 'lastSeen' | 'catalog'>,
  server: UpstreamServer,
): Promise<readonly CatalogEntry[] | undefined> {
  const [seen, pins] = await Promise.all([lastSeen.of(server.name), catalog.pinned(server.name)]);
  if (seen?.source !== sourceOf(server)) return undefined;
  return seen.entries.map((entry) => withPin(entry, pins));
}

/** Somebody may have accepted it since it was seen. */
export function withPin(entry: CatalogEntry, pins: ServerPins | undefined): CatalogEntry {
  const pin = pins?.pins[keyOf(entry.definition)];
  const isAccepted = pin?.fingerprint === entry.fingerprint && pin.acceptedBy !== BASELINE;
  return isAccepted ? { ...entry, state: 'approved' } : entry;
}
