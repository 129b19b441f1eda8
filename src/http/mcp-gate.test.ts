import { EventEmitter } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Principal } from '../shared/principal.ts';
import { countWork } from './listen.ts';
import { createMcpGate } from './mcp-gate.ts';

it('keeps streams open for a minute while tokens cannot be looked at, however often they are to be', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isAway = false;
  let revoked = (_: () => boolean) => {};
  const principal: Principal = { id: 'user:alex', kind: 'user', scopes: ['notes:read'] };
  const gate = createMcpGate({
    authenticate: async () => {
      if (isAway) throw new Error('away');
      return principal;
    },
    onRevoked: (listener) => {
      revoked = listener;
      return () => {};
    },
    tenants: { find: () => undefined, serve: async () => {} },
    readJson: () => expect.unreachable(),
    refusals: {} as never,
    work: countWork(),
  });
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    destroy() {
      response.destroyed = true;
      response.emit('close');
    },
  });
  await gate({ request: { method: 'GET', headers: {} }, response, path: '/mcp' } as never);
  /** Whether the stream is open at the end of so many seconds in which everything may have been revoked. */
  const isOpenAfter = async (seconds: number) => {
    for (let left = seconds; left > 0; left--) {
      revoked(() => true);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    return !response.destroyed;
  };
  isAway = true;
  expect(await isOpenAfter(55)).toBe(true);
  isAway = false;
  expect(await isOpenAfter(1)).toBe(true);
  isAway = true;
  expect(await isOpenAfter(55)).toBe(true);
  expect(await isOpenAfter(10)).toBe(false);
});
