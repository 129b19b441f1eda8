import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { NotePath } from '../../src/notes/path.ts';
import { NoteIndex } from '../../src/search/index/note-index.ts';
import { snapshotAt } from '../../src/search/index/snapshot.ts';
import { runAtOnce } from '../../src/shared/async/time-slices.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { cases } from '../kit/cases.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';
import { at, openNotes, searchIn, searchInFolder, searching } from '../search/kit.ts';

describe('the index follows the notes', () => {
  it('shows our own changes in the very next search', async () => {
    const { paths, store } = await searchIn({ 'a.md': 'old' });
    expect(await paths('old')).toEqual(['a.md']);
    await store.write(at('a.md'), 'fresh');
    expect(await paths('old')).toEqual([]);
    expect(await paths('fresh')).toEqual(['a.md']);
    await store.move?.(at('a.md'), at('b.md'));
    expect(await paths('fresh')).toEqual(['b.md']);
    await store.remove(at('b.md'));
    expect(await paths('fresh')).toEqual([]);
  });

  it('shows what other programs did: new, changed, renamed over, removed, whole folders moved', async () => {
    const { paths, searcher, folder } = await searchInFolder({ 'a.md': 'alpha', 'dir/b.md': 'beta' });
    searcher.start();
    await searcher.settled();
    const soon = (query: string) => expect.poll(() => paths(query), { timeout: 40_000, interval: 20 });
    await writeFile(join(folder, 'c.md'), 'gamma');
    await soon('gamma').toEqual(['c.md']);
    await writeFile(join(folder, 'a.md'), 'delta');
    await soon('delta').toEqual(['a.md']);
    await soon('alpha').toEqual([]);
    await writeFile(join(folder, '.tmp'), 'epsilon');
    await rename(join(folder, '.tmp'), join(folder, 'c.md'));
    await soon('epsilon').toEqual(['c.md']);
    await rename(join(folder, 'dir'), join(folder, 'moved'));
    await soon('beta').toEqual(['moved/b.md']);
    await mkdir(join(folder, 'x/y/z'), { recursive: true });
    await writeFile(join(folder, 'x/y/z/deep.md'), 'zeta');
    await soon('zeta').toEqual(['x/y/z/deep.md']);
    await rm(join(folder, 'x'), { recursive: true });
    await soon('zeta').toEqual([]);
  });

  // Several times, because each meets the watch at another moment of its being set up.
  it('follows a burst: hundreds of notes replaced, added and removed at once, as by a checkout', {
    repeats: 7,
  }, async () => {
    const before = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`d${i % 30}/n${i}.md`, `main ${i}`]),
    );
    const { paths, searcher, folder } = await searchInFolder(before);
    searcher.start();
    await searcher.settled();
    await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const file = join(folder, `d${i % 30}/n${i}.md`);
        await rm(file);
        if (i % 3 !== 0) await writeFile(file, `branch ${i}`);
      }),
    );
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await mkdir(join(folder, `new${i}/deep`), { recursive: true });
        await writeFile(join(folder, `new${i}/deep/added.md`), 'branch added');
      }),
    );
    const count = (query: string) => async () => (await paths(query, { limit: 500 })).length;
    await expect.poll(count('branch'), { timeout: 40_000, interval: 20 }).toBe(230);
    await expect.poll(count('main'), { timeout: 40_000, interval: 20 }).toBe(0);
  });

  it('goes on when the whole folder is removed and made again', async () => {
    const { paths, searcher, folder } = await searchInFolder({ 'a.md': 'alpha', 'dir/b.md': 'beta' });
    searcher.start();
    await searcher.settled();
    const soon = (query: string) => expect.poll(() => paths(query), { timeout: 40_000, interval: 50 });
    await rm(folder, { recursive: true });
    await soon('alpha').toEqual([]);
    await mkdir(join(folder, 'dir'), { recursive: true });
    await writeFile(join(folder, 'dir/c.md'), 'gamma');
    await soon('gamma').toEqual(['dir/c.md']);
    await setTimeout(100);
    await writeFile(join(folder, 'dir/c.md'), 'delta');
    await soon('delta').toEqual(['dir/c.md']);
  });

  it('lists again and again when there can be no watch, and says so', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const store = await openNotes(folder);
    const lines: string[] = [];
    const { paths, searcher } = await searching(
      { ...store, watch: () => Promise.reject(new Error('no watches left')) },
      { log: (level, message, facts) => lines.push(`${level} ${message} ${JSON.stringify(facts)}`) },
    );
    searcher.start();
    await searcher.settled();
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^warn cannot watch.*no watches left/)]);
    await writeFile(join(folder, 'a.md'), 'beta, and longer');
    await expect.poll(() => paths('beta'), { timeout: 40_000, interval: 50 }).toEqual(['a.md']);
  });

  it('answers rightly before it has indexed anything', async () => {
    const seed = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`n${i}.md`, i === 317 ? 'a rare quokka' : `note ${i}`]),
    );
    const { paths } = await searchInFolder(seed);
    expect(await paths('quokka')).toEqual(['n317.md']);
    expect((await paths('note', { limit: 1000 })).length).toBe(399);
  });

  it('is equal to a new index after any history', async () => {
    const word = fc.constantFrom(
      'alpha',
      'beta',
      'gamma',
      'Café',
      '日本',
      'foo_bar',
      'run',
      'running',
      'C++',
    );
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    const path = fc.constantFrom('a.md', 'b.md', 'c/d.md', 'c/e.md', 'f.md');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), path, text }),
      fc.record({ kind: fc.constant('remove' as const), path }),
      fc.record({ kind: fc.constant('move' as const), path, to: path }),
      fc.record({ kind: fc.constant('search' as const), query: word }),
      fc.record({ kind: fc.constant('rest' as const), milliseconds: fc.constantFrom(0, 1, 15) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (history) => {
        const memory = openMemoryStore();
        // Every note is worth saving, so that the index is packed again and again on the way.
        const kept = await searching(memory, { worthSaving: 1 });
        for (const change of history) {
          if (change.kind === 'search') await kept.paths(change.query);
          else if (change.kind === 'rest') await setTimeout(change.milliseconds);
          else if (change.kind === 'write') await kept.store.write(at(change.path), change.text);
          else if (change.kind === 'remove') await kept.store.remove(at(change.path)).catch(() => {});
          else await kept.store.move?.(at(change.path), at(change.to), { overwrite: true }).catch(() => {});
        }
        const fresh = await searching(memory);
        await Promise.all([kept.searcher.settled(), fresh.searcher.settled()]);
        for (const query of ['alpha', 'gamma beta', 'cafe', '本', 'foo_b', 'run', 'c++', 'bet']) {
          expect([query, (await kept.paths(query)).sort()]).toEqual([
            query,
            (await fresh.paths(query)).sort(),
          ]);
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it('finds every note by every piece of its text', async () => {
    const piece = fc.constantFrom(
      'foo',
      'Bar',
      'x1',
      ' ',
      '\n',
      '-',
      '_',
      '++',
      'é',
      'e\u0301',
      '日',
      '本',
      '🚀',
      'ß',
      '.',
      '/',
      'İ',
      'ﬁ',
      '한',
      'ก',
      '"',
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        async (texts, which, from, length) => {
          const seed = Object.fromEntries(texts.map((content, i) => [`n${i}.md`, content]));
          const target = which % texts.length;
          const characters = [...(texts[target] ?? '')];
          const start = from % characters.length;
          const query = characters
            .slice(start, start + 1 + (length % 6))
            .join('')
            .trim();
          // Quotes have a meaning of their own, and a mark alone is no text.
          if (query === '' || query.includes('"') || /^\p{M}/u.test(query)) return;
          const { paths } = await searchIn(seed);
          expect([query, texts, await paths(query)]).toEqual([
            query,
            texts,
            expect.arrayContaining([`n${target}.md`]),
          ]);
        },
      ),
      { numRuns: cases(300) },
    );
  });
});

describe('notes that are far away', () => {
  it('are read several at a time, for the index and before it is there', async () => {
    const seed = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.md`, `note ${i} word`]));
    const near = openMemoryStore(seed);
    let underWay = 0;
    let most = 0;
    const far = {
      ...near,
      readsAtOnce: 4,
      read: async (path: NotePath) => {
        underWay++;
        most = Math.max(most, underWay);
        await setTimeout(5);
        underWay--;
        return near.read(path);
      },
    };
    const { paths, searcher } = await searching(far);
    expect(await paths('word')).toHaveLength(40);
    await searcher.settled();
    expect(await paths('note 39')).toContain('39.md');
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  });
});

describe('the index between runs', () => {
  const others = Array.from({ length: 250 }, (_, i) => [`others/${i}.md`, `other ${i}`]);
  const seed: Record<string, string> = {
    ...Object.fromEntries(others),
    'a.md': 'alpha',
    'b/c.md': '---\ntags: [t]\n---\nbeta #inline',
    'd.md': 'gamma',
  };

  it('is loaded, checked against the folder, and right at once', async () => {
    const folder = await temporaryFolder(seed);
    const snapshotFile = join(await temporaryFolder(), 'index.bin');
    const first = await searching(await openNotes(folder), { snapshotFile });
    await first.searcher.settled();
    await first.searcher.close();
    await writeFile(join(folder, 'a.md'), 'changed while nobody looked');
    await rm(join(folder, 'd.md'));
    await writeFile(join(folder, 'b/new.md'), 'delta');
    const second = await searching(await openNotes(folder), { snapshotFile });
    expect(await second.paths('alpha')).toEqual([]);
    expect(await second.paths('nobody looked')).toEqual(['a.md']);
    expect(await second.paths('gamma')).toEqual([]);
    expect(await second.paths('delta')).toEqual(['b/new.md']);
    expect(await second.paths('beta', { filter: { tags: ['t'] } })).toEqual(['b/c.md']);
  });

  it('takes what was written before it was loaded for what it is', async () => {
    const folder = await temporaryFolder(seed);
    const snapshotFile = join(await temporaryFolder(), 'index.bin');
    const first = await searching(await openNotes(folder), { snapshotFile, worthSaving: 1 });
    await first.searcher.settled();
    await first.searcher.close();
    const second = await searching(await openNotes(folder), { snapshotFile, worthSaving: 1 });
    await second.store.write(at('a.md'), 'overwritten numbat');
    await second.store.write(at('e.md'), 'brandnew quokka');
    await second.store.remove(at('d.md'));
    // Long enough to be indexed: into an index that is about to be replaced.
    await setTimeout(100);
    expect(await second.paths('numbat')).toEqual(['a.md']);
    expect(await second.paths('quokka')).toEqual(['e.md']);
    expect(await second.paths('alpha')).toEqual([]);
    expect(await second.paths('gamma')).toEqual([]);
    expect(await second.paths('beta')).toEqual(['b/c.md']);
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 40)],
    [
      'damaged',
      (bytes: Buffer) =>
        Buffer.concat([bytes.subarray(0, 200), Buffer.from([bytes[200]! ^ 1]), bytes.subarray(201)]),
    ],
    [
      'of another format',
      (bytes: Buffer) => Buffer.concat([Buffer.from('quire index 0\n  '), bytes.subarray(16)]),
    ],
    ['empty', () => Buffer.alloc(0)],
  ])('is made anew when the file is %s', async (_, spoil) => {
    const folder = await temporaryFolder(seed);
    const snapshotFile = join(await temporaryFolder(), 'index.bin');
    const first = await searching(await openNotes(folder), { snapshotFile });
    await first.searcher.settled();
    await first.searcher.close();
    await writeFile(snapshotFile, spoil(await readFile(snapshotFile)));
    const second = await searching(await openNotes(folder), { snapshotFile });
    expect(await second.paths('beta')).toEqual(['b/c.md']);
    expect(await fileText(folder, 'a.md')).toBe('alpha');
  });

  it('is one whole file after several searchers of one folder wrote it at once', async () => {
    const cache = await temporaryFolder();
    const log = vi.fn();
    const writers = Array.from({ length: 8 }, () => snapshotAt(join(cache, 'index.bin'), log));
    await Promise.all(
      writers.map((one) => one.save({ index: runAtOnce(new NoteIndex().pack([])), files: [] })),
    );
    expect(log.mock.calls).toEqual([]);
    expect(await readdir(cache)).toEqual(['index.bin']);
    const saved = await writers[0]!.load();
    expect(saved?.listing.paths).toEqual([]);
    expect(saved?.files()).toEqual([]);
    expect(Object.values(saved?.listing.token ?? {}).map(({ length }) => length)).toEqual([0, 0]);
  });
});
