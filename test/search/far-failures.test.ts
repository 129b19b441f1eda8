/** Notes on a server that fails, freezes and comes back: none is hidden by it, and no search says that there is nothing. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NotePath } from '../../src/notes/path.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { AppError, type ErrorCode, isAppError } from '../../src/shared/errors.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { at, searching } from './kit.ts';

const QUICK = { firstMs: 5, longestMs: 40, stallMs: 200, random: () => 0.5 };

const soon = <T>(look: () => T) => expect.poll(look, { timeout: 20_000, interval: 20 });

function seedOf(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`p${n}.md`, `# Page ${n}\n\nunique${n}x everywhere`]),
  );
}

interface Trouble {
  /** Of a read; undefined when it goes well. */
  read: (path: NotePath) => ErrorCode | 'never' | undefined;
  stat: (path: NotePath) => ErrorCode | undefined;
  list: () => ErrorCode | 'never' | undefined;
  catchUp: () => ErrorCode | 'never' | undefined;
}

/** A store far away, and what goes wrong with it. */
function farStore(seed: Readonly<Record<string, string>>): {
  store: NoteStore;
  trouble: Trouble;
  reads: string[];
} {
  const near = openMemoryStore(seed, () => 1_700_000_000_000);
  const trouble: Trouble = {
    read: () => undefined,
    stat: () => undefined,
    list: () => undefined,
    catchUp: () => undefined,
  };
  const reads: string[] = [];
  const meet = async (fate: ErrorCode | 'never' | undefined) => {
    // As a process that was stopped: it answers everything when it goes on.
    if (fate === 'never') while (trouble.list() === 'never') await sleep(5);
    else if (fate) throw new AppError(fate, 'it went wrong');
  };
  const store: NoteStore = {
    ...near,
    readsAtOnce: 8,
    read: async (path) => {
      reads.push(path);
      await meet(trouble.read(path));
      return near.read(path);
    },
    stat: async (path) => {
      await meet(trouble.stat(path));
      return near.stat!(path);
    },
    list: async (options) => {
      await meet(trouble.list());
      return near.list(options);
    },
    catchUp: async () => {
      await meet(trouble.catchUp());
      return true;
    },
  };
  return { store, trouble, reads };
}

const down = (trouble: Trouble, how: ErrorCode | 'never' = 'upstream_failed') => {
  trouble.read = () => how;
  trouble.list = () => how;
  trouble.catchUp = () => how;
};

const up = (trouble: Trouble) => {
  trouble.read = () => undefined;
  trouble.list = () => undefined;
  trouble.catchUp = () => undefined;
};

