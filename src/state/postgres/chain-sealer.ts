/** Seals the end of a chain in PostgreSQL: a moment after lines were added, and at once when many are not sealed yet. */
import type { ChainAnchor } from '../chain-anchor.ts';
import { type ChainEnd, type ChainSeal, type outsideHead, sealed } from '../chain-seal.ts';
import type { Database } from './database.ts';
import { STATE_SCHEMA } from './schema.ts';

export const CHAIN = `${STATE_SCHEMA}.chain`;
const SEAL_MS = 100;
/** With more lines beyond the sealed end, the append waits for the seal. */
const MOST_UNSEALED = 64;

interface SealerParts {
  readonly database: Database;
  readonly name: string;
  readonly sealOf: () => ChainSeal | undefined;
  /** The copy of the end beside the key. */
  readonly outside: () => ReturnType<typeof outsideHead> | undefined;
  readonly anchor?: ChainAnchor;
}

export function createSealer({ database, name, sealOf, outside, anchor }: SealerParts) {
  let unsealed: ChainEnd | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sealing: Promise<void> = Promise.resolve();
  const write = async () => {
    const end = unsealed;
    unsealed = undefined;
    if (!end) return;
    const made = sealed(end, sealOf()?.key);
    const [row] = await database
      .repeatable<{ id: number }>(
        `update ${CHAIN} set noted = $2, noted_seq = $3
         where name = $1 and kept_as is null and noted_seq < $3 returning id`,
        [name, JSON.stringify(made), made.seq],
      )
      .catch((error: unknown) => {
        // The next attempt seals it, unless there is a later end by then.
        unsealed ??= end;
        throw error;
      });
    // The copy outside comes second, so that it is never ahead of the end after a crash.
    if (row) await outside()?.write(made);
    anchor?.tell(made);
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sealing = sealing.catch(() => {}).then(write);
    return sealing;
  };
  return {
    async added({ seq, hash }: ChainEnd, sealedSeq: number): Promise<void> {
      if (!unsealed || unsealed.seq < seq) unsealed = { seq, hash };
      if (seq - sealedSeq > MOST_UNSEALED) await flush().catch(() => {});
      else timer ??= setTimeout(() => void flush().catch(() => {}), SEAL_MS).unref();
    },
    flush,
  };
}
