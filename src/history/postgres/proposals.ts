/** Proposals in PostgreSQL. A decision holds a lease while it changes notes, and is kept if nobody else has decided. */
import type { Log } from '../../shared/log.ts';
import type { Database } from '../../state/postgres/database.ts';
import type { Leases } from '../../state/postgres/lease.ts';
import type { Listening } from '../../state/postgres/listener.ts';
import { isWaiting, type Proposal } from '../proposal.ts';
import {
  beingDecided,
  DECISION_WAIT_MS,
  type DraftEdit,
  KEPT_MS,
  PROPOSAL_ID,
  PROPOSAL_LIMITS,
  type ProposalHead,
  type ProposalLimits,
  type Proposals,
  proposalOf,
  tooManyWait,
  unknownProposal,
} from '../proposals.ts';
import type { TextHash } from '../text-pack.ts';
import { firstIdAt } from './read.ts';
import type { Space } from './space.ts';
import { PROPOSAL, PROPOSAL_TEXT, STAMP } from './tables.ts';

interface PostgresProposalsOptions extends ProposalLimits {
  readonly database: Database;
  readonly space: Space;
  readonly leases: Leases;
  readonly log: Log;
  readonly now?: () => number;
}

interface Row {
  readonly id: string;
  readonly stamp: number;
  readonly value: string;
}

const CHANNEL = 'quire_proposals';
const MOST_LISTED = 20_000;
const REMOVED_AT_ONCE = 1_000;

export class PostgresProposals implements Proposals {
  readonly #database: Database;
  readonly #space: Space;
  readonly #leases: Leases;
  readonly #now: () => number;
  readonly #limits: Required<ProposalLimits>;
  readonly #listeners = new Set<() => void>();
  #listening: Listening | undefined;
  /** By id, as it was at that stamp. */
  readonly #known = new Map<string, { readonly stamp: number; readonly proposal: Proposal }>();

  constructor({ database, space, leases, now = Date.now, log: _, ...limits }: PostgresProposalsOptions) {
    this.#database = database;
    this.#space = space;
    this.#leases = leases;
    this.#now = now;
    this.#limits = { ...PROPOSAL_LIMITS, ...limits };
  }

  get place(): string {
    return this.#space.name;
  }

