/** Writes: conditions that no clock can fool, and what is left when the server fails in the middle. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { isDamage, isPatchwork } from '../../src/stores/silverbullet/save.ts';
import type { Fate } from '../kit/silverbullet/space.ts';
import { at, caught, DIALECTS, fates, served, storeOver } from './kit.ts';

const OLD = 'old text '.repeat(500);
const NEW = `new: ${OLD}and more `.repeat(3);
const full = (share: number, keepsTail = false): Fate => ({
  kind: 'disk-full',
  shortage: { share, keepsTail },
});
const reset = (applies: boolean): Fate => ({ kind: 'reset', applies });
const status = (code: number, applies: boolean): Fate => ({ kind: 'status', status: code, applies });

describe.each(DIALECTS)('a write, %s', (dialect) => {
  test('says what was saved and when, as the server does', async () => {
    const { fake, store } = await served({ dialect });
    fake.disk.clock = () => 1_700_000_123_456;
    const written = await store.write(at('a.md'), 'äöü');
    expect(written).toEqual({
      path: 'a.md',
      size: 6,
      lastModified: 1_700_000_123_456,
      contentType: 'text/markdown',
      version: expect.any(String),
    });
    expect(await store.read(at('a.md'))).toMatchObject(written);
  });

  test.each([
    ['in the same tick', 1],
    ['where time stamps are whole seconds', 1000],
  ])('conflicts with another %s', async (_, tickMs) => {
    const { fake, store } = await served({ dialect, files: { 'a.md': 'one!' } });
    const now = Date.now();
    fake.disk.clock = () => now;
    fake.disk.ways.tickMs = tickMs;
    fake.disk.seed('a.md', 'one!');
    const { version, lastModified } = await store.read(at('a.md'));
    await fake.put('a.md', 'two!');
    expect(fake.disk.files.get('a.md')?.lastModified).toBe(lastModified);
    expect((await caught(store.write(at('a.md'), 'three', { ifVersion: version }))).code).toBe('conflict');
    expect((await caught(store.remove(at('a.md'), { ifVersion: version }))).code).toBe('conflict');
    expect(fake.disk.text('a.md')).toBe('two!');
  });

  test('conflicts with a change that put the old time stamp back', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': 'one' } });
    const { version, lastModified } = await store.read(at('a.md'));
    fake.disk.seed('a.md', 'two', lastModified);
    expect((await caught(store.write(at('a.md'), 'three', { ifVersion: version }))).code).toBe('conflict');
  });

  test('that changes nothing is not sent', async () => {
    const { store, changes } = await served({ dialect, files: { 'a.md': 'same' } });
    const { version } = await store.read(at('a.md'));
    expect((await store.write(at('a.md'), 'same', { ifVersion: version })).version).toBe(version);
    expect(changes()).toEqual([]);
  });

  test('in the tick of the one before is given a time stamp that browsers notice', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': 'one' } });
    for (const now of [1_700_000_000_001, 1_700_000_000_000]) {
      fake.disk.clock = () => now;
      fake.disk.seed('a.md', 'one', now);
      const { lastModified } = await store.write(at('a.md'), 'two');
      expect(lastModified).toBeGreaterThan(now);
      expect(fake.disk.files.get('a.md')?.lastModified).toBe(lastModified);
    }
  });

  test.each([
    ['an error', status(500, true)],
    ['an error of a gateway', status(502, true)],
    ['a lost connection', reset(true)],
  ])('that was done before %s counts as done, and is not repeated', async (_, fate) => {
    const { fake, store, changes } = await served({ dialect, files: { 'a.md': OLD } });
    fates(fake, 'PUT', fate);
    const { version } = await store.read(at('a.md'));
    await store.write(at('a.md'), NEW, { ifVersion: version });
    expect(fake.disk.text('a.md')).toBe(NEW);
    expect(changes()).toHaveLength(1);
  });

  test.each([
    ['an error', status(503, false)],
    ['a lost connection', reset(false)],
  ])('that %s kept from happening is tried once more', async (_, fate) => {
    const { fake, store, changes } = await served({ dialect, files: { 'a.md': OLD } });
    fates(fake, 'PUT', fate);
    await store.write(at('a.md'), NEW);
    expect(fake.disk.text('a.md')).toBe(NEW);
    expect(changes()).toHaveLength(2);
    fates(fake, 'PUT', fate, fate);
    const error = await caught(store.write(at('a.md'), 'third'));
    expect(error).toMatchObject({ code: 'upstream_failed', subject: 'a.md' });
    expect(error.hint).toContain('holds what it held before');
    expect(fake.disk.text('a.md')).toBe(NEW);
  });

  test.each([
    ['is empty', full(0)],
    ['holds a part of the new text', full(0.6)],
    ['holds a part of the new text and the end of the old', full(0.1, true)],
  ])('on a full disk, after which the page %s, puts the old text back', async (_, fate) => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    const { lastModified } = await store.read(at('a.md'));
    fates(fake, 'PUT', fate);
    const error = await caught(store.write(at('a.md'), NEW));
    expect(error.code).toBe('upstream_failed');
    expect(error.hint).toContain('space left');
    expect(fake.disk.text('a.md')).toBe(OLD);
    expect(fake.disk.files.get('a.md')?.lastModified).toBe(lastModified);
  });

  test('on a full disk leaves nothing of a page that was not there', async () => {
    const { fake, store } = await served({ dialect });
    fates(fake, 'PUT', full(0.5));
    expect((await caught(store.write(at('new.md'), NEW, { ifVersion: null }))).code).toBe('upstream_failed');
    expect(fake.disk.files.has('new.md')).toBe(false);
  });

  test.each([
    ['beginnings', [0.3]],
    ['beginnings of several lengths', [0.5, 0.1, 0.3]],
  ])('whose old text goes back by its %s alone is still put back whole', async (_, shares) => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    fates(fake, 'PUT', full(0.2, true), ...shares.map((share) => full(share, true)));
    expect((await caught(store.write(at('a.md'), NEW))).code).toBe('upstream_failed');
    expect(fake.disk.text('a.md')).toBe(OLD);
  });

  test('on a disk that stays full keeps the old text, says so, and brings it back when it can', async () => {
    const { fake, store, text } = await served({ dialect, files: { 'a.md': OLD } });
    fates(fake, 'PUT', full(0.6), ...Array.from({ length: 8 }, () => full(0.3)));
    const error = await caught(store.write(at('a.md'), NEW));
    expect(error.code).toBe('upstream_failed');
    expect(error.hint).toContain('is kept here');
    expect(fake.disk.text('a.md')).not.toBe(OLD);
    // Neither shown nor built upon while it is broken.
    expect((await caught(store.read(at('a.md')))).code).toBe('upstream_failed');
    fake.faults.fate = () => undefined;
    expect(await text('a.md')).toBe(OLD);
    await store.write(at('a.md'), NEW);
    expect(fake.disk.text('a.md')).toBe(NEW);
  });

  test('puts back what is broken when it is closed', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    fates(fake, 'PUT', ...Array.from({ length: 5 }, () => full(0.3)));
    await caught(store.write(at('a.md'), NEW));
    fake.faults.fate = () => undefined;
    await store.close();
    expect(fake.disk.text('a.md')).toBe(OLD);
  });

  test('does not put anything over what another client wrote after the failure', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    fake.faults.fate = ({ method, isForeign }) => {
      if (method !== 'PUT' || isForeign) return undefined;
      setTimeout(() => fake.disk.seed('a.md', 'theirs'), 5);
      return status(500, false);
    };
    expect((await caught(store.write(at('a.md'), NEW))).code).toBe('conflict');
    expect(fake.disk.text('a.md')).toBe('theirs');
  });

  test('that is overwritten at once is a conflict, not a success', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    let hasWritten = false;
    fake.faults.fate = ({ method }) => {
      if (method === 'GET' && hasWritten) fake.disk.seed('a.md', 'theirs');
      hasWritten ||= method === 'PUT';
      return undefined;
    };
    const error = await caught(store.write(at('a.md'), NEW));
    expect(error.code).toBe('conflict');
    expect(error.hint).toContain('Read it again');
  });

  test('that another client adds to at once is saved all the same, and the addition is noticed', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    let hasWritten = false;
    fake.faults.fate = ({ method }) => {
      if (method === 'GET' && hasWritten) fake.disk.seed('a.md', `${NEW}theirs`);
      hasWritten ||= method === 'PUT';
      return undefined;
    };
    const { version } = await store.write(at('a.md'), NEW);
    expect((await caught(store.write(at('a.md'), 'third', { ifVersion: version }))).code).toBe('conflict');
    expect(fake.disk.text('a.md')).toBe(`${NEW}theirs`);
  });

  test('that makes a page shorter is not taken for done because the old text holds the new one', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    const failed = status(500, false);
    fates(fake, 'PUT', failed, failed);
    expect((await caught(store.write(at('a.md'), OLD.slice(0, 90)))).code).toBe('upstream_failed');
    expect(fake.disk.text('a.md')).toBe(OLD);
  });

  test('that cannot be checked afterwards is reported as uncertain', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': OLD } });
    for (const [fate, hint] of [
      [reset(true), 'stopped answering'],
      [undefined, 'said that it saved it'],
    ] as const) {
      fake.faults.fate = () => undefined;
      await store.write(at('a.md'), OLD);
      let hasWritten = false;
      fake.faults.fate = ({ method }) => {
        if (method === 'PUT') hasWritten = true;
        else return hasWritten ? reset(false) : undefined;
        return fate;
      };
      const error = await caught(store.write(at('a.md'), NEW));
      expect(error.code).toBe('upstream_failed');
      expect(error.hint).toContain(hint);
      expect(error.hint).toContain('before you repeat the change');
    }
  });

  test('that the server takes too long for is looked at before anything is said', async () => {
    const { fake } = await served({ dialect, files: { 'a.md': OLD } });
    const store = storeOver(fake, { timeoutMs: 200 });
    await store.read(at('a.md'));
    let isFirst = true;
    fake.faults.latencyMs = () => {
      const isSlow = isFirst && fake.requests.at(-1)?.startsWith('PUT');
      if (isSlow) isFirst = false;
      return isSlow ? 500 : 0;
    };
    await store.write(at('a.md'), NEW);
    expect(fake.disk.text('a.md')).toBe(NEW);
  });
});

describe.each(DIALECTS)('a read, %s', (dialect) => {
  test('never shows a page in the middle of a write', async () => {
    const { fake, store } = await served({ dialect }, { pauses: [20, 40, 80] });
    fake.disk.ways.tornMs = () => 25;
    const texts = ['A'.repeat(20_000), 'B'.repeat(25_000), 'C'.repeat(9_000)];
    fake.disk.seed('a.md', texts[0]!);
    const allowed = new Set(texts.map((text) => createHash('sha256').update(text).digest('hex')));
    let isDone = false;
    const editor = (async () => {
      for (let round = 0; round < 12; round++) {
        await fake.put('a.md', texts[round % 3]!);
        await sleep(40 + 15 * (round % 4));
      }
      isDone = true;
    })();
    let seen = 0;
    while (!isDone) {
      const note = await store
        .read(at('a.md'))
        .catch((error) => (error.code === 'conflict' ? undefined : Promise.reject(error)));
      if (!note) continue;
      seen++;
      expect(
        allowed.has(createHash('sha256').update(note.bytes).digest('hex')),
        `${note.bytes.length} bytes`,
      ).toBe(true);
    }
    await editor;
    expect(seen).toBeGreaterThan(0);
    // The fake did answer single reads with half-written pages.
    const torn = fake.happenings.filter(({ kind, text = '' }) => kind === 'get' && !texts.includes(text));
    expect(torn.length).toBeGreaterThan(0);
  });

  test('of a page long left alone takes one request', async () => {
    const { fake, text } = await served({ dialect, files: { 'a.md': 'calm', 'empty.md': '' } });
    expect(await text('a.md')).toBe('calm');
    expect(await text('empty.md')).toBe('');
    expect(fake.requests).toHaveLength(2);
  });

  test('of a page that does not come to rest is a conflict, not a guess', async () => {
    const { fake, store } = await served({ dialect, files: { 'a.md': 'x' } }, { pauses: [1, 1, 1] });
    let round = 0;
    fake.faults.fate = () => {
      fake.disk.seed('a.md', `round ${round++}`);
      return undefined;
    };
    expect((await caught(store.read(at('a.md')))).code).toBe('conflict');
  });
});

test.each([
  ['', 'new', 'old', true],
  ['ne', 'new', 'old', true],
  ['new', 'new', 'old', false],
  ['newer', 'new', 'old', false],
  ['neold', 'new text', 'xxold', true],
  ['theirs', 'new', 'old', false],
  ['ne\0\0', 'new!', 'old', true],
])('%j is what a broken write of %j over %j leaves: %j', (there, intended, before, isIt) => {
  expect(isDamage(Buffer.from(there), Buffer.from(intended), Buffer.from(before))).toBe(isIt);
});

test.each([
  ['oldnew', ['old text', 'new new'], false],
  ['oldenew', ['old text', 'new new'], false],
  ['old new', ['old text', 'new new'], true],
  ['ne', ['old text', 'new new'], true],
  ['nld new', ['old text', 'new new'], true],
  ['ol\0\0', ['old text', 'new new'], true],
  ['old text and theirs', ['old text', 'new new'], false],
  ['theirs', ['old text', 'new new'], false],
])('%j is patched together of %j: %j', (there, texts, isIt) => {
  expect(
    isPatchwork(
      Buffer.from(there),
      texts.map((text) => Buffer.from(text)),
    ),
  ).toBe(isIt);
});

test('a text of another client that shares bytes with ours is not taken for ours', () => {
  const ours = [Buffer.from('ab'.repeat(50)), Buffer.from('ba'.repeat(50))];
  expect(isPatchwork(Buffer.from('aabb'.repeat(20)), ours)).toBe(false);
});
