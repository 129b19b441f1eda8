/** The store beyond its contract: what it refuses, what it shows, and how it learns of changes. */
import { describe, expect, test } from 'vitest';
import type { NotePath } from '../../src/notes/path.ts';
import type { NoteChange } from '../../src/notes/store.ts';
import { assertPageName } from '../../src/stores/silverbullet/space.ts';
import { SpaceIndex } from '../../src/stores/silverbullet/space-index.ts';
import { listingOf } from '../kit/listing.ts';
import { at, caught, DIALECTS, fates, served } from './kit.ts';

const listings = (requests: readonly string[]) => requests.filter((line) => line === 'GET /.fs');
const changeLines = (changes: readonly NoteChange[]) => changes.map(({ kind, path }) => `${kind} ${path}`);

describe.each(DIALECTS)('the store, %s', (dialect) => {
  test('refuses to touch pages that come with SilverBullet, before it does anything', async () => {
    const { store, changes, fake } = await served({ dialect, files: { 'mine.md': 'mine' } });
    const page = at('Library/Std/Config.md');
    for (const error of await Promise.all(
      [
        store.write(page, 'x'),
        store.remove(page),
        store.move!(page, at('x.md')),
        store.move!(at('mine.md'), page, { overwrite: true }),
      ].map(caught),
    ))
      expect(error.code).toBe('forbidden');
    expect(changes()).toEqual([]);
    expect(fake.disk.text('x.md')).toBeUndefined();
    expect((await store.read(page)).size).toBeGreaterThan(1000);
  });

  test('knows a read-only server by what it says of itself, and sends it no change', async () => {
    const { store, changes } = await served({ dialect, readOnly: true, files: { 'a.md': 'text' } });
    for (const error of await Promise.all(
      [store.write(at('a.md'), 'x'), store.remove(at('a.md')), store.move!(at('a.md'), at('b.md'))].map(
        caught,
      ),
    ))
      expect(error.code).toBe('read_only');
    expect(changes()).toEqual([]);
    expect((await store.read(at('a.md'))).size).toBe(4);
  });

  test('refuses hidden names everywhere, and asks the server for none of them', async () => {
    const { store, fake } = await served({
      dialect,
      files: { '.silverbullet.auth.json': '{"secret":1}', 'a.md': '' },
    });
    for (const name of ['.silverbullet.auth.json', 'x/.hidden.md', '.x/a.md']) {
      const path = name as NotePath;
      const works = [
        store.read(path),
        store.stat!(path),
        store.move!(path, at('b.md')),
        store.move!(at('a.md'), path),
        store.remove(path),
        store.write(path, 'x'),
      ];
      for (const error of await Promise.all(works.map(caught))) expect(error.code).toBe('forbidden');
    }
    expect(fake.requests.filter((line) => line.includes('/.fs/.') || line.includes('hidden'))).toEqual([]);
    expect((await store.list()).map(({ path }) => path)).toEqual(['a.md']);
  });

  test('shows the space without what SilverBullet brings along, unless asked', async () => {
    const files = {
      'b.md': 'b',
      'a/pic.png': Uint8Array.of(137, 80),
      'tab\tname.md': 'x',
      'Release 1.2.md': 'odd',
    };
    const { store } = await served({ dialect, files });
    expect(await store.list()).toEqual([
      { path: 'Release 1.2.md', size: 3, lastModified: 1_700_000_000_123, contentType: 'text/markdown' },
      { path: 'a/pic.png', size: 2, lastModified: 1_700_000_000_123, contentType: 'image/png' },
      { path: 'b.md', size: 1, lastModified: 1_700_000_000_123, contentType: 'text/markdown' },
    ]);
    const { store: whole } = await served({ dialect, files }, { withLibrary: true });
    expect((await whole.list()).length).toBeGreaterThan(60);
  });

  test('reads attachments as the bytes they are', async () => {
    const { store } = await served({ dialect });
    await store.write(at('pic.png'), Uint8Array.of(137, 80, 78, 71, 0, 255));
    expect(await store.read(at('pic.png'))).toMatchObject({ contentType: 'image/png', size: 6 });
    expect([...(await store.read(at('pic.png'))).bytes]).toEqual([137, 80, 78, 71, 0, 255]);
  });

  test('takes metadata of one page from its headers, never from a listing', async () => {
    const { store, fake } = await served({ dialect, files: { 'a.md': 'text' } });
    const meta = { path: 'a.md', size: 4, lastModified: 1_700_000_000_123, contentType: 'text/markdown' };
    expect(await store.stat!(at('a.md'))).toEqual(meta);
    expect(await store.read(at('a.md'))).toMatchObject(meta);
    expect(listings(fake.requests)).toEqual([]);
  });

  test('knows a folder for what it is', async () => {
    const { store } = await served({ dialect, files: { 'rec/a.md': 'text' } });
    expect((await caught(store.stat!(at('rec')))).code).toBe('invalid_input');
    expect((await caught(store.read(at('rec')))).code).toBe('invalid_input');
  });

  test('makes no page SilverBullet could not open, and leaves those that are there alone', async () => {
    const { store, changes, text } = await served({
      dialect,
      files: { 'Release 1.2.md': 'odd', 'a.md': 'a' },
    });
    for (const error of await Promise.all(
      [store.write(at('Release 2.0.md'), 'x'), store.move!(at('a.md'), at('Release 2.0.md'))].map(caught),
    )) {
      expect(error.code).toBe('invalid_input');
      expect(error.hint).toContain('"Release 2-0.md"');
    }
    expect(changes()).toEqual([]);
    await store.write(at('Release 1.2.md'), 'even');
    expect(await text('Release 1.2.md')).toBe('even');
    await store.move!(at('Release 1.2.md'), at('Release 1-2.md'));
    expect(await text('Release 1-2.md')).toBe('even');
  });

  test('makes no second page that differs by case alone', async () => {
    const { store } = await served({ dialect, files: { 'Plan.md': 'one' } });
    const error = await caught(store.write(at('plan.md'), 'two', { ifVersion: null }));
    expect(error).toMatchObject({ code: 'already_exists', subject: 'Plan.md' });
  });

  test('keeps what it removes in the trash, each time under a name of its own', async () => {
    const { store, text } = await served({ dialect, files: { 'a/b.md': 'one' } });
    const first = await store.remove(at('a/b.md'));
    expect(first.trashedTo).toMatch(/^_trash\/\d{4}-\d\d\/a\/b\.md$/);
    await store.write(at('a/b.md'), 'two');
    const second = await store.remove(at('a/b.md'));
    expect(second.trashedTo).toMatch(/^_trash\/\d{4}-\d\d\/a\/b-\d{13}\.md$/);
    expect(await text(first.trashedTo!)).toBe('one');
    expect(await text(second.trashedTo!)).toBe('two');
    expect(await store.remove(second.trashedTo!)).toEqual({});
    expect((await caught(store.read(second.trashedTo!))).code).toBe('not_found');
  });

  test('leaves no copy behind when the page could not be removed', async () => {
    const { store, fake } = await served({ dialect, files: { 'a.md': 'text' }, bare: true });
    const failed = { kind: 'status', status: 500, applies: false } as const;
    fates(fake, 'DELETE', failed, failed);
    expect((await caught(store.remove(at('a.md')))).code).toBe('upstream_failed');
    expect([...fake.disk.files.keys()]).toEqual(['a.md']);
    fates(fake, 'DELETE', failed, failed);
    expect((await caught(store.move!(at('a.md'), at('b.md')))).code).toBe('upstream_failed');
    expect([...fake.disk.files.keys()]).toEqual(['a.md']);
    fates(fake, 'DELETE', { kind: 'reset', applies: true });
    await store.remove(at('a.md'));
    expect(fake.disk.files.has('a.md')).toBe(false);
  });

  test('does not remove or move what another client changes meanwhile', async () => {
    for (const how of ['remove', 'move'] as const) {
      const { store, fake } = await served({ dialect, files: { 'a.md': 'text' }, bare: true });
      fake.faults.fate = ({ method }) => {
        if (method === 'PUT') fake.disk.seed('a.md', 'theirs');
        return undefined;
      };
      const work = how === 'remove' ? store.remove(at('a.md')) : store.move!(at('a.md'), at('b.md'));
      expect((await caught(work)).code).toBe('conflict');
      expect([...fake.disk.files.keys()]).toEqual(['a.md']);
      expect(fake.disk.text('a.md')).toBe('theirs');
    }
  });

  test('asks for the listing once for all callers, and again when it is old', async () => {
    const { store, fake } = await served({ dialect, files: { 'a.md': 'a' } }, { freshMs: 80 });
    await Promise.all(Array.from({ length: 5 }, () => store.list()));
    await store.list();
    expect(listings(fake.requests)).toHaveLength(1);
    fake.disk.seed('b.md', 'b');
    await expect.poll(async () => (await store.list()).length).toBe(2);
    expect(listings(fake.requests)).toHaveLength(2);
  });

  test('knows of its own changes without asking', async () => {
    const { store, fake } = await served({ dialect, files: { 'a.md': 'a', 'c.md': 'c' } }, { anyName: true });
    await store.list();
    const written = await store.write(at('b.md'), 'bb');
    await store.remove(at('a.md'));
    await store.move!(at('c.md'), at('d.md'));
    const paths = (await store.list()).map(({ path }) => path).filter((path) => !path.startsWith('_trash'));
    expect(paths).toEqual(['b.md', 'd.md']);
    expect((await store.list()).find(({ path }) => path === 'b.md')).toMatchObject({
      size: 2,
      lastModified: written.lastModified,
    });
    expect(listings(fake.requests)).toHaveLength(1);
  });

  test('does not let a listing that was asked for before a write undo it', async () => {
    const { store, fake } = await served({ dialect, files: { 'a.md': 'a' } }, { freshMs: 0, anyName: true });
    await store.list();
    // The listing is made before the write, and arrives after it.
    let arrive = () => {};
    const made = new Promise<void>((resolve) => {
      fake.faults.onWay = ({ name }) => {
        if (name !== '/.fs') return undefined;
        resolve();
        return new Promise<void>((arrived) => {
          arrive = arrived;
        });
      };
    });
    const slow = store.list();
    await made;
    await store.write(at('b.md'), 'new');
    arrive();
    expect((await slow).map(({ path }) => path)).toContain('b.md');
  });

  test('tells what differs from an earlier listing', async () => {
    const { store, fake } = await served(
      { dialect, files: { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' } },
      { freshMs: 0 },
    );
    const before = listingOf(await store.list());
    fake.disk.seed('a.md', 'longer');
    fake.disk.files.delete('b.md');
    fake.disk.seed('d.md', 'd');
    const { changed, removed } = await store.relist!(before);
    expect(changed.map(({ path }) => path).sort()).toEqual(['a.md', 'd.md']);
    expect(removed).toEqual(['b.md']);
    const seen: NoteChange[] = [];
    const stop = await store.watch!((changes) => seen.push(...changes), { since: () => before });
    expect(changeLines(seen).sort()).toEqual(['added d.md', 'changed a.md', 'removed b.md']);
    await stop();
  });

  test('notices what others change where the server says nothing, by looking', async () => {
    const { store, fake } = await served({ dialect, files: { 'a.md': 'a' }, events: false }, { pollMs: 30 });
    const seen: NoteChange[] = [];
    const stop = await store.watch!((changes) => seen.push(...changes));
    await fake.put('new folder/b.md', 'b');
    await expect.poll(() => changeLines(seen)).toContain('added new folder/b.md');
    await stop();
    // One may still be on its way.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const asked = fake.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(fake.requests.length).toBe(asked);
  });

  test('goes on watching when the server was away', async () => {
    const { store, fake } = await served({ dialect, files: { 'a.md': 'a' }, events: false }, { pollMs: 20 });
    const seen: NoteChange[] = [];
    await store.watch!((changes) => seen.push(...changes));
    fake.faults.fate = () => ({ kind: 'status', status: 500, applies: false });
    await new Promise((resolve) => setTimeout(resolve, 80));
    fake.faults.fate = () => undefined;
    fake.disk.seed('b.md', 'b');
    await expect.poll(() => changeLines(seen)).toEqual(['added b.md']);
  });
});

test('a listing asked for before an event does not answer it', async () => {
  const answers: (() => void)[] = [];
  const index = new SpaceIndex(() => new Promise((resolve) => answers.push(() => resolve([]))));
  const early = index.refresh();
  const late = index.refreshAnew();
  answers[0]!();
  await early;
  await expect.poll(() => answers.length).toBe(2);
  answers[1]!();
  await late;
});

test('notices what others change by the server’s events', async () => {
  const { store, fake } = await served({ files: { 'a.md': 'a' } }, { pollMs: 60_000 });
  const seen: NoteChange[] = [];
  const stop = await store.watch!((changes) => seen.push(...changes));
  await expect.poll(() => fake.events?.listening).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await fake.put('a.md', 'longer');
  await expect.poll(() => changeLines(seen)).toEqual(['changed a.md']);
  await Promise.all(Array.from({ length: 30 }, (_, n) => fake.put(`${n}.md`, 'x')));
  await expect.poll(() => seen.length).toBe(31);
  await stop();
  await expect.poll(() => fake.events?.listening).toBe(0);
});

test.each([
  ['Release 1.2.md', 'Release 1-2.md'],
  ['a/Notes v2.0.1.md', 'a/Notes v2-0-1.md'],
  ['C#.md', 'C.md'],
  ['a @ b.md', 'a - b.md'],
  ['^meta.md', 'meta.md'],
  ['[[x]].md', 'x.md'],
  ['x.md.md', 'x.md'],
  ['a|b<c>$.md', 'a-b-c.md'],
  ['a#b.png', 'a-b.png'],
  ['notes', 'notes.md'],
])('%j is no name for a new page; %j is', (name, suggestion) => {
  expect(() => assertPageName(at(name))).toThrow(
    expect.objectContaining({ code: 'invalid_input', hint: expect.stringContaining(`"${suggestion}"`) }),
  );
  expect(() => assertPageName(at(suggestion))).not.toThrow();
});

test.each([
  'Plan.md',
  'a/b c.md',
  '日本語.md',
  'Dr. Who.md',
  'a.b/c.md',
  'What? 100% & more.md',
  'pic.v2.png',
  "it's.md",
])('%j is a name', (name) => expect(() => assertPageName(at(name))).not.toThrow());
