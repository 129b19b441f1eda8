/**
 * A hash chain in PostgreSQL, with one order across replicas. The lines, their hashes and the seal are those of a chain in
 * files. A replica seals the end a moment after an append, by a key that the database does not have, and keeps a copy of it
 * beside that key.
 */
import { AppError } from '../../shared/errors.ts';
import { onceDone } from '../../shared/memoize.ts';
import { type Chain, type ChainOptions, MAX_SKIPPED } from '../chain.ts';
import { BrokenChain, type ChainWitnesses, endProblem, FRESH } from '../chain-check.ts';
import { exportLines } from '../chain-export.ts';
import { type ChainEnd, type ChainEntry, type ChainLine, hashOf, readChainLine } from '../chain-files.ts';
import { type ChainReport, newWalk, reportOf, walkLine } from '../chain-read.ts';
import { type ChainSeal, endOf, outsideHead, sealStateOf } from '../chain-seal.ts';
import { MAX_LINE_BYTES } from '../line-file.ts';
import { type Appended, createAppends, LINE } from './chain-appends.ts';
import { CHAIN, createSealer } from './chain-sealer.ts';
import type { Database, Queries } from './database.ts';
import type { Leases } from './lease.ts';

export interface PostgresChainOptions
  extends Omit<ChainOptions, 'folder' | 'maxBytes' | 'keepParts' | 'quick'> {
  readonly database: Database;
  readonly leases: Leases;
  /** Of all lines; the oldest are removed, and the chain has a line about that. */
  readonly mostBytes?: number;
}

const MOST_BYTES = 128 * 1024 * 1024;
const PAGE = 2_000;
/** So many of the last lines are looked at before the first is added. */
const CHECKED_LINES = 5_000;
const RECHECK_MS = 60_000;
/** So often a broken chain is looked at again: it may have been acknowledged. */
const BROKEN_MS = 250;
/** Beyond what several replicas may leave unsealed, the end was changed. */
const MAX_UNSEALED = 4 * 256;
/** Seq, time and the hash before, around the members of an entry. */
const AROUND_BYTES = 160;

interface Head {
  readonly id: number;
  readonly uid: string;
  readonly seq: number;
  readonly hash: string;
  readonly noted: string | null;
}

