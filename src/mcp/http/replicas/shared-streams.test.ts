import { expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../../shared/log.ts';
import { createSharedStreams, keyOf } from './shared-streams.ts';
import type { SessionStore } from './store.ts';

it('ends a stream in the database when that is back, if it was away before', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  let isAway = true;
  const store = {
    end: async (key: string) => {
      asked.push(key);
      if (isAway) throw new Error('away');
    },
    sweep: async () => {},
    watch: () => () => {},
  } as Partial<SessionStore> as SessionStore;
  const streams = createSharedStreams(store, silentLog);
  onTestFinished(() => streams.close());
  streams.ended('a');
  await vi.advanceTimersByTimeAsync(60_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(180_000);
  expect(asked).toEqual([keyOf('a'), keyOf('a'), keyOf('a')]);
});
