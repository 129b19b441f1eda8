import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

function gate(): { open(): void; passed: Promise<void> } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('lets as many run as there are places, the others in their order', async () => {
  const slots = createSemaphore(1);
  const [first, ran] = [gate(), [] as number[]];
  const one = slots(async () => first.passed);
  const two = slots(async () => void ran.push(2));
  const three = slots(async () => void ran.push(3));
  await settle();
  expect(ran).toEqual([]);
  first.open();
  await Promise.all([one, two, three]);
  expect(ran).toEqual([2, 3]);
});

test('a task that only waits lends its slot, and has it back at once', async () => {
  const slots = createSemaphore(1);
  const [asked, work, ran] = [gate(), gate(), [] as string[]];
  const first = slots(async () => {
    await slots.lend(() => asked.passed);
    ran.push('first');
  });
  const second = slots(() => work.passed);
  const third = slots(async () => void ran.push('third'));
  await settle();
  asked.open();
  await first;
  await settle();
  // Two were at work for a moment: before there is room for a third, one more place must come back.
  expect(ran).toEqual(['first']);
  work.open();
  await Promise.all([second, third]);
  expect(ran).toEqual(['first', 'third']);
  await slots(async () => void ran.push('after'));
  expect(ran).toHaveLength(3);
});
