import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSharedRuns } from './shared-runs.ts';

test('those who ask during a run share the next one, which begins after they asked', async () => {
  const shared = createSharedRuns<number>();
  let now = 0;
  let runs = 0;
  const ask = () =>
    shared('a', async () => {
      runs++;
      const seen = now;
      await sleep(5);
      return seen;
    });
  const first = ask();
  now = 1;
  const others = [ask(), ask(), ask()];
  expect(await first).toBe(0);
  expect(await Promise.all(others)).toEqual([1, 1, 1]);
  expect(runs).toBe(2);
  now = 2;
  expect(await ask()).toBe(2);
});

test('a run that fails fails for those who share it, and nobody else', async () => {
  const shared = createSharedRuns<string>();
  const failing = shared('a', async () => Promise.reject(new Error('no')));
  const next = shared('a', async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await shared('b', async () => 'other')).toBe('other');
});
