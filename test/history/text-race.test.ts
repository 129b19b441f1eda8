/**
 * A text is found at every moment: while a segment is being closed, gone on with or removed, by this process or another.
 * Each case lets that happen right before one of the file operations of a search for a text, the first to the last.
 */
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import type { History, HistoryOptions } from '../../src/history/history.ts';
import { Segment } from '../../src/history/segment.ts';
import { hashOf } from '../../src/history/text-pack.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytes, historyIn, ORIGIN, record } from './kit.ts';

const disk = vi.hoisted(() => ({ before: async () => {} }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const slow =
    <A extends unknown[], R>(operation: (...args: A) => Promise<R>) =>
    async (...args: A) => {
      await disk.before();
      return operation(...args);
    };
  const open = async (...args: Parameters<typeof real.open>) => {
    const handle = await real.open(...args);
    return Object.assign(handle, { read: slow(handle.read.bind(handle) as never) });
  };
  return {
    ...real,
    readdir: slow(real.readdir as never),
    readFile: slow(real.readFile as never),
    stat: slow(real.stat as never),
    open: slow(open),
  };
});

beforeEach(() => {
  disk.before = async () => {};
});

const TEXT = bytes('one\n'.repeat(50));

interface Scene {
  readonly reader: History;
  meanwhile(): Promise<unknown>;
}

type OpenHistory = (options?: Partial<HistoryOptions>) => History;

const SCENES: Record<string, (open: OpenHistory) => Promise<Scene>> = {
  async 'its own segment is closed'(open) {
    const reader = open({ segmentBytes: 10 });
    const close = holdBackClose();
    await record(reader, 'a.md', { after: TEXT });
    return { reader, meanwhile: close };
  },
  async 'its own segment is closed with something left to settle'(open) {
    const reader = open({ segmentBytes: 1_000 });
    await record(reader, 'a.md', { after: TEXT });
    const edit = await reader.record(ORIGIN).begin({ kind: 'create', path: 'b.md' }, { after: bytes('b') });
    await edit.unsettled();
    return {
      reader,
      async meanwhile() {
        const close = holdBackClose();
        await record(reader, 'c.md', { after: randomBytes(1_000) });
        await close();
      },
    };
  },
  async 'another process closes its segment and a third one goes on with it'(open) {
    const [reader, writer] = [open(), open()];
    await record(reader, 'b.md', { after: bytes('b') });
    await record(writer, 'a.md', { after: TEXT });
    return {
      reader,
      async meanwhile() {
        await writer.close();
        await record(open(), 'c.md', { after: bytes('c') });
      },
    };
  },
  async 'a segment is removed and its text goes to an older one'(open) {
    const pruner = open({ maxBytes: 100, segmentBytes: 10_000, now: () => Date.UTC(2026, 0, 1) });
    await record(pruner, 'b.md', { after: bytes('b') });
    await closedSegment(open, Date.UTC(2026, 0, 1, 1));
    await record(open({ now: () => Date.UTC(2026, 0, 1, 20) }), 'a.md', { before: TEXT });
    return { reader: open(), meanwhile: () => pruner.prune() };
  },
  async 'a segment is removed and its text goes to a new one'(open) {
    const now = () => Date.UTC(2026, 0, 12);
    await closedSegment(open, Date.UTC(2026, 0, 1));
    await record(open({ now }), 'a.md', { before: TEXT });
    return { reader: open(), meanwhile: () => open({ now, days: 10 }).prune() };
  },
};

async function closedSegment(open: OpenHistory, at: number): Promise<void> {
  const history = open({ now: () => at });
  await record(history, 'a.md', { after: TEXT });
  await history.close();
}

/** The segment is closed once the function that this returns is called. */
function holdBackClose(): () => Promise<unknown> {
  const { close } = Segment.prototype;
  let letGo: () => void = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let closed: Promise<unknown> | undefined;
  const spy = vi.spyOn(Segment.prototype, 'close').mockImplementationOnce(function (this: Segment) {
    closed = isLetGo.then(() => close.call(this));
    return closed as ReturnType<typeof close>;
  });
  return async () => {
    letGo();
    await closed;
    spy.mockRestore();
  };
}

test.each(Object.entries(SCENES))('a text is found while %s', async (_, open) => {
  for (let moment = 0, isOver = false; !isOver; moment++) {
    const folder = await temporaryFolder();
    const { reader, meanwhile } = await open((options) => historyIn(folder, options));
    let left = moment;
    isOver = true;
    disk.before = async () => {
      if (left-- > 0) return;
      isOver = false;
      disk.before = async () => {};
      await meanwhile();
    };
    const found = await reader.text(hashOf(TEXT));
    expect([moment, found]).toEqual([moment, TEXT]);
    disk.before = async () => {};
    if (isOver) await meanwhile();
  }
});

test('a text that two segments had is kept again when both were removed', async () => {
  const folder = await temporaryFolder();
  const [past, now] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 12)];
  const former = [historyIn(folder, { now: () => past }), historyIn(folder, { now: () => past })];
  await Promise.all(former.map((history) => record(history, 'a.md', { after: TEXT })));
  for (const history of former) await history.close();
  const writer = historyIn(folder, { now: () => now });
  await record(writer, 'b.md', { after: bytes('b') });
  await historyIn(folder, { days: 10, now: () => now }).prune();
  await record(writer, 'a.md', { before: TEXT });
  expect(await writer.text(hashOf(TEXT))).toEqual(TEXT);
});