describe('a note that could not be read', () => {
  it.each<ErrorCode>(['upstream_failed', 'timeout', 'conflict', 'forbidden', 'rate_limited', 'internal'])(
    'is read again after %s until it can be, and counted meanwhile',
    async (code) => {
      const { store, trouble } = farStore(seedOf(40));
      trouble.read = (path) => (path === 'p7.md' ? code : undefined);
      const { searcher, paths } = await searching(store, { retries: QUICK });
      searcher.start();
      await searcher.settled();
      expect(searcher.status()).toMatchObject({ indexed: 39, unreadable: 1, reasons: { [code]: 1 } });
      expect(await paths('unique8x')).toEqual(['p8.md']);
      trouble.read = () => undefined;
      await soon(() => paths('unique7x').catch(() => [])).toEqual(['p7.md']);
      await soon(() => searcher.status()).toMatchObject({ indexed: 40, pending: 0, unreadable: 0 });
    },
  );

  it('delays no other note: the others are indexed meanwhile', async () => {
    const { store, trouble } = farStore(seedOf(40));
    let isHeld = true;
    const held: NoteStore = {
      ...store,
      read: async (path) => {
        while (isHeld && path === 'p7.md') await sleep(5);
        return store.read(path);
      },
    };
    up(trouble);
    const { searcher, store: served } = await searching(held, { retries: QUICK });
    const reading = served.read(at('p7.md'));
    searcher.start();
    await soon(() => searcher.status().indexed).toBe(39);
    isHeld = false;
    expect((await reading).path).toBe('p7.md');
    await soon(() => searcher.status()).toMatchObject({ indexed: 40, pending: 0 });
  });

  it('is found by its name, and what is left out is said', async () => {
    const { store, trouble } = farStore({ ...seedOf(5), 'quokka.md': 'a numbat' });
    trouble.read = (path) => (path === 'quokka.md' ? 'forbidden' : undefined);
    const { searcher, paths } = await searching(store, { retries: QUICK });
    searcher.start();
    await searcher.settled();
    const warnings: string[] = [];
    const onWarning = (warning: string) => void warnings.push(warning);
    expect(await paths('quokka')).toEqual(['quokka.md']);
    expect((await searcher.search({ query: 'everywhere', limit: 9 }, { onWarning })).total).toBe(5);
    expect(warnings).toEqual([expect.stringContaining('1 note could not be read')]);
  });

  it('is not denied by a search that began before it is read once more', async () => {
    const { store } = farStore({ ...seedOf(5), 'quokka.md': 'a numbat' });
    let tries = 0;
    let isHeld = true;
    const failing: NoteStore = {
      ...store,
      read: async (path) => {
        if (path === 'quokka.md' && ++tries <= 3) throw new AppError('upstream_failed', 'it went wrong');
        while (path === 'quokka.md' && isHeld) await sleep(5);
        while (path === 'slow.md' && searcher.status().unreadable > 0) await sleep(5);
        return store.read(path);
      },
    };
    const retries = { ...QUICK, firstMs: 200, longestMs: 800, stallMs: 2_000 };
    const { searcher, store: served, paths } = await searching(failing, { retries });
    searcher.start();
    await soon(() => [tries, searcher.status().unreadable]).toEqual([3, 1]);
    await served.write(at('slow.md'), 'a wombat');
    await expect(paths('numbat')).rejects.toThrow(/Not all notes could be searched/);
    isHeld = false;
    await soon(() => paths('numbat').catch(() => [])).toEqual(['quokka.md']);
  });

  it('is never saved as read, and is read by the next run', async () => {
    const snapshotFile = join(await temporaryFolder(), 'index.bin');
    const { store, trouble, reads } = farStore(seedOf(30));
    trouble.read = (path) => (/[37]\.md$/.test(path) ? 'upstream_failed' : undefined);
    const first = await searching(store, {
      snapshotFile,
      worthSaving: 1,
      retries: { ...QUICK, firstMs: 60_000, longestMs: 60_000 },
    });
    first.searcher.start();
    await first.searcher.settled();
    await first.searcher.close();
    trouble.read = () => undefined;
    reads.length = 0;
    const second = await searching(store, { snapshotFile, worthSaving: 1, retries: QUICK });
    await second.searcher.settled();
    const readAnew = new Set(reads);
    for (let n = 0; n < 30; n++) expect(await second.paths(`unique${n}x`)).toEqual([`p${n}.md`]);
    expect(readAnew).toEqual(new Set([3, 7, 13, 17, 23, 27].map((n) => `p${n}.md`)));
    await rm(snapshotFile);
  });

  it('that is gone is left out, and no search waits for it', async () => {
    const { store, trouble } = farStore(seedOf(5));
    trouble.read = (path) => (path === 'p3.md' ? 'not_found' : undefined);
    const { searcher, paths } = await searching(store, {
      retries: { ...QUICK, firstMs: 60_000, longestMs: 60_000 },
    });
    searcher.start();
    await searcher.settled();
    expect(searcher.status()).toMatchObject({ indexed: 4, pending: 0, unreadable: 0 });
    expect(await paths('p3')).toEqual([]);
  });

  it('stays in the search when a look at its change fails', async () => {
    const { store, trouble } = farStore(seedOf(5));
    const { searcher, paths } = await searching(store, { retries: QUICK });
    searcher.start();
    await searcher.settled();
    // The watch begins when everything has been indexed.
    await sleep(20);
    trouble.stat = () => 'upstream_failed';
    await store.write(at('p2.md'), 'rewritten unique2 wombat');
    await store.write(at('new.md'), 'brandnew');
    await soon(() => paths('wombat')).toEqual(['p2.md']);
    await soon(() => paths('brandnew')).toEqual(['new.md']);
    trouble.stat = () => undefined;
    await soon(async () => (await searcher.files()).map(({ size }) => size).includes(0)).toBe(false);
  });
});

