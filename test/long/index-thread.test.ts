/** Very many notes are indexed by two threads at once; the index must not depend on how they share the work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NoteMeta } from '../../src/notes/store.ts';
import { documentOf } from '../../src/search/index/document.ts';
import { NoteIndex } from '../../src/search/index/note-index.ts';
import type { IndexWorker } from '../../src/search/sync/index-worker.ts';
import { runAtOnce } from '../../src/shared/async/time-slices.ts';
import { silentLog } from '../../src/shared/log.ts';
import { startIndexWorker } from '../../src/startup/index-worker.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { at, openNotes, searching } from '../search/kit.ts';

const THREAD = fileURLToPath(new URL('../../dist/quire-indexer.cjs', import.meta.url));
const COUNT = 3_000;
const LATE = 'n2950.md';

/** Each with words all have, words a few have and one of its own. */
function manyNotes(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: COUNT }, (_, i) => [
      `n${String(i).padStart(4, '0')}.md`,
      `---\ntags: [t${i % 7}]\naliases: [also${i}]\n---\n# Note ${i}\n\ncommon walked shared${i % 50} own${i} #in${i % 5} ${'x'.repeat(i % 300)}\n`,
    ]),
  );
}

/** Indexes what a store holds, after a moment, and tells how much it did. */
function helper(texts: Record<string, string>, meanwhile: () => Promise<void> | void = () => {}) {
  const state = { done: 0, ended: false };
  const assistant: IndexWorker = {
    threads: 1,
    free: 1,
    slice: async () => undefined,
    async index(notes) {
      await meanwhile();
      await sleep(1);
      const index = new NoteIndex(undefined, { isBatch: true });
      for (const { path, size, lastModified } of notes) {
        const text = texts[path]!;
        await index.put({ path, size, lastModified }, text, await documentOf(path, text), async () => {});
      }
      state.done += notes.length;
      return runAtOnce(index.pack(notes));
    },
    end: () => {
      state.ended = true;
    },
  };
  return { state, assistant };
}

const QUESTIONS = [
  'own17',
  'own2999',
  'shared3 own53',
  'walk',
  'common note 1200',
  'in3',
  'also2500',
  'xxxxxxxx',
];

describe('notes indexed with an assistant', () => {
  it('are found, ranked and explained as without', async () => {
    const texts = manyNotes();
    const { state, assistant } = helper(texts);
    const alone = await searching(openMemoryStore(texts));
    const helped = await searching(openMemoryStore(texts), { startWorker: async () => assistant });
    await Promise.all([alone.searcher.settled(), helped.searcher.settled()]);
    expect(state.done).toBeGreaterThan(100);
    expect(state.ended).toBe(true);
    for (const query of QUESTIONS) {
      const request = { query, limit: 50 };
      const [a, b] = await Promise.all([alone.searcher.search(request), helped.searcher.search(request)]);
      expect(b.total, query).toBe(a.total);
      const byPath = (hits: typeof a.hits) =>
        new Map(
          hits.map(({ score, lastModified: _, ...hit }) => [hit.path, { ...hit, score: score.toFixed(3) }]),
        );
      const certain = a.hits.filter(({ score }) => score > (a.hits.at(-1)?.score ?? 0));
      for (const { path } of certain)
        expect(byPath(b.hits).get(path), query).toEqual(byPath(a.hits).get(path));
    }
    const facts = async ({ searcher }: typeof alone) =>
      (await searcher.files()).map(({ path, tags, frontmatterTags }) => ({ path, tags, frontmatterTags }));
    expect(await facts(helped)).toEqual(await facts(alone));
  });

  it('that changed or went while they were lent are not found as they were', async () => {
    const texts = manyNotes();
    const store = openMemoryStore(texts);
    let changed = false;
    const { assistant } = helper(texts, async () => {
      if (changed) return;
      changed = true;
      await notes.store.write(at(LATE), 'quite different');
      await notes.store.remove(at('n2960.md'));
    });
    const notes = await searching(store, { startWorker: async () => assistant });
    await notes.searcher.settled();
    expect(changed).toBe(true);
    expect(await notes.paths('own2950')).not.toContain(LATE);
    expect(await notes.paths('quite different')).toEqual([LATE]);
    expect(await notes.paths('own2960')).not.toContain('n2960.md');
    expect(await notes.paths('own2970')).toEqual(['n2970.md']);
  });

  it('are found while it still works, and when it leaves, fails or can read nothing', async () => {
    const texts = manyNotes();
    const { assistant } = helper(texts);
    const empty = (notes: readonly NoteMeta[]) => runAtOnce(new NoteIndex().pack(notes));
    let batches = 0;
    const troubled: Record<string, IndexWorker['index']> = {
      leaves: async (notes) => (batches++ < 2 ? assistant.index(notes) : undefined),
      fails: async () => ({ ...empty([]), words: undefined }) as never,
      reads: async (notes) => empty(notes),
    };
    for (const [trouble, index] of Object.entries(troubled)) {
      const notes = await searching(openMemoryStore(texts), {
        startWorker: async () => ({ ...assistant, index }),
      });
      expect(await notes.paths('own2999'), trouble).toEqual(['n2999.md']);
      await notes.searcher.settled();
      const { total } = await notes.searcher.search({ query: 'common', limit: 1 });
      expect(total, trouble).toBe(COUNT);
    }
  });
});

describe('the thread', () => {
  it('indexes what the folder holds, and leaves links, odd bytes and what is gone to others', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha', 'b.md': Buffer.from([0xff, 0xfe, 0x41]) });
    const assistant = startIndexWorker({ file: THREAD, folder, log: silentLog });
    onTestFinished(() => assistant?.end());
    const meta = (path: string): NoteMeta => ({
      path: at(path),
      size: 5,
      lastModified: 1,
      contentType: 'text/markdown',
    });
    const notes = ['a.md', 'b.md', 'gone.md', '../../etc/hostname'].map(meta);
    const slice = await assistant?.slice(notes, { words: ['alpha'], literal: 'alpha' });
    expect(slice).toMatchObject({ unread: [1, 2, 3], others: { notes: 0, tokens: 0 } });
    expect(slice?.skimmed).toEqual({ words: ['alpha'], entries: Uint32Array.of(0, 1, 0, 1) });
    const made = await assistant?.index(notes);
    expect([...(made?.notes.sizes ?? [])].map((size) => size > 0)).toEqual([true, false, false, false]);
  });

  it('that cannot be started is done without, and said so', async () => {
    const folder = await temporaryFolder(manyNotes());
    const lines: string[] = [];
    const { searcher, paths } = await searching(await openNotes(folder), {
      startWorker: async () =>
        startIndexWorker({ file: `${folder}/none.cjs`, folder, log: (_, message) => lines.push(message) }),
    });
    await searcher.settled();
    expect(await paths('own2999')).toEqual(['n2999.md']);
    expect(lines).toEqual(['the thread that helps to index failed']);
  });

  it('helps the server, which answers rightly from the first question on', async () => {
    const folder = await temporaryFolder(manyNotes());
    const { call } = await startBinary(folder);
    for (const i of [0, 1500, 2999]) {
      const { json } = await call('search_notes', { query: `own${i}` });
      expect(json).toHaveLength(1);
    }
    const { text } = await call('search_notes', { query: 'common', limit: 1 });
    expect(text).toContain(`${COUNT} notes match`);
  });
});
