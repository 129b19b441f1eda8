/** The catalog: definitions of servers, pinned when they are accepted, and compared with the pins from then on. */
import { AppError } from '../../shared/errors.ts';
import { forgetIn, type PlaneFiles, type RecordsByServer, recordFor } from '../server-file.ts';
import type { CatalogEntry } from '../types.ts';
import { acceptsUnseen, type Comparison, compareSteps, type DiscoveredServer } from './compare.ts';
import { BASELINE, keyOf, openPins, pinOf, type ServerPins } from './pins.ts';
import type { OtherServer } from './scan/shadowing.ts';
import { createScanCache } from './scan-cache.ts';

export interface Catalog {
  /** Compares with the pins; pins what a server first offers, where the configuration says that it needs no review. */
  discover(discovered: Omit<DiscoveredServer, 'others'>): Promise<Comparison>;
  /** An operator has reviewed these definitions, findings included. */
  accept(entries: readonly CatalogEntry[], by: string): Promise<void>;
  /** Removes the pins of definitions that the server no longer offers. */
  acceptRemovals(comparison: Comparison): Promise<void>;
  acceptInstructions(comparison: Comparison, by: string): Promise<void>;
  pinned(server: string): Promise<ServerPins | undefined>;
  /** Removes all pins of a server, as if it had never been seen. */
  forget(server: string): Promise<void>;
}

const MAX_DEFINITIONS = 2_000;

export function openCatalog({ now = Date.now, ...place }: PlaneFiles & { now?: () => number }): Catalog {
  const file = openPins(place);
  const cache = createScanCache();
  const change = (server: string, make: (before: ServerPins) => ServerPins) =>
    file.update((all) => ({
      value: { ...all, [server]: make(recordFor(all, server) ?? { pins: {} }) },
      result: undefined,
    }));
  const discover = async (discovered: Omit<DiscoveredServer, 'others'>): Promise<Comparison> => {
    assertBounded(discovered);
    const { server } = discovered;
    const all = await file.read();
    const known = { ...discovered, others: othersOf(all, server), scan: cache };
    const result = await cache.run(server, compareSteps(known, recordFor(all, server)));
    if (!result.isFirst || !acceptsUnseen(discovered) || result.entries.length === 0) return result;
    const isPinned = await file.update((present) => {
      const isNew = recordFor(present, server) === undefined;
      return { value: isNew ? { ...present, [server]: baselineOf(result, now()) } : present, result: isNew };
    });
    // Another process was first: what it pinned counts.
    return isPinned ? result : discover(discovered);
  };
  return {
    discover,
    async accept(entries, by) {
      entries.forEach(assertAcceptable);
      for (const server of new Set(entries.map((entry) => entry.server))) {
        const own = entries.filter((entry) => entry.server === server);
        const pins = own.map((entry) => [keyOf(entry.definition), pinOf(entry, by, now())] as const);
        await change(server, (before) => ({
          ...before,
          pins: { ...before.pins, ...Object.fromEntries(pins) },
        }));
      }
    },
    async acceptRemovals({ server, changes }) {
      const gone = new Set(changes.filter(({ change: what }) => what === 'removed').map(keyOf));
      if (gone.size === 0) return;
      await change(server, (before) => ({
        ...before,
        pins: Object.fromEntries(Object.entries(before.pins).filter(([key]) => !gone.has(key))),
      }));
    },
    async acceptInstructions({ server, instructions }, by) {
      if (!instructions) return;
      await change(server, (before) => ({ ...before, instructions: textPinOf(instructions, by, now()) }));
    },
    pinned: async (server) => recordFor(await file.read(), server),
    forget: async (server) => void (await forgetIn(file, server)),
  };
}

function othersOf(all: RecordsByServer<ServerPins>, server: string): OtherServer[] {
  return Object.entries(all)
    .filter(([name]) => name !== server)
    .map(([name, { pins }]) => ({ server: name, names: toolNames(pins) }));
}

function toolNames(pins: ServerPins['pins']): string[] {
  return Object.values(pins)
    .map(({ definition }) => definition)
    .filter(({ kind }) => kind === 'tool')
    .map(({ name }) => name);
}

function baselineOf({ entries, instructions }: Comparison, at: number): ServerPins {
  const approved = entries.filter(({ state }) => state === 'approved');
  const pins = approved.map((entry) => [keyOf(entry.definition), pinOf(entry, BASELINE, at)] as const);
  return {
    pins: Object.fromEntries(pins),
    instructions: instructions?.state === 'approved' ? textPinOf(instructions, BASELINE, at) : undefined,
  };
}

function textPinOf(
  { text, fingerprint }: NonNullable<Comparison['instructions']>,
  acceptedBy: string,
  acceptedAt: number,
): ServerPins['instructions'] {
  return { text, fingerprint, acceptedAt, acceptedBy };
}

function assertBounded({ server, definitions }: Omit<DiscoveredServer, 'others'>): void {
  if (definitions.length <= MAX_DEFINITIONS) return;
  throw new AppError('upstream_failed', 'The server offers more than can be looked at', {
    subject: `${server}: ${definitions.length}, at most ${MAX_DEFINITIONS}`,
    hint: 'Ask its makers for a smaller one, or disable it.',
  });
}

function assertAcceptable({ definition, findings }: CatalogEntry): void {
  const blocking = findings.find(
    ({ code }) => code === 'definition.too_large' || code === 'definition.duplicate',
  );
  if (!blocking) return;
  throw new AppError('invalid_input', 'This definition cannot be accepted', {
    subject: `${definition.name}: ${blocking.excerpt}`,
    hint: 'Only the makers of the server can fix that.',
  });
}
