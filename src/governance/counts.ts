/** What is counted of the servers while they run: by the name it has in reports and metrics, with its audit field. */
import type { LoadCounts } from '../upstream/incoming.ts';
import type { AuditEvent } from './audit/events.ts';

type NestedEvent = Extract<AuditEvent, { event: 'nested' }>;
export type NestedCounts = { -readonly [Name in keyof Omit<NestedEvent, 'event' | 'server'>]-?: number };

/** Questions of a server. */
export const NESTED_COUNTS = {
  roots: 'roots',
  sampling: 'sampling',
  sampling_refused: 'refused',
  sampling_input_tokens: 'inputTokens',
  sampling_output_tokens: 'outputTokens',
  elicitations_accepted: 'accepted',
  elicitations_declined: 'declined',
  elicitations_cancelled: 'cancelled',
} as const satisfies Record<string, keyof NestedCounts>;

/** Messages of a server that were left out. */
export const LOAD_COUNTS = {
  logs: 'logs',
  list_changes: 'listChanges',
  progress: 'progress',
  resource_updates: 'updates',
  requests: 'requests',
  unknown: 'unknown',
} as const satisfies Record<string, keyof LoadCounts>;

type Names = Readonly<Record<string, string>>;
export type Tally<Named extends Names> = Readonly<Record<keyof Named, number>>;

/** The sum of a tally and the fields of an event; each may be missing. */
export function summed<Named extends Names>(
  names: Named,
  before: Partial<Tally<Named>> | undefined,
  event: Readonly<Partial<Record<Named[keyof Named], number>>>,
): Tally<Named> {
  const sums = (Object.keys(names) as (keyof Named)[]).map((name) => [
    name,
    (before?.[name] ?? 0) + (event[names[name] as Named[keyof Named]] ?? 0),
  ]);
  return Object.fromEntries(sums) as Tally<Named>;
}

/** Since the process began. */
export interface ServerCounts {
  readonly server: string;
  readonly leftOut: Tally<typeof LOAD_COUNTS>;
  readonly nested: Tally<typeof NESTED_COUNTS>;
}

interface CountedConnection {
  readonly server: string;
  readonly load: Readonly<LoadCounts>;
  readonly nested: Readonly<NestedCounts>;
}

/** A server that was started again has several connections, each with counts of its own. */
export function countsByServer(connections: readonly CountedConnection[]): ServerCounts[] {
  const byServer = new Map<string, ServerCounts>();
  for (const { server, load, nested } of connections) {
    const before = byServer.get(server);
    byServer.set(server, {
      server,
      leftOut: summed(LOAD_COUNTS, before?.leftOut, load),
      nested: summed(NESTED_COUNTS, before?.nested, nested),
    });
  }
  return [...byServer.values()];
}
