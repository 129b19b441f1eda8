import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tidyMemory } from '../src/startup/tidy-memory.ts';

const LOOK_EVERY_MS = 50;
const MEGABYTE = 1024 * 1024;
const SOME_LOOKS_MS = 10 * LOOK_EVERY_MS;

describe('memory that is no longer used', () => {
  let asked = 0;
  let leaving = new AbortController();
  const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_FLAGS_FORCED } = constants;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[])
      if (detail.kind === NODE_PERFORMANCE_GC_MAJOR && detail.flags & NODE_PERFORMANCE_GC_FLAGS_FORCED)
        asked += 1;
  });
  const tidyWhenQuietFor = (quietMs: number, held?: () => number) =>
    tidyMemory({ quietFor: () => quietMs, signal: leaving.signal }, { lookEveryMs: LOOK_EVERY_MS, held });

  beforeEach(() => {
    asked = 0;
    leaving = new AbortController();
    observer.observe({ entryTypes: ['gc'] });
  });
  afterEach(async () => {
    leaving.abort();
    // V8's last collection is told a moment later.
    await setTimeout(2 * LOOK_EVERY_MS);
    observer.disconnect();
  });

  it('is given back while the client is quiet, and again only when there is much of it', async () => {
    // Told here: V8 may clean up by itself at any moment, and then there is not much.
    let held = 100 * MEGABYTE;
    void tidyWhenQuietFor(3_000, () => held);
    await vi.waitFor(() => expect(asked).toBe(1), { timeout: 20_000 });
    held += 10 * MEGABYTE;
    await setTimeout(SOME_LOOKS_MS);
    expect(asked).toBe(1);
    held += 10 * MEGABYTE;
    await vi.waitFor(() => expect(asked).toBe(2), { timeout: 20_000 });
  });

  it('is told by how much the heap and the buffers beside it hold', async () => {
    const used: Buffer[] = [];
    void tidyWhenQuietFor(3_000);
    await vi.waitFor(() => expect(asked).toBe(1), { timeout: 20_000 });
    // V8 may clean up itself for the room of the first ones.
    const useMore = () => {
      if (asked < 2 && used.length < 6) used.push(Buffer.alloc(32 * MEGABYTE));
      expect(asked).toBeGreaterThanOrEqual(2);
    };
    await vi.waitFor(useMore, { timeout: 20_000, interval: SOME_LOOKS_MS });
    expect(used[0]?.[0]).toBe(0);
  });

  it('is given back thoroughly while the client is quiet for long', async () => {
    const object = new WeakRef(Array.from({ length: 1_000 }, (_, at) => ({ at })));
    void tidyWhenQuietFor(60_000);
    await vi.waitFor(() => expect(object.deref() === undefined).toBe(true), { timeout: 20_000 });
  });

  it('is left while the client sends requests', async () => {
    void tidyWhenQuietFor(1_000);
    await setTimeout(SOME_LOOKS_MS);
    expect(asked).toBe(0);
  });

  it('is left when the client is gone', async () => {
    leaving.abort();
    await tidyWhenQuietFor(60_000);
    expect(asked).toBe(0);
  });
});
