import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tidyMemory } from '../src/startup/tidy-memory.ts';

const LOOK_EVERY_MS = 50;
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
  const tidyWhenQuietFor = (quietMs: number) =>
    tidyMemory({ quietFor: () => quietMs, signal: leaving.signal }, LOOK_EVERY_MS);

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
    void tidyWhenQuietFor(3_000);
    await vi.waitFor(() => expect(asked).toBe(1), { timeout: 20_000 });
    await setTimeout(SOME_LOOKS_MS);
    expect(asked).toBe(1);
    const used = Buffer.alloc(64 * 1024 * 1024);
    await vi.waitFor(() => expect(asked).toBe(2), { timeout: 20_000 });
    expect(used[0]).toBe(0);
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
