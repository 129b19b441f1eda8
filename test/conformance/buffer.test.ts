/** The event buffer for broken streams keeps to its memory limit. */
import { randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { EventLogs } from '../../src/mcp/http/event-log.ts';

const BUDGET = 1_000_000;
/** Garbage of others in the process, and what the log needs besides the messages. */
const TOLERANCE = 10_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function message(size: number, index: number): JSONRPCMessage {
  // Made from bytes: every message has a text of its own.
  const letters = Buffer.alloc(size, 97 + (index % 26)).toString('latin1');
  return { jsonrpc: '2.0', method: 'notifications/message', params: { index, letters } };
}

describe('the memory of broken streams', () => {
  it('is bounded for few large messages', async () => {
    const logs = new EventLogs(BUDGET);
    const log = logs.open();
    const before = usedMemory();
    for (let index = 0; index < 60; index++) await log.storeEvent('stream', message(900_000, index));
    expect(usedMemory() - before).toBeLessThan(BUDGET + TOLERANCE);
    expect(await log.storeEvent('stream', message(1, 0))).toBe('61');
  });

  it('is bounded for many small ones, although another session keeps an old one', async () => {
    const logs = new EventLogs(BUDGET);
    const [quiet, busy] = [logs.open(), logs.open()];
    const first = await quiet.storeEvent('stream', message(1, 0));
    const before = usedMemory();
    for (let index = 0; index < 200_000; index++) await busy.storeEvent(randomUUID(), message(100, index));
    expect(usedMemory() - before).toBeLessThan(BUDGET + TOLERANCE);
    expect(await quiet.getStreamIdForEventId?.(first)).toBe('stream');
  });

  it('goes back to others when a session ends', async () => {
    const logs = new EventLogs(BUDGET);
    const [ended, open] = [logs.open(), logs.open()];
    const kept = await open.storeEvent('stream', message(1, 0));
    for (let round = 0; round < 5; round++) {
      await ended.storeEvent('other', message(800_000, round));
      ended.clear();
    }
    expect(await open.getStreamIdForEventId?.(kept)).toBe('stream');
  });
});
