/** Leases of tenants with stateless requests: their duration, their number, and their end. */
import { expect, test } from 'vitest';
import { createTenantLeases } from '../../src/http/tenants/sessions.ts';
import type { Tenant } from '../../src/http/tenants/tenants.ts';
import { ANONYMOUS } from '../../src/shared/principal.ts';

function leases(options: { most?: number; fails?: () => boolean } = {}) {
  const closed: string[] = [];
  let opened = 0;
  let time = 0;
  const kept = createTenantLeases({
    open: async (headers) => {
      opened++;
      if (options.fails?.()) throw new Error('refused');
      const host = String(headers['x-trilium-url']);
      const close = () => void closed.push(host);
      return {
        host,
        key: '',
        backend: {},
        differsFrom: () => false,
        assertNamed: () => {},
        close,
      } satisfies Tenant;
    },
    keepMs: 1_000,
    now: () => time,
    ...(options.most !== undefined && { most: options.most }),
  });
  return {
    closed,
    opened: () => opened,
    pass: (ms: number) => {
      time += ms;
    },
    borrow: (url: string) => kept.borrow(ANONYMOUS, { 'x-trilium-url': url, 'x-trilium-token': 't' }),
    close: () => kept.close(),
  };
}

test('several at once share one check, and it is made again when its time is over', async () => {
  const { borrow, opened, pass, closed } = leases();
  const [one, two] = await Promise.all([borrow('a'), borrow('a')]);
  expect(one?.tenant).toBe(two?.tenant);
  expect(opened()).toBe(1);
  one?.release();
  two?.release();
  pass(1_001);
  (await borrow('a')).release();
  expect(opened()).toBe(2);
  await expect.poll(() => closed).toEqual(['a']);
});

test('what is in use is closed when it is given back, not before', async () => {
  const { borrow, pass, closed, close } = leases();
  const used = await borrow('a');
  pass(1_001);
  (await borrow('b')).release();
  await Promise.resolve();
  expect(closed).toEqual([]);
  used.release();
  await expect.poll(() => closed).toEqual(['a']);
  close();
  await expect.poll(() => closed).toEqual(['a', 'b']);
});

test('their number is bounded, and a failure is not remembered', async () => {
  const few = leases({ most: 2 });
  for (const url of ['a', 'b', 'c', 'd']) (await few.borrow(url)).release();
  await expect.poll(() => few.closed.length).toBeGreaterThanOrEqual(1);
  let isDown = true;
  const { borrow, opened } = leases({ fails: () => isDown });
  await expect(borrow('a')).rejects.toThrow('refused');
  isDown = false;
  expect((await borrow('a')).tenant.host).toBe('a');
  expect(opened()).toBe(2);
});
