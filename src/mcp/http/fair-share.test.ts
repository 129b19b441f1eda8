import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { EventLogs } from './event-log.ts';
import { type Place, placeToFree } from './fair-share.ts';

const place = (owner: string, usedAt: number, isBusy = false): Place => ({ owner, usedAt, isBusy });
const busy = (owner: string, count: number) =>
  Array.from({ length: count }, (_, at) => place(owner, at, true));

describe('places that callers share', () => {
  it('all belong to a caller that is alone, whose longest idle one is evicted first', () => {
    const own = [place('a', 3), place('a', 1), place('a', 0, true)];
    expect(placeToFree(own, 'a')).toBe(own[1]);
    expect(placeToFree(busy('a', 3), 'a')).toBeUndefined();
  });

  it('are taken from the caller with the most, idle ones first, and in use if need be', () => {
    const quiet = place('b', 0);
    const greedy = [place('a', 5), ...busy('a', 9)];
    expect(placeToFree([quiet, ...greedy], 'c')).toBe(greedy[0]);
    expect(placeToFree([quiet, ...busy('a', 9)], 'c')).toMatchObject({ owner: 'a', usedAt: 0 });
  });

  it('of others are never ended by the caller with the most', () => {
    expect(placeToFree([place('b', 0), ...busy('a', 9)], 'a')).toBeUndefined();
    expect(placeToFree([place('b', 0), place('a', 9), ...busy('a', 8)], 'a')).toMatchObject({ usedAt: 9 });
  });

  it('are not taken in turns by two callers with as many', () => {
    expect(placeToFree([...busy('a', 5), ...busy('b', 5)], 'a')).toBeUndefined();
    expect(placeToFree([...busy('a', 5), ...busy('b', 4)], 'b')).toBeUndefined();
  });
});

describe('events kept for streams that break', () => {
  it('are dropped from the owner with the most, however many that one has', async () => {
    const logs = new EventLogs(10_000);
    const [quiet, greedy] = [logs.open({ owner: 'quiet' }), logs.open({ owner: 'greedy' })];
    const message = (size: number): JSONRPCMessage => ({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { text: 'x'.repeat(size) },
    });
    const first = await quiet.storeEvent('stream', message(100));
    const dropped = await greedy.storeEvent('other', message(100));
    for (let at = 0; at < 500; at++) await greedy.storeEvent('other', message(1_000));
    expect(await quiet.getStreamIdForEventId?.(first)).toBe('stream');
    expect(await greedy.getStreamIdForEventId?.(dropped)).toBeUndefined();
  });
});
