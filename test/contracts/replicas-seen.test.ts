/** Which replicas count as running: those that were seen lately, unless nobody could be seen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openReplicaHub } from '../../src/mcp/http/replicas/hub.ts';
import { silentLog } from '../../src/shared/log.ts';
import type { Database } from '../../src/state/postgres/database.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { openState } from '../kit/postgres-state.ts';

const [BEAT_MS, LAPSE_MS] = [20, 400];

function openHub(database: Database) {
  const hub = openReplicaHub(database, { log: silentLog, beatMs: BEAT_MS, lapseMs: LAPSE_MS });
  onTestFinished(() => hub.close());
  return { replica: hub.replica, sessions: hub.endpoint('/seen') };
}

/** A database that does not hear for a while that a replica runs. */
function deafened(database: Database) {
  let hearing = Promise.resolve();
  const repeatable: Database['repeatable'] = async (text, values) => {
    if (text.startsWith('insert into quire.mcp_replica')) await hearing;
    return database.repeatable(text, values);
  };
  return {
    database: { ...database, repeatable },
    deafen(): () => void {
      let hearAgain = () => {};
      hearing = new Promise((resolve) => {
        hearAgain = resolve;
      });
      onTestFinished(() => hearAgain());
      return hearAgain;
    },
  };
}

describeWith(postgresNeed, 'a replica', () => {
  it('is seen also while its messages take long to be read', async () => {
    const url = await freshDatabase();
    const slow = { ...(await openState(url)), query: () => new Promise<never>(() => {}) };
    const [{ replica }, { sessions }] = [openHub(slow), openHub(await openState(url))];
    await sleep(LAPSE_MS);
    const before = await sessions.seenAt(replica);
    await expect.poll(() => sessions.seenAt(replica)).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
  });

  it('is not taken for gone by one that comes back before it from an outage, unless it stays away', async () => {
    const url = await freshDatabase();
    const [one, other] = [deafened(await openState(url)), deafened(await openState(url))];
    const [{ sessions: first }, { sessions: second, replica }] = [
      openHub(one.database),
      openHub(other.database),
    ];
    await first.open({ key: 'k', owner: 'alex', opening: {} }, 10);
    await first.begin('k', 'alex', { stream: 7, requests: [1], hasPrimer: true });
    await first.open({ key: 'l', owner: 'alex', opening: {} }, 10);
    await first.listen('l', 'alex', {});
    const swept = async () => {
      await second.sweep({ idleMs: LAPSE_MS / 2, bufferedBytes: 1e6, eventMs: 60_000 });
      return (await second.findAll(['l'])).length;
    };
    const state = async () => (await second.follow('k', 7, 0)).state;
    one.deafen();
    const hearAgain = other.deafen();
    await sleep(2 * LAPSE_MS);
    expect(await state()).toBe('running');
    const before = await second.seenAt(replica);
    hearAgain();
    await expect
      .poll(() => second.seenAt(replica), { interval: 5 })
      .toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
    expect([await state(), await swept()]).toEqual(['running', 1]);
    await expect.poll(state, { timeout: 5_000 }).toBe('lost');
    expect(await swept()).toBe(0);
  });
});
