/** Texts read from far away are kept while other notes change. */
import { expect, test } from 'vitest';
import { createBackoff } from '../../src/search/failed-reads.ts';
import { TextCache } from '../../src/search/query/text-cache.ts';
import { Reach } from '../../src/search/reach.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { at } from './kit.ts';

function slowCache() {
  const near = openMemoryStore({ 'a.md': 'text of a', 'b.md': 'text of b' });
  const reads: (() => void)[] = [];
  const read: typeof near.read = async (path) => {
    const note = await near.read(path);
    await new Promise<void>((resolve) => reads.push(resolve));
    return note;
  };
  const reach = new Reach({ isFar: true, backoff: createBackoff({ firstMs: 1, longestMs: 1 }) });
  const texts = new TextCache({ ...near, readsAtOnce: 8, read }, reach);
  const finishReads = async (count: number) => {
    await expect.poll(() => reads.length).toBe(count);
    for (const finish of reads.splice(0)) finish();
  };
  return { texts, finishReads };
}

test('a text is kept though another note has changed while it was read', async () => {
  const { texts, finishReads } = slowCache();
  const asked = [texts.get(at('a.md')), texts.getOnce({ path: at('b.md'), size: 1 })];
  texts.forget(at('c.md'));
  await finishReads(2);
  expect(await Promise.all(asked)).toEqual(['text of a', 'text of b']);
  expect([texts.peek(at('a.md')), texts.peek(at('b.md'))]).toEqual(['text of a', 'text of b']);
});

test('a text is not kept when its note has changed while it was read', async () => {
  const { texts, finishReads } = slowCache();
  const asked = texts.get(at('a.md'));
  texts.forget(at('a.md'));
  const again = texts.getOnce({ path: at('b.md'), size: 1 });
  await finishReads(2);
  expect(await asked).toBe('text of a');
  await again;
  expect([texts.peek(at('a.md')), texts.peek(at('b.md'))]).toEqual([undefined, 'text of b']);
});

test('a note that two want at the same time is read once, and again after a change', async () => {
  const { texts, finishReads } = slowCache();
  const asked = [texts.get(at('a.md')), texts.getOnce({ path: at('a.md'), size: 1 })];
  await finishReads(1);
  expect(await Promise.all(asked)).toEqual(['text of a', 'text of a']);
  texts.forget(at('a.md'));
  const early = texts.get(at('a.md'));
  texts.forget(at('a.md'));
  const late = texts.get(at('a.md'));
  await finishReads(2);
  expect(await Promise.all([early, late])).toEqual(['text of a', 'text of a']);
});

test('texts that are used stay, and all together have a bound', async () => {
  const size = 400_000;
  const paths = Array.from({ length: 100 }, (_, number) => at(`${number}.md`));
  const store = openMemoryStore(Object.fromEntries(paths.map((path) => [path, path.padEnd(size, '.')])));
  const reach = new Reach({ isFar: false, backoff: createBackoff({ firstMs: 1, longestMs: 1 }) });
  const texts = new TextCache(store, reach);
  for (const path of paths) {
    await texts.get(path);
    expect(texts.peek(paths[0]!)).toBeDefined();
  }
  const kept = paths.filter((path) => texts.peek(path) !== undefined);
  expect(kept).toContain(paths[99]);
  expect(kept).not.toContain(paths[1]);
  expect(kept.length * size).toBeLessThanOrEqual(16 * 1024 * 1024);
});
