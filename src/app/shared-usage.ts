/** Counts of tool calls summed over replicas: each adds what it has counted since to one document. */
import { type CountedCall, createUsage, type Usage, type UsageSnapshot } from '../http/usage.ts';
import type { Log } from '../shared/log.ts';
import type { Database } from '../state/postgres/database.ts';
import { openDocuments } from '../state/postgres/documents.ts';

/** Counts, and where they are kept. */
export interface KeptUsage {
  readonly counts: Pick<Usage, 'report' | 'apps'>;
  count(call: CountedCall): void;
  /** Never fails. */
  save(): Promise<void>;
  close?(): void;
}

const NAME = 'usage';
const MAX_BYTES = 8 * 1024 * 1024;
/** So often the sum is read anew while somebody looks at it. */
const LOOK_MS = 1_000;
const NONE: UsageSnapshot = { version: 1, tools: [], apps: [] };

export function openSharedUsage(database: Database, log: Log): KeptUsage {
  const documents = openDocuments(database);
  const parse = (value: unknown) => {
    sumOf(value as UsageSnapshot);
    return value as UsageSnapshot;
  };
  const file = documents.open(NAME, { parse, empty: NONE, maxBytes: MAX_BYTES });
  let shared = NONE;
  /** Counted here, and not in the document yet. */
  let own = createUsage();
  /** Being added to the document. */
  let leaving = NONE;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const read = async () => {
    shared = await file.read();
  };
  const look = () => {
    if (performance.now() - lookedAt < LOOK_MS) return;
    lookedAt = performance.now();
    read().catch(() => {});
  };
  const all = (): Usage => {
    look();
    return sumOf(shared, leaving, own.snapshot());
  };
  read().catch((error: unknown) =>
    log('warn', 'the counts of tool calls could not be read', { error: String(error) }),
  );
  return {
    counts: { report: (period) => all().report(period), apps: () => all().apps() },
    count: (call) => own.count(call),
    async save() {
      leaving = own.snapshot();
      own = createUsage();
      try {
        shared = await file.update((before) => {
          const value = sumOf(before, leaving).snapshot();
          return { value, result: value };
        });
      } catch (error) {
        log('warn', 'the counts of tool calls could not be saved', { error: String(error) });
        own.add(leaving);
      }
      leaving = NONE;
    },
    close: () => documents.close(),
  };
}

function sumOf(...snapshots: readonly UsageSnapshot[]): Usage {
  const sum = createUsage();
  for (const one of snapshots) sum.add(one);
  return sum;
}
