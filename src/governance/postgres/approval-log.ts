/**
 * The events of approvals in PostgreSQL. An event is added if the log is as its replica has read it; else the step is
 * taken again on what is there now. So an approval is used once, whichever replicas try.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '../../shared/async/semaphore.ts';
import { AppError } from '../../shared/errors.ts';
import type { Database, Queries } from '../../state/postgres/database.ts';
import { STATE_SCHEMA } from '../../state/postgres/schema.ts';
import {
  type ApprovalEvent,
  type ApprovalLog,
  type ApprovalsTransaction,
  fold,
  readEvent,
  unreadable,
} from '../approvals/approval-log.ts';
import type { KeptArguments } from '../approvals/arguments-folder.ts';

const LOG = `${STATE_SCHEMA}.approval_log`;
const EVENT = `${STATE_SCHEMA}.approval_event`;
const ARGUMENTS = `${STATE_SCHEMA}.approval_arguments`;
const PAGE = 10_000;
const TRIES = 50;

interface Loaded {
  readonly version: number;
  readonly epoch: number;
  readonly events: readonly ApprovalEvent[];
  readonly bytes: number;
}

/** Another replica has added something since the log was read. */
class Outdated extends Error {}

export function openPostgresApprovalLog(database: Database): ApprovalLog {
  let known: Loaded = { version: 0, epoch: -1, events: [], bytes: 0 };
  const inOrder = createSemaphore(1);

  /** What was read before is read again only when events were removed. */
  const load = async (): Promise<Loaded> => {
    const [head] = await database.repeatable<{ version: number; epoch: number }>(
      `select version, epoch from ${LOG}`,
    );
    if (!head) throw unreadable(new AppError('invalid_input', 'The log has no head'));
    if (head.epoch === known.epoch && head.version === known.version) return known;
    const base = head.epoch === known.epoch ? known : { version: 0, events: [], bytes: 0 };
    const lines: string[] = [];
    for (let last = base.version; ; ) {
      const rows = await database.repeatable<{ seq: number; event: string }>(
        `select seq, event from ${EVENT} where seq > $1 and seq <= $2 order by seq limit ${PAGE}`,
        [last, head.version],
      );
      lines.push(...rows.map(({ event }) => event));
      last = rows.at(-1)?.seq ?? last;
      if (rows.length < PAGE) break;
    }
    const added = lines.map((line, at) => readEvent(line, base.version + at + 1));
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, base.bytes);
    known = { ...head, events: [...base.events, ...added], bytes };
    return known;
  };
  const loadSafely = () =>
    load().catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'invalid_input' ? unreadable(error) : error;
    });

  /** Throws `Outdated` when the log has moved on. Nobody waits for a lock while a call is started. */
  const change = async (
    { version, epoch }: Pick<Loaded, 'version' | 'epoch'>,
    more: { readonly versions: number; readonly epochs: number },
    write: (queries: Queries, version: number) => Promise<unknown>,
  ) =>
    database.transaction(async (queries) => {
      const [head] = await queries.query(
        `update ${LOG} set version = version + $3, epoch = epoch + $4 where version = $1 and epoch = $2 returning version`,
        [version, epoch, more.versions, more.epochs],
      );
      if (!head) throw new Outdated();
      await write(queries, version);
    });

  const transactionOf = (loaded: Loaded): ApprovalsTransaction => {
    let { version, epoch } = loaded;
    return {
      approvals: fold(loaded.events),
      events: loaded.events,
      bytes: loaded.bytes,
      async append(...events) {
        await change({ version, epoch }, { versions: events.length, epochs: 0 }, ({ query }, from) =>
          query(
            `insert into ${EVENT} (seq, approval, event)
             select $1 + place, approval, event
             from unnest($2::text[], $3::text[]) with ordinality as event (approval, event, place)`,
            [
              from,
              events.map((event) => ('id' in event ? event.id : null)),
              events.map((event) => JSON.stringify(event)),
            ],
          ),
        );
        version += events.length;
      },
      async rewrite(events) {
        const kept = new Set(events.flatMap((event) => ('id' in event ? [event.id] : [])));
        const gone = loaded.events.flatMap((event) =>
          'id' in event && !kept.has(event.id) ? [event.id] : [],
        );
        await change({ version, epoch }, { versions: 0, epochs: 1 }, ({ query }) =>
          query(`delete from ${EVENT} where approval = any($1)`, [[...new Set(gone)]]),
        );
        epoch += 1;
      },
    };
  };

  return {
    read: async () => fold((await loadSafely()).events),
    step: (work) =>
      inOrder(async () => {
        for (let tries = 0; tries < TRIES; tries++) {
          try {
            return await work(transactionOf(await loadSafely()));
          } catch (error) {
            if (!(error instanceof Outdated)) throw error;
            await sleep(Math.random() * 2 * Math.min(tries, 20));
          }
        }
        throw new AppError('conflict', 'Other servers change the approvals all the time', {
          hint: 'Nothing was started. Try again.',
        });
      }),
  };
}

export function openPostgresArguments({ repeatable }: Database): KeptArguments {
  return {
    keep: async (id, text) => {
      await repeatable(
        `insert into ${ARGUMENTS} (approval, value) values ($1, $2)
         on conflict (approval) do update set value = excluded.value`,
        // As JSON, which has an escape for what PostgreSQL keeps no text of.
        [id, JSON.stringify(text)],
      );
    },
    read: async (id) => {
      const [row] = await repeatable<{ value: string }>(
        `select value from ${ARGUMENTS} where approval = $1`,
        [id],
      );
      return row && (JSON.parse(row.value) as string);
    },
    keepOnly: async (ids) => {
      // Another replica may be about to add the approval of younger ones.
      await repeatable(
        `delete from ${ARGUMENTS} where approval <> all($1) and at < now() - interval '1 minute'`,
        [[...ids]],
      );
    },
  };
}