describe('a server that is down or frozen', () => {
  it.each(['upstream_failed', 'never'] as const)('is answered for from the index: %s', async (how) => {
    const { store, trouble } = farStore(seedOf(20));
    const { searcher } = await searching(store, { retries: QUICK });
    searcher.start();
    await searcher.settled();
    await sleep(20);
    down(trouble, how);
    const warnings: string[] = [];
    const { hits, total } = await searcher.search(
      { query: 'everywhere', limit: 20 },
      { onWarning: (warning) => void warnings.push(warning) },
    );
    expect(total).toBe(20);
    // The texts were kept when they were indexed.
    expect(hits.map(({ excerpt }) => excerpt).every((excerpt) => excerpt.includes('everywhere'))).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/cannot be reached.*as of .* seconds ago/)]);

    const error = await searcher.search({ query: 'nowhere', limit: 5 }).catch((thrown: unknown) => thrown);
    expect(isAppError(error, 'upstream_failed')).toBe(true);
    up(trouble);
    await soon(() =>
      searcher.search({ query: 'nowhere', limit: 5 }).then(
        ({ total }) => total,
        () => -1,
      ),
    ).toBe(0);
  });

  it('is answered for from the saved index, without the texts that were not saved', async () => {
    const snapshotFile = join(await temporaryFolder(), 'index.bin');
    const { store, trouble } = farStore(seedOf(20));
    const first = await searching(store, { snapshotFile, worthSaving: 1, retries: QUICK });
    first.searcher.start();
    await first.searcher.settled();
    await first.searcher.close();
    down(trouble, 'never');
    const second = await searching(store, { snapshotFile, worthSaving: 1, retries: QUICK });
    second.searcher.start();
    expect(await second.paths('unique7x')).toEqual(['p7.md']);
    expect(await second.paths('everywhere')).toHaveLength(20);
    await expect(second.paths('nowhere')).rejects.toThrow(/cannot be reached/);
  });

  it('is an error where nothing was ever known of it, and followed as soon as it is there', async () => {
    const { store, trouble } = farStore(seedOf(20));
    down(trouble);
    const { searcher, paths } = await searching(store, { retries: QUICK });
    searcher.start();
    await expect(paths('everywhere')).rejects.toThrow('it went wrong');
    await expect(searcher.files()).rejects.toThrow('it went wrong');
    up(trouble);
    await soon(() => paths('everywhere').catch(() => [])).toHaveLength(20);
    await soon(() => searcher.status()).toMatchObject({ indexed: 20, pending: 0 });
    await store.write(at('later.md'), 'latecomer');
    await soon(() => paths('latecomer').catch(() => [])).toEqual(['later.md']);
  });

  it('is not known before it has been listed, though it answers for a new note', async () => {
    const { store, trouble } = farStore(seedOf(20));
    trouble.list = () => 'never';
    const { store: served, paths } = await searching(store, { retries: QUICK });
    await expect(paths('unique7x')).rejects.toThrow(/does not answer/);
    const answer = paths('unique7x');
    await served.write(at('new.md'), 'brandnew');
    await expect(answer).rejects.toThrow(/does not answer/);
    trouble.list = () => undefined;
    await soon(() => paths('unique7x').catch(() => [])).toEqual(['p7.md']);
  });

  it('in the middle of the first indexing hides no note', async () => {
    const { store, trouble, reads } = farStore(seedOf(300));
    trouble.read = () => (reads.length > 100 && reads.length < 130 ? 'upstream_failed' : undefined);
    const { searcher, paths } = await searching(store, { retries: QUICK });
    searcher.start();
    await soon(() => searcher.status()).toMatchObject({ indexed: 300, pending: 0, unreadable: 0 });
    for (const n of [0, 99, 150, 299]) expect(await paths(`unique${n}x`)).toEqual([`p${n}.md`]);
  });

  it('is not asked by every note that waits', async () => {
    const { store, trouble, reads } = farStore(seedOf(300));
    trouble.read = () => 'upstream_failed';
    const { searcher } = await searching(store, {
      retries: { ...QUICK, firstMs: 60_000, longestMs: 60_000 },
    });
    searcher.start();
    await soon(() => reads.length).toBeGreaterThan(2);
    await sleep(100);
    expect(reads.length).toBeLessThan(40);
    const { indexed, pending, unreadable } = searcher.status();
    expect([indexed, pending + unreadable]).toEqual([0, 300]);
  });
});