  /** Of all replicas. */
  onChange(listener: () => void): () => void {
    const tell = () => {
      for (const one of this.#listeners) one();
    };
    const heard = (space: string) => {
      if (space === this.#space.name) tell();
    };
    this.#listeners.add(listener);
    this.#listening ??= this.#database.listen(CHANNEL, heard, tell);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#listening?.stop();
      this.#listening = undefined;
    };
  }

  async mark(): Promise<string> {
    const [row] = await this.#database.repeatable<{ stamp: number | null }>(
      `select max(stamp) as stamp from ${PROPOSAL} where space = $1`,
      [await this.#space.id()],
    );
    return String(row?.stamp ?? 0);
  }

  async add(head: ProposalHead, drafts: readonly DraftEdit[]): Promise<Proposal> {
    const { proposal, texts } = proposalOf(head, drafts, this.#now());
    const { id, bytes } = proposal;
    const space = await this.#space.id();
    const { mostWaiting, mostBytes } = this.#limits;
    await this.#removeDecided(space);
    await this.#database.transaction(async ({ query }) => {
      const [added] = await query(
        `insert into ${PROPOSAL} (space, id, is_waiting, bytes, value, stamp)
         select $1, $2, true, $3::integer, $4, nextval('${STAMP}')
         from (select count(*) as proposals, coalesce(sum(bytes), 0) as bytes from ${PROPOSAL}
           where space = $1 and is_waiting) as waiting
         where waiting.proposals < $5 and waiting.bytes + $3::integer <= $6 returning id`,
        [space, id, bytes, JSON.stringify(proposal), mostWaiting, mostBytes],
      );
      if (!added) throw tooManyWait(await this.#countWaiting(space));
      for (const [hash, data] of texts)
        await query(`insert into ${PROPOSAL_TEXT} (space, proposal, hash, data) values ($1, $2, $3, $4)`, [
          space,
          id,
          hash,
          data,
        ]);
      await query('select pg_notify($1, $2)', [CHANNEL, this.#space.name]);
    });
    return proposal;
  }

  async list(): Promise<Proposal[]> {
    const space = await this.#space.id();
    const stamps = await this.#database.repeatable<Omit<Row, 'value'>>(
      `select id, stamp from ${PROPOSAL} where space = $1 order by id desc limit ${MOST_LISTED}`,
      [space],
    );
    const ids = new Set(stamps.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    const changed = stamps.filter(({ id, stamp }) => this.#known.get(id)?.stamp !== stamp);
    await this.#read(changed.map(({ id }) => id));
    return stamps.flatMap(({ id }) => this.#known.get(id)?.proposal ?? []);
  }

  async get(id: string): Promise<Proposal | undefined> {
    if (!PROPOSAL_ID.test(id)) return undefined;
    return (await this.#read([id])).get(id)?.proposal;
  }

  async #read(ids: readonly string[]) {
    const rows =
      ids.length === 0
        ? []
        : await this.#database.repeatable<Row>(
            `select id, stamp, value from ${PROPOSAL} where space = $1 and id = any($2)`,
            [await this.#space.id(), ids],
          );
    const found = rows.map(
      ({ id, stamp, value }) => [id, { stamp, proposal: JSON.parse(value) as Proposal }] as const,
    );
    for (const [id, known] of found) this.#known.set(id, known);
    return new Map(found);
  }

  async text(id: string, hash: TextHash | undefined): Promise<Buffer | undefined> {
    if (hash === undefined) return undefined;
    const [row] = await this.#database.repeatable<{ data: Buffer }>(
      `select data from ${PROPOSAL_TEXT} where space = $1 and proposal = $2 and hash = $3`,
      [await this.#space.id(), id, hash],
    );
    return row?.data;
  }

  async update(id: string, change: (proposal: Proposal) => Promise<Proposal>): Promise<Proposal> {
    const space = await this.#space.id();
    if (!(await this.get(id))) throw unknownProposal(id);
    const turn = { waitMs: DECISION_WAIT_MS, busy: beingDecided };
    return this.#leases.within(`proposal ${space} ${id}`, turn, async () => {
      const present = (await this.#read([id])).get(id);
      if (!present) throw unknownProposal(id);
      const changed = await change(present.proposal);
      await this.#database.transaction(async ({ query }) => {
        // One whose lease was lost meanwhile has not decided if somebody else has.
        const [kept] = await query(
          `update ${PROPOSAL} set value = $3, is_waiting = $4, stamp = nextval('${STAMP}')
           where space = $1 and id = $2 and stamp = $5 returning id`,
          [space, id, JSON.stringify(changed), isWaiting(changed), present.stamp],
        );
        if (!kept) throw beingDecided();
        await query('select pg_notify($1, $2)', [CHANNEL, this.#space.name]);
      });
      return changed;
    });
  }

  async #countWaiting(space: number): Promise<number> {
    const [row] = await this.#database.repeatable<{ count: number }>(
      `select count(*) from ${PROPOSAL} where space = $1 and is_waiting`,
      [space],
    );
    return row?.count ?? 0;
  }

  async #removeDecided(space: number): Promise<void> {
    await this.#database.repeatable(
      `with gone as (
         delete from ${PROPOSAL} where not is_waiting and (space, id) in (
           select space, id from ${PROPOSAL} where space = $1 and not is_waiting and id < $2
           order by id limit ${REMOVED_AT_ONCE})
         returning id)
       delete from ${PROPOSAL_TEXT} as text using gone where text.space = $1 and text.proposal = gone.id`,
      [space, `p${firstIdAt(this.#now() - KEPT_MS)}`],
    );
  }
}
