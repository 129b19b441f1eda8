/** Proofs of decisions in the view of a chat: made by one server, and taken by any that shares the database. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { viewKeysOn } from '../../src/app/shared-state.ts';
import { ViewKeys } from '../../src/app/view-keys.ts';
import type { Caller } from '../../src/shared/principal.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { openState } from '../kit/postgres-state.ts';

const callerOf = (id: string): Caller => ({ principal: { id, kind: 'user', scopes: ['notes:write'] } });
const [ALEX, BOB] = [callerOf('user:alex'), callerOf('user:bob')];

it('ends after an hour, and with the process that is alone', async () => {
  const clock = { now: 1_800_000_000_000 };
  const keys = new ViewKeys({ now: () => clock.now });
  const page = keys.pageKey(ALEX);
  const ticket = keys.issue('p1', ALEX);
  expect(await new ViewKeys({ now: () => clock.now }).take('p1', ALEX, { page, ticket })).toBe(false);
  clock.now += 3_600_000;
  expect(await keys.take('p1', ALEX, { page, ticket })).toBe(false);
});

describeWith(postgresNeed, 'servers that share a database', () => {
  it('take what another one gave, once, for the same login and proposal', async () => {
    const [url, secret] = [await freshDatabase(), randomBytes(32)];
    const opened = async () => (await viewKeysOn(await openState(url), { secret }))!;
    const [one, other, third] = [await opened(), await opened(), await opened()];
    const page = one.pageKey(ALEX);
    const ticket = other.issue('p1', ALEX);
    expect(await third.take('p2', ALEX, { page, ticket })).toBe(false);
    expect(await third.take('p1', BOB, { page: one.pageKey(BOB), ticket })).toBe(false);
    const takes = [one, other, third, one].map((keys) => keys.take('p1', ALEX, { page, ticket }));
    expect((await Promise.all(takes)).filter((isTaken) => isTaken)).toHaveLength(1);
    const next = one.issue('p1', ALEX);
    expect(await other.take('p1', ALEX, { page: 'wrong', ticket: next })).toBe(false);
    expect(await third.take('p1', ALEX, { page, ticket: next }), 'used up').toBe(false);
  });
});
