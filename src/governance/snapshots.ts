/** Snapshots of the servers' catalogs, so that commands can report and refuse without starting a server. */
import * as z from 'zod';
import type { UpstreamServer } from '../config/control-plane.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { InstructionsEntry } from './catalog/compare.ts';
import { BASELINE, keyOf, type Pin, type ServerPins } from './catalog/pins.ts';
import { digestOf } from './digest.ts';
import { forgetIn, openServerFile, type PlaneFiles, recordFor } from './server-file.ts';
import type { CatalogEntry } from './types.ts';

export interface ServerSnapshot {
  readonly at: number;
  /** Digest of the server's configuration at that time. */
  readonly source?: string;
  readonly entries: readonly CatalogEntry[];
  readonly instructions?: InstructionsEntry;
  readonly protocolVersion?: string;
  readonly serverVersion?: string;
}

export interface ServerSnapshots {
  of(server: string): Promise<ServerSnapshot | undefined>;
  put(server: string, snapshot: ServerSnapshot): Promise<void>;
  forget(server: string): Promise<void>;
}

const MAX_BYTES = 64 * 1024 * 1024;

const entry = z.looseObject({
  server: z.string(),
  definition: z.looseObject({ kind: z.string(), name: z.string() }),
  fingerprint: z.string(),
  state: z.enum(['approved', 'pending', 'changed', 'quarantined']),
  findings: z.array(z.looseObject({ code: z.string() })),
});
const record = z.looseObject({ at: z.number(), entries: z.array(entry) });

export function openServerSnapshots(place: PlaneFiles): ServerSnapshots {
  const file = openServerFile<ServerSnapshot>(place, 'last-seen.json', {
    record,
    maxBytes: MAX_BYTES,
  });
  return {
    of: async (server) => recordFor(await file.read(), server),
    put: (server, snapshot) =>
      file.update((before) => ({ value: { ...before, [server]: snapshot }, result: undefined })),
    forget: async (server) => void (await forgetIn(file, server)),
  };
}

/** Changes when another program or address is configured under the same name. */
export function sourceOf({ transport, command, args, url, env }: UpstreamServer): string {
  return digestOf(
    JSON.parse(JSON.stringify({ transport, command, args, url, env: Object.keys(env).sort() })),
  );
}

/** Undefined when there is no snapshot, or it is of another program or address. */
export async function entriesOf(
  { snapshots, catalog }: { readonly snapshots: ServerSnapshots; readonly catalog: Pick<Catalog, 'pinned'> },
  server: UpstreamServer,
): Promise<readonly CatalogEntry[] | undefined> {
  const [seen, pins] = await Promise.all([snapshots.of(server.name), catalog.pinned(server.name)]);
  if (seen?.source !== sourceOf(server)) return undefined;
  return seen.entries.map((entry) => withPin(entry, pins));
}

/** An operator may have accepted the definition since the snapshot. */
export function withPin(entry: CatalogEntry, pins: ServerPins | undefined): CatalogEntry {
  return isAccepted(entry, pins?.pins[keyOf(entry.definition)]) ? { ...entry, state: 'approved' } : entry;
}

export function withTextPin(text: InstructionsEntry, pins: ServerPins | undefined): InstructionsEntry {
  return isAccepted(text, pins?.instructions) ? { ...text, state: 'approved' } : text;
}

function isAccepted(
  { fingerprint }: Pick<CatalogEntry, 'fingerprint'>,
  pin: Pick<Pin, 'fingerprint' | 'acceptedBy'> | undefined,
): boolean {
  return pin?.fingerprint === fingerprint && pin.acceptedBy !== BASELINE;
}
