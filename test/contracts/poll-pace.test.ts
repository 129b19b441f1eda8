/** How often a server is looked at, by a clock of the test's own. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPollPace } from '../../src/stores/remote.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const paceOf = () =>
  createPollPace({ busyMs: () => 5_000, idleMs: 60_000, idleAfterMs: 300_000, now: () => Date.now() });

function nextLook(pace: ReturnType<typeof paceOf>, signal = new AbortController().signal) {
  const look = { isDue: false };
  void pace.next(signal).then(() => {
    look.isDue = true;
  });
  return look;
}

test('polls often while there are requests', async () => {
  const look = nextLook(paceOf());
  await vi.advanceTimersByTimeAsync(4_999);
  expect(look.isDue).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(look.isDue).toBe(true);
});

test('polls rarely when there was no request for a while, and at once when there is one again', async () => {
  const pace = paceOf();
  await vi.advanceTimersByTimeAsync(300_000);
  const look = nextLook(pace);
  await vi.advanceTimersByTimeAsync(59_999);
  expect(look.isDue).toBe(false);
  pace.used();
  await vi.advanceTimersByTimeAsync(0);
  expect(look.isDue).toBe(true);
  const next = nextLook(pace);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(next.isDue).toBe(true);
});

test('waits no longer when it is stopped', async () => {
  const stop = new AbortController();
  const look = nextLook(paceOf(), stop.signal);
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(look.isDue).toBe(true);
});
