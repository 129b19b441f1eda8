/** What sessions were shown, in PostgreSQL: for a day. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { createSeenTable } from '../../src/history/postgres/seen-versions.ts';
import { parseNotePath } from '../../src/notes/path.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { openState } from '../kit/postgres-state.ts';

describeWith(postgresNeed, 'the versions that sessions were shown', () => {
  it('are removed after a day, however many they are', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const database = await openState(await freshDatabase());
    const seen = createSeenTable(database).of('team', 'session');
    await database.query(
      `insert into quire.seen_version (session, path, version, at)
       select '\\x00', 'old ' || n, 'v', now() - interval '2 days' from generate_series(1, 12000) n`,
    );
    vi.advanceTimersByTime(5 * 60_000);
    await seen.set(parseNotePath('new.md'), 'v');
    await expect
      .poll(() => database.repeatable('select path from quire.seen_version limit 3'), { timeout: 10_000 })
      .toEqual([{ path: 'new.md' }]);
  });
});
