/** The contract of every store, run by each backend. */
import { expect, it } from 'vitest';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import type { NoteChange, NoteStore } from '../../src/notes/store.ts';
import { textOf } from '../../src/notes/text/text.ts';

const at = (path: string): NotePath => parseNotePath(path);

export function testStoreContract(open: () => Promise<NoteStore>): void {
  const text = async (store: NoteStore, path: string) => textOf(await store.read(at(path)));

  it('reads a note at once only as it was listed', async () => {
    const store = await open();
    await store.write(at('a.md'), 'text');
    const { readListed } = store;
    if (!readListed) return;
    const bytes = readListed({ path: at('a.md'), size: 4 });
    expect(bytes && Buffer.from(bytes).toString()).toBe('text');
    for (const [path, size] of [
      ['a.md', 3],
      ['a.md', 5],
      ['no.md', 4],
    ] as const)
      expect(readListed({ path: at(path), size }), path).toBeUndefined();
  });

  it('reads notes at once one after the other, whatever their sizes', async () => {
    const store = await open();
    const { readListed } = store;
    if (!readListed) return;
    const texts = ['', 'short', 'x'.repeat(200_000), 'é', 'y'.repeat(64 * 1024)];
    for (const [number, content] of texts.entries()) await store.write(at(`${number}.md`), content);
    for (const [number, content] of [...texts.entries(), ...texts.entries()]) {
      const bytes = readListed({ path: at(`${number}.md`), size: Buffer.byteLength(content) });
      expect(bytes && Buffer.from(bytes).toString() === content, content.slice(0, 5)).toBe(true);
    }
  });

  it('gives back what was written', async () => {
    const store = await open();
    const written = await store.write(at('a/b.md'), '# Hi\n');
    const note = await store.read(at('a/b.md'));
    expect(textOf(note)).toBe('# Hi\n');
    expect(note).toMatchObject({ path: 'a/b.md', size: 5, version: written.version });
    expect(Math.abs(note.lastModified - Date.now())).toBeLessThan(60_000);
  });

  it('keeps bytes as they are', async () => {
    const store = await open();
    for (const content of ['', '\uFEFFbom', 'a\r\nb\nc\rd', 'é e\u0301 😀 \u0000 end', 'no newline']) {
      await store.write(at('bytes.md'), content);
      expect(await text(store, 'bytes.md')).toBe(content);
    }
    await store.write(at('raw.md'), Uint8Array.of(0xff, 0xfe, 0x00));
    expect([...(await store.read(at('raw.md'))).bytes]).toEqual([0xff, 0xfe, 0x00]);
  });

  it('says not_found for a missing note', async () => {
    const store = await open();
    await expect(store.read(at('no.md'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.remove(at('no.md'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(store.stat?.(at('no.md')) ?? Promise.reject({ code: 'not_found' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(store.read(at('no/such/folder.md'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('replaces a note and gives it a new version', async () => {
    const store = await open();
    const first = await store.write(at('n.md'), 'one');
    const second = await store.write(at('n.md'), 'two');
    expect(second.version).not.toBe(first.version);
    expect(await text(store, 'n.md')).toBe('two');
  });

  it('refuses a write based on a version that has moved on, and changes nothing', async () => {
    const store = await open();
    const { version } = await store.write(at('n.md'), 'one');
    await store.write(at('n.md'), 'two', { ifVersion: version });
    await expect(store.write(at('n.md'), 'three', { ifVersion: version })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(store.remove(at('n.md'), { ifVersion: version })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await text(store, 'n.md')).toBe('two');
  });

  it('creates only when nothing is there, if asked', async () => {
    const store = await open();
    await store.write(at('new.md'), 'one', { ifVersion: null });
    await expect(store.write(at('new.md'), 'two', { ifVersion: null })).rejects.toMatchObject({
      code: 'already_exists',
    });
    await expect(store.write(at('gone.md'), 'x', { ifVersion: 'v' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await text(store, 'new.md')).toBe('one');
  });

  it('lets exactly one of many creators win', async () => {
    const store = await open();
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => store.write(at('race.md'), `${i}`, { ifVersion: null })),
    );
    expect(tries.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('holds names of every script, with spaces and signs', async () => {
    const store = await open();
    const names = [
      "what's #1? 100% & [x] + {y}.md",
      '日本語/ノート.md',
      'emoji 🗒️.md',
      'Ärger mit Ö.md',
      '-dash.md',
      'a"b.md',
    ];
    for (const name of names) await store.write(at(name), name);
    for (const name of names) expect(await text(store, name)).toBe(name);
    expect((await store.list()).map((meta) => meta.path).sort()).toEqual([...names].sort());
  });

  it('lists in path order, below a folder when asked, and forgets what was removed', async () => {
    const store = await open();
    for (const path of ['b.md', 'a/z.md', 'a/b/c.md', 'ab/x.md']) await store.write(at(path), path);
    expect((await store.list()).map((meta) => meta.path)).toEqual(['a/b/c.md', 'a/z.md', 'ab/x.md', 'b.md']);
    expect((await store.list({ under: at('a') })).map((meta) => meta.path)).toEqual(['a/b/c.md', 'a/z.md']);
    await store.remove(at('a/z.md'));
    expect((await store.list()).map((meta) => meta.path)).not.toContain('a/z.md');
  });

  it('shows one folder by name', async () => {
    const store = await open();
    for (const path of ['b.md', 'a/z.md', 'a/b/c.md', 'A.md']) await store.write(at(path), path);
    expect(await store.listFolder?.('' as NotePath)).toEqual({ folders: ['a'], files: ['A.md', 'b.md'] });
    expect(await store.listFolder?.(at('a'))).toEqual({ folders: ['b'], files: ['z.md'] });
    await expect(store.listFolder?.(at('nope'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('moves a note, never onto another unless asked to, and not onto itself', async () => {
    const store = await open();
    await store.write(at('from.md'), 'mine');
    await store.write(at('taken.md'), 'theirs');
    await expect(store.move?.(at('from.md'), at('taken.md'))).rejects.toMatchObject({
      code: 'already_exists',
    });
    await store.move?.(at('from.md'), at('from.md'), { overwrite: true });
    expect(await text(store, 'from.md')).toBe('mine');
    await store.move?.(at('from.md'), at('deep/er/to.md'));
    expect(await text(store, 'deep/er/to.md')).toBe('mine');
    await expect(store.read(at('from.md'))).rejects.toMatchObject({ code: 'not_found' });
    await store.move?.(at('deep/er/to.md'), at('taken.md'), { overwrite: true });
    expect(await text(store, 'taken.md')).toBe('mine');
    await expect(store.move?.(at('nothing.md'), at('x.md'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('tells what changed', async () => {
    const store = await open();
    await store.write(at('old.md'), 'old');
    const seen: NoteChange[] = [];
    const stop = await store.watch?.((changes) => seen.push(...changes));
    await store.write(at('new/note.md'), 'new');
    await store.write(at('old.md'), 'older');
    await expect
      .poll(() => seen.map(({ kind, path }) => `${kind} ${path}`).sort())
      .toEqual(['added new/note.md', 'changed old.md']);
    await store.remove(at('old.md'));
    await expect.poll(() => seen.map(({ kind, path }) => `${kind} ${path}`)).toContain('removed old.md');
    await stop?.();
  });
}
