import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BackgroundScheduler } from '../../src/search/sync/scheduler.ts';

it('keeps the process alive while it waits for its turn: what is being packed has yet to be saved', async () => {
  const backstage = new BackgroundScheduler();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  let answered = () => {};
  const question = backstage.while(() => new Promise<void>((resolve) => (answered = resolve)));
  await sleep(5);
  const before = timers();
  const turn = backstage.turns();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(timers()).toBe(before + 1);
  answered();
  await Promise.all([question, turn]);
});