describe('hits far away', () => {
  it('are read side by side', async () => {
    const { store } = farStore(seedOf(64));
    const snapshotFile = join(await temporaryFolder(), 'index.bin');
    const first = await searching(store, { snapshotFile, worthSaving: 1 });
    await first.searcher.settled();
    await first.searcher.close();
    let underWay = 0;
    let most = 0;
    const slow: NoteStore = {
      ...store,
      read: async (path) => {
        most = Math.max(most, ++underWay);
        await sleep(5);
        underWay--;
        return store.read(path);
      },
    };
    const { searcher } = await searching(slow, { snapshotFile, worthSaving: 1 });
    expect((await searcher.search({ query: 'everywhere', limit: 20 })).hits).toHaveLength(20);
    expect(most).toBe(8);
    most = 0;
    expect((await searcher.search({ query: '"unique7x everywhere"', limit: 20 })).total).toBe(1);
    expect([...(await searcher.links()).orphans()]).toHaveLength(64);
    expect(most).toBeGreaterThan(4);
  });
});

describe('a server that is slow and well', () => {
  /** Every read takes its time, and every one is answered. */
  async function slowSearch(count: number) {
    const { store, reads } = farStore(seedOf(count));
    const slow: NoteStore = {
      ...store,
      read: async (path) => {
        await sleep(20);
        return store.read(path);
      },
    };
    const opened = await searching(slow, { retries: { ...QUICK, stallMs: 2_000, answerMs: 300 } });
    return { ...opened, reads };
  }

  it('keeps no search waiting for all the notes it has not seen yet, and the answer says so', async () => {
    const { searcher, reads } = await slowSearch(2_000);
    const warnings: string[] = [];
    const onWarning = (text: string) => void warnings.push(text);
    const answer = await searcher.search({ query: 'everywhere', limit: 5 }, { onWarning });
    expect(answer.hits).toHaveLength(5);
    expect(answer.hits.map(({ excerpt }) => excerpt).join()).toContain('everywhere');
    expect(reads.length).toBeLessThan(1_000);
    expect(warnings).toEqual([expect.stringMatching(/^\d+ notes could not be read yet and are left out/)]);
    expect(searcher.status().isReachable).toBe(true);
  });

  it('never makes a search say that there is nothing', async () => {
    const { searcher, reads } = await slowSearch(2_000);
    await expect(searcher.search({ query: 'unheardof', limit: 5 })).rejects.toThrow(
      /Not all notes could be searched/,
    );
    expect(reads.length).toBeLessThan(1_000);
    expect(searcher.status().isReachable).toBe(true);
  });

  it('is searched whole as soon as all has been read', async () => {
    const { searcher, paths } = await slowSearch(200);
    await paths('unique199x').catch(() => []);
    await searcher.settled();
    expect(await paths('unique199x')).toEqual(['p199.md']);
    const warnings: string[] = [];
    await searcher.search({ query: 'unique5x', limit: 5 }, { onWarning: (text) => void warnings.push(text) });
    expect(warnings).toEqual([]);
  });
});
