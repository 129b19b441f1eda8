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

it('gives what it could not add to the next speaker, also when that was not seen for a while', async () => {
  const sent: unknown[] = [];
  let isSeen = false;
  const store = {
    replica: 'aaaaaaaaaaaa',
    push: async () => false,
    send: async (_key: string, target: unknown) => {
      if (isSeen) sent.push(target);
      return isSeen;
    },
  };
  const pushes = new SessionPushes({ key: 'k', store, log: silentLog, onEvent: () => {} });
  const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
  pushes.speak(0);
  const added = pushes.add(message);
  setTimeout(() => {
    isSeen = true;
  }, 20);
  await added;
  expect(sent).toEqual(['speaker']);
});
