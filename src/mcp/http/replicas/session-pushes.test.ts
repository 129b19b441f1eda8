import { expect, it } from 'vitest';
import { silentLog } from '../../../shared/log.ts';
import { SessionPushes } from './session-pushes.ts';

it('goes on after the messages of another speaker that it did not notice', async () => {
  const added: number[] = [];
  const store = {
    replica: 'aaaaaaaaaaaa',
    push: async (_key: string, seq: number) => {
      added.push(seq);
      return true;
    },
    send: async () => true,
  };
  const pushes = new SessionPushes({ key: 'k', store, log: silentLog, onEvent: () => {} });
  const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
  pushes.speak(0);
  await pushes.add(message);
  pushes.speak(5, true);
  await pushes.add(message);
  // Its own stream was opened again: what is on its way is not counted twice.
  pushes.speak(7, false);
  await pushes.add(message);
  expect(added).toEqual([1, 6, 7]);
});
