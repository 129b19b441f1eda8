/** The plane's state in a folder and in PostgreSQL, and leases. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSharedUsage } from '../../src/app/shared-usage.ts';
import { openAudit } from '../../src/governance/audit/audit.ts';
import { postgresPlane } from '../../src/governance/postgres/plane-state.ts';
import { createRates } from '../../src/governance/usage.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
import type { Database } from '../../src/state/postgres/database.ts';
import { openLeases } from '../../src/state/postgres/lease.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { openState, sharedDatabase } from '../kit/postgres-state.ts';
import { machineFolder, testPlaneContract } from './plane.ts';

const ALLOWED = {
  event: 'decided',
  server: 's',
  capability: 'c',
  kind: 'tool',
  outcome: 'allow',
  code: 'c',
  rule: 'r',
} as const;

describe('in a folder', () => {
  testPlaneContract(async () => {
    const folder = await machineFolder();
    return {
      folder,
      shared: async () => undefined,
      async tamper(_, from, to) {
        const file = join(folder, 'audit.jsonl');
        await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
      },
    };
  });
});

describeWith(postgresNeed, 'in PostgreSQL', () => {
  testPlaneContract(async () => {
    const [folder, url] = [await machineFolder(), await freshDatabase()];
    const database = await openState(url);
    return {
      folder,
      shared: async () => {
        const state = postgresPlane(await openState(url));
        onTestFinished(() => state.close());
        return state;
      },
      async tamper(seq, from, to) {
        await database.query('update quire.chain_line set line = replace(line, $2, $3) where seq = $1', [
          seq,
          from,
          to,
        ]);
      },
    };
  });

  it('the audit log takes one statement for an append, and adds it once although it is sent twice', async () => {
    const database = await openState(await freshDatabase());
    let sent = 0;
    const twice: Database['repeatable'] = async (text, values) => {
      // What a timer sends meanwhile is not counted.
      if (!text.includes('chain_add')) return database.repeatable(text, values);
      sent++;
      await database.repeatable(text, values);
      return database.repeatable(text, values);
    };
    const state = postgresPlane({ ...database, repeatable: twice, query: () => expect.unreachable() });
    onTestFinished(() => state.close());
    const rates = createRates(100, Date.now);
    const follow = { since: rates.since, onLine: rates.note };
    const audit = openAudit({ folder: await machineFolder(), follow, open: state.openChain });
    const decided = (call: string) => ({ ...ALLOWED, call });
    await audit.record(decided('0'));
    sent = 0;
    for (const call of ['1', '2', '3'])
      expect(await audit.recordIf(() => rates.room('s'), decided(call))).toBe(true);
    expect(sent).toBe(3);
    expect(rates.room('s')).toBe(96);
    const calls = [];
    for await (const record of audit.read()) calls.push((record as { call?: string }).call);
    expect(calls).toEqual(['0', '1', '2', '3']);
    await audit.flush();
    expect(await audit.verify()).toMatchObject({ isWhole: true });
  });

  it('the audit log is looked at before its first line, also when the database was away at the first look', async () => {
    const [folder, database] = [await machineFolder(), await openState(await freshDatabase())];
    const opened = (through: Database) => {
      const state = postgresPlane(through);
      onTestFinished(() => state.close());
      return openAudit({ folder, open: state.openChain });
    };
    const before = opened(database);
    await before.record({ ...ALLOWED, call: '0' });
    await before.flush();
    await database.query(`update quire.chain_line set line = replace(line, 'allow', 'deny')`);
    let isAway = true;
    const audit = opened({
      ...database,
      repeatable: (...asked) =>
        isAway ? Promise.reject(new AppError('upstream_failed', 'away')) : database.repeatable(...asked),
    });
    await expect(audit.ready()).rejects.toMatchObject({ subject: 'away' });
    isAway = false;
    await expect(audit.record({ ...ALLOWED, call: '1' })).rejects.toMatchObject({ reason: 'audit_broken' });
  });

  it('counts of tool calls are those of all replicas, also of one that has ended', async () => {
    const url = await freshDatabase();
    const opened = async () => openSharedUsage(await openState(url), silentLog);
    const [one, other] = [await opened(), await opened()];
    const call = { tool: 'x', isError: false, milliseconds: 5, characters: 9, principal: 'p', client: 'c' };
    for (let n = 0; n < 3; n++) one.count(call);
    other.count(call);
    await Promise.all([one.save(), other.save()]);
    one.close?.();
    other.count({ ...call, tool: 'y', isError: true });
    const callsOf = () => {
      const { total, tools } = other.counts.report('day');
      return [total.calls, total.errors, ...tools.map(({ tool, calls }) => `${tool} ${calls}`)];
    };
    await expect.poll(callsOf, { interval: 20 }).toEqual([5, 1, 'x 4', 'y 1']);
    expect(other.counts.apps()).toMatchObject([{ principal: 'p', client: 'c' }]);
    const third = await opened();
    await other.save();
    await expect.poll(() => third.counts.report('month').total.calls, { interval: 20 }).toBe(5);
    other.close?.();
    third.close?.();
  });

  describe('a lease', () => {
    const opened = async (ttlMs?: number) => {
      const database = await openState(await sharedDatabase());
      return { database, leases: openLeases(database, { ttlMs }) };
    };

    it('has one holder at a time, and the next one a greater fence', async () => {
      const [{ leases: one }, { leases: other }] = [await opened(), await opened()];
      const lease = await one.acquire('work');
      expect(lease).toBeDefined();
      expect([await one.acquire('work'), await other.acquire('work')]).toEqual([undefined, undefined]);
      expect(await other.acquire('other work')).toBeDefined();
      await lease!.release();
      const next = await other.acquire('work');
      expect(next!.fence).toBeGreaterThan(lease!.fence);
      expect(lease!.signal.aborted).toBe(false);
    });

    it('goes to another one when its time is over; the former one cannot write, and is told', async () => {
      const [{ leases: one }, { leases: other, database }] = [await opened(1_000), await opened()];
      const lease = (await one.acquire('long work'))!;
      await database.query(
        `update quire.lease set until = now() - interval '1 second' where name = 'long work'`,
      );
      const next = await other.acquire('long work');
      expect(next!.fence).toBeGreaterThan(lease.fence);
      await database.transaction((transaction) => next!.assertHeld(transaction));
      await expect(database.transaction((transaction) => lease.assertHeld(transaction))).rejects.toThrow(
        'Another server has taken this work over',
      );
      await expect.poll(() => lease.signal.aborted, { interval: 20 }).toBe(true);
      await lease.release();
      expect(await one.acquire('long work')).toBeUndefined();
    });

    it('lets many wait for their turn, and none twice at once', async () => {
      const { leases } = await opened();
      let inside = 0;
      const turn = { waitMs: 30_000, busy: () => new Error('busy') };
      const work = () =>
        leases.within('turns', turn, async () => {
          expect(++inside).toBe(1);
          await new Promise((resolve) => setTimeout(resolve, 5));
          inside--;
        });
      await Promise.all(Array.from({ length: 8 }, work));
      await leases.within('turns', turn, () =>
        expect(leases.within('turns', { ...turn, waitMs: 30 }, async () => {})).rejects.toThrow('busy'),
      );
    });
  });
});
