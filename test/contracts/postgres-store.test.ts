import { expect, it, onTestFinished } from 'vitest';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { Listing, NoteChange, NoteMeta, NoteStore } from '../../src/notes/store.ts';
import { textOf } from '../../src/notes/text/text.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { openPostgresStore } from '../../src/stores/postgres/store.ts';
import { guarded } from '../../src/stores/wrap/guarded.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { freshNotebook, openServer } from '../kit/postgres-notes.ts';
import { searching } from '../search/kit.ts';
import { testStoreContract } from './store.ts';

const at = (path: string): NotePath => parseNotePath(path);
const open = async () => openServer(await freshNotebook());
const textAt = async (store: NoteStore, path: string) => textOf(await store.read(at(path)));

function listingOf(metas: Iterable<NoteMeta>, token: Listing['token']): Listing {
  const all = [...metas];
  return {
    paths: all.map(({ path }) => path),
    sizes: all.map(({ size }) => size),
    times: all.map(({ lastModified }) => lastModified),
    token,
  };
}

/** Keeps what a watch tells, as an index does. */
function createMirror() {
  const files = new Map<NotePath, NoteMeta>();
  let token: Listing['token'];
  return {
    files,
    listing: () => listingOf(files.values(), token),
    take: (changes: readonly NoteChange[]) => {
      for (const { kind, path, meta } of changes) {
        if (kind === 'removed') files.delete(path);
        else files.set(path, meta!);
      }
    },
    onToken: (next: NonNullable<Listing['token']>) => {
      token = next;
    },
    sorted: () => [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

describeWith(postgresNeed, 'PostgreSQL store', () => {
  testStoreContract(open);

  it('keeps a note of 10 MB, and one byte for byte', async () => {
    const store = await open();
    const bytes = Buffer.alloc(10_000_000, 'Grüße \0 \xff', 'latin1');
    await store.write(at('large.bin'), bytes);
    expect(Buffer.compare(Buffer.from((await store.read(at('large.bin'))).bytes), bytes)).toBe(0);
    await expect(store.write(at('huge.bin'), Buffer.alloc(64 * 1024 * 1024 + 1))).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('takes two Unicode forms of a name for one note, and two letter cases for two', async () => {
    const store = await open();
    await store.write(at('Caf\u00e9.md'), 'composed');
    await store.write(at('Cafe\u0301.md'), 'decomposed');
    await store.write(at('caf\u00e9.md'), 'small');
    expect((await store.list()).map(({ path }) => path)).toEqual(['Caf\u00e9.md', 'caf\u00e9.md']);
    expect(await textAt(store, 'Cafe\u0301.md')).toBe('decomposed');
  });

  it.each([
    ['a half of a surrogate pair', 'x\ud800.md'],
    ['a NUL', 'x\0.md'],
    ['a hidden name', '.trash/x.md'],
    ['a device of Windows', 'con.md'],
    ['more than any path holds', `${'\u00fc\u4e16'.repeat(50)}/`.repeat(12).concat('x.md')],
  ])('refuses %s in a name, and keeps nothing', async (_, path) => {
    const store = await open();
    await expect(store.write(path as NotePath, 'x')).rejects.toMatchObject({
      code: expect.stringMatching(/invalid_input|forbidden/),
    });
    await expect(store.move!(at('a.md'), path as NotePath)).rejects.toMatchObject({
      code: expect.stringMatching(/invalid_input|forbidden/),
    });
    expect(await store.list()).toEqual([]);
  });

  it('holds the longest names, and no name that is a note and a folder at once', async () => {
    const store = await open();
    const long = `${'a'.repeat(255)}/${'ü'.repeat(127)}/${'b'.repeat(252)}.md`;
    await store.write(at(long), 'deep');
    expect(await textAt(store, long)).toBe('deep');
    await expect(store.write(at('a'.repeat(255)), 'x')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(store.write(at(`${long}/x.md`), 'x')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(store.read(at('a'.repeat(255)))).rejects.toMatchObject({ code: 'invalid_input' });
    // A note may become a folder by moving into it.
    await store.write(at('topic'), 'x');
    await store.move!(at('topic'), at('topic/index.md'));
    expect(await textAt(store, 'topic/index.md')).toBe('x');
  });

  it('lets exactly one of many moves have a name, and loses none of the others', async () => {
    const place = await freshNotebook();
    const servers = await Promise.all([openServer(place), openServer(place)]);
    for (let n = 0; n < 12; n++) await servers[0]!.write(at(`from ${n}.md`), `${n}`);
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => servers[n % 2]!.move!(at(`from ${n}.md`), at('to.md'))),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await servers[0]!.list()).toHaveLength(12);
  });

  it('makes changes together or not at all', async () => {
    const store = await open();
    const a = await store.write(at('a.md'), '[[b]]');
    const b = await store.write(at('b.md'), 'b');
    const changes = (version: string) =>
      [
        { kind: 'move', from: at('b.md'), to: at('c.md'), ifVersion: b.version },
        { kind: 'write', path: at('c.md'), content: Buffer.from('b!'), ifVersion: b.version },
        { kind: 'write', path: at('a.md'), content: Buffer.from('[[c]]'), ifVersion: version },
      ] as const;
    await expect(store.changeAll!(changes('other'))).rejects.toMatchObject({ code: 'conflict' });
    expect([await textAt(store, 'a.md'), await textAt(store, 'b.md')]).toEqual(['[[b]]', 'b']);
    const made = await store.changeAll!(changes(a.version));
    expect(made.map(({ path }) => path)).toEqual(['c.md', 'c.md', 'a.md']);
    expect([await textAt(store, 'a.md'), await textAt(store, 'c.md')]).toEqual(['[[c]]', 'b!']);
  });

  it('removes notes together with other changes, which a searcher over it follows', async () => {
    const { searcher, store, paths } = await searching(await open());
    for (const name of ['a', 'b', 'c']) await store.write(at(`${name}.md`), `zebra ${name}`);
    expect((await paths('zebra')).sort()).toEqual(['a.md', 'b.md', 'c.md']);
    const [a, b] = [await store.read(at('a.md')), await store.read(at('b.md'))];
    const changes = (ifVersion: string) =>
      [
        { kind: 'remove', path: at('a.md'), ifVersion: a.version },
        { kind: 'move', from: at('c.md'), to: at('a.md') },
        { kind: 'remove', path: at('b.md'), ifVersion },
      ] as const;
    await expect(store.changeAll!(changes('other'))).rejects.toMatchObject({ code: 'conflict' });
    expect(await textAt(store, 'a.md')).toBe('zebra a');
    const made = await store.changeAll!(changes(b.version));
    expect(made.map(({ trashedTo }) => trashedTo)).toEqual(['.trash/a.md', undefined, '.trash/b.md']);
    expect(await paths('zebra')).toEqual(['a.md']);
    expect((await searcher.files()).map(({ path }) => path)).toEqual(['a.md']);
  });

  it('keeps removed and replaced notes in the trash, and brings them back', async () => {
    const store = await open();
    const gone: NotePath[] = [];
    for (const text of ['one', 'two']) {
      await store.write(at('f/n.md'), text);
      gone.push((await store.remove(at('f/n.md'))).trashedTo!);
    }
    expect(gone).toEqual(['.trash/f/n.md', '.trash/f/n 1.md']);
    await store.write(at('f/n.md'), 'three');
    await store.write(at('m.md'), 'four');
    expect((await store.move!(at('m.md'), at('f/n.md'), { overwrite: true })).trashedTo).toBe(
      '.trash/f/n 2.md',
    );
    const bin = store.trash!;
    expect((await bin.list()).map(({ original }) => original)).toEqual(['f/n.md', 'f/n.md', 'f/n.md']);
    expect(textOf(await bin.read(gone[1]!))).toBe('two');
    await expect(store.restore!(gone[1]!, at('f/n.md'), Buffer.from('two'))).rejects.toMatchObject({
      code: 'already_exists',
    });
    await expect(store.restore!(gone[1]!, at('two.md'), Buffer.from('other'))).rejects.toMatchObject({
      code: 'not_found',
    });
    await store.restore!(gone[1]!, at('two.md'), Buffer.from('two'));
    expect(await textAt(store, 'two.md')).toBe('two');
    const [first] = await bin.list();
    await expect(bin.purge(first!.path, { ...first!, size: 99 })).rejects.toMatchObject({ code: 'conflict' });
    await bin.purge(first!.path, first!);
    await expect(bin.read(first!.path)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('tells a follower every change of several writers, in order, whatever is committed first', async () => {
    const place = await freshNotebook();
    const [first, second, third] = await Promise.all([
      openServer(place),
      openServer(place),
      openServer(place),
    ]);
    const mirror = createMirror();
    const stop = await third!.watch!(mirror.take, { since: mirror.listing, onToken: mirror.onToken });
    onTestFinished(stop);
    const writer = async (store: NoteStore, name: string) => {
      for (let n = 0; n < 40; n++) {
        const path = at(`${name}/${n % 7}.md`);
        await store.write(path, `${name} ${n}`);
        if (n % 5 === 4) await store.move!(path, at(`moved/${name} ${n}.md`));
        if (n % 11 === 10) await store.remove(path).catch(() => {});
      }
    };
    await Promise.all(
      [first!, second!].flatMap((store, n) => [writer(store, `a${n}`), writer(store, `b${n}`)]),
    );
    await third!.catchUp!();
    expect(mirror.sorted()).toEqual(await first!.list());
  });

  it('lets a server that was away catch up by the feed, and by a comparison after another past', async () => {
    const place = await freshNotebook();
    const store = await openServer(place);
    for (let n = 0; n < 20; n++) await store.write(at(`${n}.md`), `${n}`);
    const before = await store.relist!({ paths: [], sizes: [], times: [] });
    const known = listingOf(before.changed, before.token);
    await store.write(at('3.md'), 'changed');
    await store.move!(at('4.md'), at('four.md'));
    await store.remove(at('5.md'));
    const after = await store.relist!(known);
    expect(after.changed.map(({ path }) => path).sort()).toEqual(['3.md', 'four.md']);
    expect([...after.removed].sort()).toEqual(['4.md', '5.md']);
    const again = await store.relist!({ ...known, token: after.token });
    expect([again.changed, again.removed]).toEqual([[], []]);
    // A backup of another past has a change of another id at this position.
    const mark = new Uint8Array(16).fill(7);
    const compared = await store.relist!({ ...known, token: { ...after.token, mark } });
    expect(compared.changed.map(({ path }) => path).sort()).toEqual(['3.md', 'four.md']);
    expect([...compared.removed].sort()).toEqual(['4.md', '5.md']);
  });

  it('says whether it can be reached without a look at the notes, of which one folder may hold very many', async () => {
    const place = await freshNotebook();
    const database = openDatabase(place.url, { log: silentLog });
    const asked: string[] = [];
    const repeatable: typeof database.repeatable = (text, values) => {
      asked.push(text);
      return database.repeatable(text, values);
    };
    const store = await openPostgresStore({ ...database, repeatable }, place.schema, {
      log: silentLog,
      isVisible: () => true,
    });
    onTestFinished(() => store.close());
    asked.length = 0;
    await guarded(store, new PathFilter()).check!();
    expect(asked).toHaveLength(1);
    expect(asked.join()).not.toContain('.note ');
  });

  it('is followed also where notifications do not arrive', async () => {
    const place = await freshNotebook();
    const direct = 'postgres://nobody@/none?host=/nowhere';
    const [store, other] = await Promise.all([openServer(place, { direct }), openServer(place)]);
    const mirror = createMirror();
    onTestFinished(await store.watch!(mirror.take));
    await other!.write(at('a.md'), 'a');
    await store.catchUp!();
    expect([...mirror.files.keys()]).toEqual(['a.md']);
  });
});