export function openPostgresChain(options: PostgresChainOptions): Chain {
  const { database, leases, name, now, follow, anchor, mostBytes = MOST_BYTES } = options;
  let seal: ChainSeal | undefined;
  let uid: string | undefined;
  const loadSeal = onceDone(async () => {
    seal = await options.seal?.();
  });

  const headIn = async (queries: Pick<Queries, 'query'>, lock = ''): Promise<Head | undefined> => {
    const [head] = await queries.query<Head>(
      `select id, uid, seq, hash, noted from ${CHAIN} where name = $1 and kept_as is null ${lock}`,
      [name],
    );
    uid = head?.uid ?? uid;
    return head;
  };
  const reading = { query: database.repeatable };
  const outside = () => (seal && uid !== undefined ? outsideHead(seal, `/postgres/${uid}`, name) : undefined);
  const witnessesOf = async (head: Head | undefined): Promise<ChainWitnesses> => {
    const noted = endOf(head?.noted ?? undefined);
    const copy = await outside()?.read();
    return {
      noted,
      seal: noted ? sealStateOf(noted, seal?.key) : 'plain',
      outside: [copy, await anchor?.read()].filter((one) => one !== undefined),
      sealedBy: copy?.key,
    };
  };

  const sealer = createSealer({ database, name, sealOf: () => seal, outside, anchor });
  const added = async (end: Appended) => {
    await sealer.added(end, end.noted_seq);
    if (end.bytes > mostBytes) void removeOldest().catch(() => {});
  };
  const appends = createAppends({
    database,
    name,
    now,
    follow,
    headIn,
    onAdded: async (end) => {
      if (uid === undefined) await headIn(reading);
      await added(end);
    },
  });

  /** By one replica: the oldest quarter goes, and a line says so in the same transaction. */
  const removeOldest = async () => {
    const lease = await leases.acquire(`chain ${name}`);
    if (!lease) return;
    try {
      const last = await database.transaction(async (transaction) => {
        const head = await headIn(transaction, 'for update');
        const [size] = await transaction.query<{ first: number; bytes: number }>(
          `select bytes, (select min(seq) from ${LINE} where chain = $1) as first from ${CHAIN} where id = $1`,
          [head?.id],
        );
        if (!head || !size || size.bytes <= mostBytes) return undefined;
        const until = size.first + Math.ceil((head.seq - size.first) / 4);
        const [gone] = await transaction.query<{ bytes: number }>(
          `with gone as (delete from ${LINE} where chain = $1 and seq < $2 returning octet_length(line) + 1 as bytes)
           select coalesce(sum(bytes), 0)::bigint as bytes from gone`,
          [head.id, until],
        );
        await transaction.query(`update ${CHAIN} set bytes = bytes - $2 where id = $1`, [
          head.id,
          gone?.bytes,
        ]);
        return appends.insert(transaction, [bodyOf({ event: 'rotated', oldest: until } as ChainEntry)]);
      });
      if (last) await added(last);
    } finally {
      await lease.release();
    }
  };

  let broken: BrokenChain | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let seen: (ChainEnd & { readonly chain: number }) | undefined;

  /** The links of the last lines, or of those since the last look, and the end against every note of it. */
  const check = async () => {
    try {
      await loadSeal();
      const head = await headIn(reading);
      const witnesses = await witnessesOf(head);
      const from = head && seen?.chain === head.id ? seen.seq : Math.max(0, (head?.seq ?? 0) - CHECKED_LINES);
      const known = head && seen?.chain === head.id ? seen.hash : undefined;
      let end: ChainEnd | undefined = known === undefined ? undefined : { seq: from, hash: known };
      if (head)
        for await (const { seq, line } of linesOf(database, head, from)) {
          const { prev, seq: number } = readChainLine(line) ?? {};
          if (prev === undefined) throw new BrokenChain({ code: 'unreadable_line', seq });
          if (number !== seq || (end && seq !== end.seq + 1))
            throw new BrokenChain({ code: 'wrong_number', seq });
          if (end && prev !== end.hash) throw new BrokenChain({ code: 'broken_link', seq });
          end = { seq, hash: hashOf(line) };
          for (const one of [witnesses.noted, ...witnesses.outside])
            if (one?.seq === seq && one.hash !== end.hash)
              throw new BrokenChain({ code: 'end_changed', seq });
        }
      const found = end ?? FRESH;
      if (head && (head.seq !== found.seq || (head.seq > 0 && head.hash !== found.hash)))
        throw new BrokenChain({ code: head.seq > found.seq ? 'cut_short' : 'end_changed', seq: found.seq });
      // Lines may be unsealed: their replica has ended.
      const isNoted =
        witnesses.noted !== undefined || witnesses.outside.length > 0 || found.seq > MAX_UNSEALED;
      const problem = isNoted || found.seq === 0 ? endProblem(found, witnesses, found.seq > 0) : undefined;
      if (problem) throw new BrokenChain(problem);
      if (found.seq > (witnesses.noted?.seq ?? 0) + MAX_UNSEALED)
        throw new BrokenChain({ code: 'end_changed', seq: found.seq });
      broken = undefined;
      if (head) seen = { ...found, chain: head.id };
      checkedAt = performance.now();
    } catch (error) {
      seen = undefined;
      // A database that was away was not looked at.
      if (!(error instanceof BrokenChain)) throw error;
      checkedAt = performance.now();
      broken = error;
      throw error;
    }
  };
  let checking: Promise<void> | undefined;
  const recheck = () => {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  };

  const verifyIn = async (head: Head | undefined, signal?: AbortSignal): Promise<ChainReport> => {
    const witnesses = await witnessesOf(head);
    const walk = newWalk();
    for (const one of [witnesses.noted, ...witnesses.outside]) if (one) walk.marks.set(one.seq, one.hash);
    if (head)
      for await (const { line } of linesOf(database, head, 0)) {
        signal?.throwIfAborted();
        walkLine(line, walk);
      }
    const report = reportOf(walk, witnesses);
    const isCut = head && head.seq > (report.end?.seq ?? 0);
    if (!isCut || !report.isWhole) return report;
    return { ...report, isWhole: false, problems: [{ code: 'cut_short', seq: (report.end?.seq ?? 0) + 1 }] };
  };
  /** What a replica has just added is sealed first, so that it is not taken for added by somebody else. */
  const verify = async (signal?: AbortSignal) => {
    await loadSeal();
    await sealer.flush().catch(() => {});
    return verifyIn(await headIn(reading), signal);
  };

  const append = async (room: () => number, entries: readonly ChainEntry[]): Promise<boolean> => {
    await loadSeal();
    if (checkedAt === Number.NEGATIVE_INFINITY || broken) await recheck();
    return appends.append(room, entries.map(bodyOf));
  };

  return {
    append: async (...entries) => void (await append(() => Number.POSITIVE_INFINITY, entries)),
    appendIf: append,
    catchUp: appends.catchUp,
    isNew: async () => ((await headIn(reading))?.seq ?? 0) === 0,
    async ready() {
      const age = performance.now() - checkedAt;
      if (broken ? age < BROKEN_MS : age < RECHECK_MS) {
        if (broken) throw broken;
        return;
      }
      const looking = recheck();
      if (broken || checkedAt === Number.NEGATIVE_INFINITY) return looking;
      looking.catch(() => {});
    },
    async *read({ since = 0 } = {}) {
      const head = await headIn(reading);
      if (!head) return;
      for await (const { line } of linesOf(database, head, 0, Math.floor(since))) {
        const read = readChainLine(line);
        if (read) yield read;
      }
    },
    async *readBack({ before = Number.MAX_SAFE_INTEGER } = {}) {
      const head = await headIn(reading);
      for (let first = before; head; ) {
        const rows = await database.repeatable<{ seq: number; line: string }>(
          `select seq, line from ${LINE} where chain = $1 and seq < $2 order by seq desc limit ${PAGE / 10}`,
          [head.id, first],
        );
        for (const { line } of rows) {
          const read: ChainLine | undefined = readChainLine(line);
          if (read) yield read;
        }
        first = rows.at(-1)?.seq ?? 0;
        if (rows.length < PAGE / 10) return;
      }
    },
    verify: ({ signal } = {}) => verify(signal),
    async *export({ since } = {}) {
      await loadSeal();
      const head = await headIn(reading);
      const all = async function* () {
        if (head) for await (const { line } of linesOf(database, head, 0)) yield line;
      };
      yield* exportLines(name, all(), { since, seal });
    },
    async acknowledge(entryOf) {
      await loadSeal();
      const done = await database.transaction(async (transaction) => {
        const head = await headIn(transaction, 'for update');
        const report = await verifyIn(head);
        if (!head || report.isWhole) return undefined;
        const { noted, outside: copies, seal: state } = await witnessesOf(head);
        const known = [...copies, ...(noted && state === 'sealed' ? [noted] : [])].map(({ seq }) => seq);
        const last = Math.max(0, ...known);
        const found = report.end?.seq ?? 0;
        const from = found > last && found < last + MAX_SKIPPED ? found : last;
        const kept = `${name}-kept-${new Date(now?.() ?? Date.now()).toISOString().replace(/[^0-9TZ]/g, '')}`;
        await transaction.query(`update ${CHAIN} set kept_as = $2 where id = $1`, [head.id, kept]);
        await transaction.query(`insert into ${CHAIN} (name, uid, seq, noted_seq) values ($1, $2, $3, $3)`, [
          name,
          head.uid,
          from,
        ]);
        const row = await appends.insert(transaction, [bodyOf(entryOf(report, kept))]);
        return { report, kept, row };
      });
      if (!done) return undefined;
      if (done.row) await added(done.row);
      await sealer.flush();
      broken = undefined;
      seen = undefined;
      checkedAt = Number.NEGATIVE_INFINITY;
      return { report: done.report, kept: done.kept };
    },
    async flush() {
      await sealer.flush();
      await anchor?.flush();
    },
  };
}

/** The members of an entry, without the braces around them. */
function bodyOf(entry: ChainEntry): string {
  const json = JSON.stringify(entry);
  if (Buffer.byteLength(json) <= MAX_LINE_BYTES - AROUND_BYTES) return json.slice(1, -1);
  throw new AppError('invalid_input', 'This is too large for a line of the log', {
    subject: `${json.length} characters`,
    reason: 'too_large',
  });
}

/** In order, after a number and up to the end that was read before. */
async function* linesOf(
  { repeatable }: Database,
  { id, seq: end }: Head,
  after: number,
  since = 0,
): AsyncGenerator<{ readonly seq: number; readonly line: string }> {
  for (let last = after; ; ) {
    const rows = await repeatable<{ seq: number; line: string }>(
      `select seq, line from ${LINE} where chain = $1 and seq > $2 and seq <= $3 and at >= $4 order by seq limit ${PAGE}`,
      [id, last, end, since],
    );
    yield* rows;
    last = rows.at(-1)?.seq ?? end;
    if (rows.length < PAGE) return;
  }
}
