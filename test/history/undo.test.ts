/** The rules of undoing, each kind of change on a folder of files. */
import { chmod, lstat, mkdir, readdir, readlink, rm, stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planUndo } from '../../src/history/undo.ts';
import { moveNote } from '../../src/notes/ops/move-note.ts';
import type { Notebook, NoteStore } from '../../src/notes/store.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';
import { changing, historyIn, openFolder, path, undoing } from './kit.ts';

async function opened(seed: Record<string, string> = {}, options: { permanentDelete?: boolean } = {}) {
  const folder = await temporaryFolder(seed);
  const store = await openFolder(folder, options);
  const history = historyIn(await temporaryFolder());
  return {
    folder,
    store,
    history,
    text: (name: string) => fileText(folder, name),
    names: async () => (await store.list()).map((meta) => meta.path),
    change: (edit: (notes: NoteStore) => Promise<unknown>) => changing(history, store, edit),
    undo: async (...ids: string[]) => {
      const changes = await Promise.all(ids.map(async (id) => (await history.change(id))!));
      return undoing(history, store, changes);
    },
  };
}

const notebook = (notes: NoteStore) =>
  ({ notes, files: notes, rules: [], keepsAll: false }) as unknown as Notebook;
const MOVE = { overwrite: false, updateLinks: true, dryRun: false };

describe('a created note', () => {
  test('takes the folders with it that were made for it, unless another note is there now', async () => {
    const { change, undo, folder, store, names } = await opened();
    const create = async (name: string) =>
      (await change((notes) => notes.write(path(name), 'x', { ifVersion: null }))).id;
    await undo(await create('new/deep/a.md'));
    expect(await readdir(folder)).toEqual(['.trash']);
    const shared = await create('new/deep/a.md');
    await store.write(path('new/b.md'), 'y');
    await undo(shared);
    expect(await readdir(join(folder, 'new'))).toEqual(['b.md']);
    expect(await names()).toEqual(['new/b.md']);
  });

  test('goes to the trash, where it can still be read', async () => {
    const { change, undo, names, text } = await opened();
    const { id } = await change((notes) => notes.write(path('a.md'), 'new'));
    expect((await undo(id)).steps).toMatchObject([{ action: 'removed', path: 'a.md' }]);
    expect(await names()).toEqual([]);
    expect(await text('.trash/a.md')).toBe('new');
  });

  test('that was changed since is a conflict, and one that is gone needs nothing', async () => {
    const { change, undo, text, store } = await opened();
    const { id } = await change((notes) => notes.write(path('a.md'), 'new'));
    await store.write(path('a.md'), 'newer');
    expect((await undo(id)).conflicts).toMatchObject([{ reason: 'It was changed after it was created.' }]);
    expect(await text('a.md')).toBe('newer');
    await store.remove(path('a.md'));
    expect((await undo(id)).steps).toMatchObject([{ action: 'nothing to do' }]);
  });
});

describe('a deleted note', () => {
  test('comes back from the trash as the same file, with its time and mode', async () => {
    const { folder, change, undo, text } = await opened({ 'x/a.md': 'old' });
    await chmod(join(folder, 'x/a.md'), 0o640);
    await utimes(join(folder, 'x/a.md'), 1_000, 2_000);
    const before = await stat(join(folder, 'x/a.md'));
    const { id } = await change((notes) => notes.remove(path('x/a.md')));
    expect((await undo(id)).steps).toMatchObject([{ action: 'brought back', path: 'x/a.md' }]);
    const { ino, mode, mtimeMs } = await stat(join(folder, 'x/a.md'));
    expect({ ino, mode, mtimeMs }).toEqual({ ino: before.ino, mode: before.mode, mtimeMs: before.mtimeMs });
    expect(await text('x/a.md')).toBe('old');
    expect(await readdir(join(folder, '.trash/x'))).toEqual([]);
  });

  test.each([
    ['the trash was emptied', async (folder: string) => rm(join(folder, '.trash'), { recursive: true })],
    ['it was changed in the trash', async (folder: string) => putFile(folder, '.trash/a.md', 'other')],
  ])('comes back from the history with its mode when %s', async (_, meanwhile) => {
    const { folder, change, undo, text } = await opened({ 'a.md': 'old' });
    await chmod(join(folder, 'a.md'), 0o600);
    const { id } = await change((notes) => notes.remove(path('a.md')));
    await meanwhile(folder);
    expect((await undo(id)).steps).toMatchObject([{ action: 'brought back' }]);
    expect(await text('a.md')).toBe('old');
    expect((await stat(join(folder, 'a.md'))).mode & 0o777).toBe(0o600);
  });

  test('comes back where it was deleted for good', async () => {
    const { change, undo, text } = await opened({ 'a.md': 'old' }, { permanentDelete: true });
    const { id } = await change((notes) => notes.remove(path('a.md')));
    await undo(id);
    expect(await text('a.md')).toBe('old');
  });

  test('whose name another note has now is a conflict', async () => {
    const { change, undo, text, store } = await opened({ 'a.md': 'old' });
    const { id } = await change((notes) => notes.remove(path('a.md')));
    await store.write(path('a.md'), 'another');
    expect((await undo(id)).conflicts).toMatchObject([{ reason: 'Another note has this name now.' }]);
    expect(await text('a.md')).toBe('another');
  });

  test('that was a link comes back as a link', async () => {
    const { folder, change, undo, text } = await opened({ 'x/real.md': 'old' });
    await symlink('x/real.md', join(folder, 'a.md'));
    const { id } = await change((notes) => notes.remove(path('a.md')));
    expect((await undo(id)).steps).toMatchObject([{ action: 'brought back' }]);
    expect((await lstat(join(folder, 'a.md'))).isSymbolicLink()).toBe(true);
    expect(await readlink(join(folder, 'a.md'))).toBe('x/real.md');
    expect(await text('a.md')).toBe('old');
  });
});

describe('a moved note', () => {
  const seed = { 'a.md': '# A\n[[b]]\n', 'b.md': 'see [[a]] and [A](a.md)\n', 'x/c.md': '![[a]]\n' };

  test('goes back with all its links, as one change', async () => {
    const { change, undo, names, text } = await opened(seed);
    const { id, edits } = await change((notes) =>
      moveNote(notebook(notes), { ...MOVE, from: path('a.md'), to: path('deep/z.md') }),
    );
    expect(edits.length).toBeGreaterThan(2);
    expect(await text('b.md')).toBe('see [[z]] and [A](deep/z.md)\n');
    expect((await undo(id)).conflicts).toEqual([]);
    expect(await names()).toEqual(['a.md', 'b.md', 'x/c.md']);
    for (const [name, before] of Object.entries(seed)) expect(await text(name)).toBe(before);
  });

  test('over another one brings that one back, also with an empty trash', async () => {
    for (const isEmptied of [false, true]) {
      const { folder, change, undo, text } = await opened({ 'a.md': 'moved', 'b.md': 'replaced' });
      await chmod(join(folder, 'b.md'), 0o600);
      const { id } = await change((notes) => notes.move!(path('a.md'), path('b.md'), { overwrite: true }));
      expect(await text('b.md')).toBe('moved');
      if (isEmptied) await rm(join(folder, '.trash'), { recursive: true });
      expect((await undo(id)).conflicts).toEqual([]);
      expect([await text('a.md'), await text('b.md')]).toEqual(['moved', 'replaced']);
      expect((await stat(join(folder, 'b.md'))).mode & 0o777).toBe(0o600);
    }
  });

  test('keeps what was written since, and is a conflict when its old name is taken or it is gone', async () => {
    const { change, undo, text, store, names } = await opened({ 'a.md': 'old\n' });
    const { id } = await change((notes) => notes.move!(path('a.md'), path('b.md')));
    await store.write(path('b.md'), 'old\nand more\n');
    await store.write(path('a.md'), 'another');
    expect((await undo(id)).conflicts).toMatchObject([{ reason: 'Another note has its old name now.' }]);
    await store.remove(path('a.md'));
    expect((await undo(id)).steps).toMatchObject([{ action: 'moved back', from: 'b.md' }]);
    expect(await text('a.md')).toBe('old\nand more\n');
    expect((await undo(id)).steps).toMatchObject([{ action: 'nothing to do' }]);
    await store.remove(path('a.md'));
    expect((await undo(id)).conflicts).toMatchObject([{ reason: 'It is no longer at b.md.' }]);
    expect(await names()).toEqual([]);
  });

  test('takes the folders with it that the move made, and no others', async () => {
    const { folder, change, undo } = await opened({ 'a.md': 'x', 'old/b.md': 'y' });
    const move = async (from: string, to: string) =>
      (await change((notes) => notes.move!(path(from), path(to)))).id;
    const isThere = (name: string) =>
      stat(join(folder, name)).then(
        () => true,
        () => false,
      );
    const deep = await move('a.md', 'old/new/deep/a.md');
    await undo(deep);
    expect([await isThere('old/new'), await isThere('old/b.md')]).toEqual([false, true]);

    await mkdir(join(folder, 'empty'));
    await undo(await move('a.md', 'empty/a.md'));
    expect(await isThere('empty')).toBe(true);

    const hidden = await move('a.md', 'busy/deep/a.md');
    await putFile(folder, 'busy/.DS_Store', '');
    await undo(hidden);
    expect([await isThere('busy/deep'), await isThere('busy/.DS_Store')]).toEqual([false, true]);

    const emptied = await move('old/b.md', 'b.md');
    await undo(emptied);
    await undo(await move('old/b.md', 'elsewhere/b.md'));
    expect([await isThere('old/b.md'), await isThere('elsewhere')]).toEqual([true, false]);
  });

  test('that goes back and forth makes and removes its folder each time', async () => {
    const { change, undo, names, folder } = await opened({ 'a.md': 'x' });
    let { id } = await change((notes) => notes.move!(path('a.md'), path('new/a.md')));
    for (let turn = 0; turn < 4; turn++) {
      id = (await undo(id)).id!;
      expect(await names()).toEqual([turn % 2 === 0 ? 'a.md' : 'new/a.md']);
      expect(await readdir(folder)).toEqual([turn % 2 === 0 ? 'a.md' : 'new']);
    }
  });

  test('that was only spelt anew goes back', async () => {
    const { change, undo, names } = await opened({ 'plan.md': 'x' });
    const { id } = await change((notes) => notes.move!(path('plan.md'), path('Plan.md')));
    await undo(id);
    expect(await names()).toEqual(['plan.md']);
  });
});

describe('a written note', () => {
  test('becomes what it was, byte for byte, and keeps its mode', async () => {
    const old = '\uFEFF---\r\na: 1\r\n---\r\nÜ \u0000\r\nno end';
    const { folder, change, undo, text } = await opened({ 'a.md': old });
    await chmod(join(folder, 'a.md'), 0o604);
    const { id } = await change((notes) => notes.write(path('a.md'), 'new'));
    expect((await undo(id)).steps).toMatchObject([{ action: 'restored' }]);
    expect(await text('a.md')).toBe(old);
    expect((await stat(join(folder, 'a.md'))).mode & 0o777).toBe(0o604);
  });

  test('that was changed elsewhere since keeps that change', async () => {
    const { change, undo, text, store } = await opened({ 'a.md': 'one\ntwo\nthree\nfour\n' });
    const { id } = await change((notes) => notes.write(path('a.md'), 'ONE\ntwo\nthree\nfour\n'));
    await store.write(path('a.md'), 'ONE\ntwo\nthree\nfour\nfive, by a person\n');
    expect((await undo(id)).steps).toMatchObject([{ action: 'merged' }]);
    expect(await text('a.md')).toBe('one\ntwo\nthree\nfour\nfive, by a person\n');
  });

  test('that was changed in the same lines is a conflict that shows all three texts and changes nothing', async () => {
    const { change, undo, text, store, history } = await opened({ 'a.md': 'one\n', 'b.md': 'b\n' });
    const first = await change(async (notes) => {
      await notes.write(path('b.md'), 'B\n');
      await notes.write(path('a.md'), 'two\n');
    });
    await store.write(path('a.md'), 'three\n');
    const { conflicts, steps, id } = await undo(first.id);
    expect(steps).toEqual([]);
    expect(id).toBeUndefined();
    const [conflict] = conflicts;
    expect(conflict).toMatchObject({ path: 'a.md', reason: 'It was changed since, in the same lines.' });
    const texts = Object.values(conflict!.texts).map((bytes) => Buffer.from(bytes ?? '').toString());
    expect(texts).toEqual(['one\n', 'two\n', 'three\n']);
    expect([await text('a.md'), await text('b.md')]).toEqual(['three\n', 'B\n']);
    const copied = await planUndo([first], store, { history }, { copies: true });
    expect(copied.conflicts).toEqual([]);
    expect(copied.steps[0]).toMatchObject({ action: 'copied', path: `a (before ${first.id}).md` });
  });

  test('that is gone is a conflict', async () => {
    const { change, undo, store, names } = await opened({ 'a.md': 'one\n' });
    const { id } = await change((notes) => notes.write(path('a.md'), 'two\n'));
    await store.remove(path('a.md'));
    expect((await undo(id)).conflicts).toMatchObject([{ reason: 'It was deleted or moved since.' }]);
    expect(await names()).toEqual([]);
  });
});

describe('undoing', () => {
  test('is a change that can be undone, as often as wanted', async () => {
    const { change, undo, text, history } = await opened({ 'a.md': 'one\n' });
    let { id } = await change((notes) => notes.write(path('a.md'), 'two\n'));
    for (const expected of ['one\n', 'two\n', 'one\n', 'two\n']) {
      id = (await undo(id)).id!;
      expect(await text('a.md')).toBe(expected);
    }
    expect(await history.list()).toHaveLength(5);
  });

  test('of a deletion can be undone: the note goes to the trash again', async () => {
    const { change, undo, text, names } = await opened({ 'a.md': 'one\n' });
    const { id } = await change((notes) => notes.remove(path('a.md')));
    const undone = await undo(id);
    await undo(undone.id!);
    expect(await names()).toEqual([]);
    expect(await text('.trash/a.md')).toBe('one\n');
  });

  test('all of several changes goes from the newest to the oldest, whatever order they are given in', async () => {
    const { change, undo, text, names } = await opened({ 'a.md': 'one\n' });
    const ids = [
      (await change((notes) => notes.write(path('a.md'), 'two\n'))).id,
      (await change((notes) => notes.move!(path('a.md'), path('b.md')))).id,
      (await change((notes) => notes.write(path('b.md'), 'three\n'))).id,
      (await change((notes) => notes.remove(path('b.md')))).id,
    ];
    expect((await undo(ids[2]!, ids[0]!, ids[3]!, ids[1]!)).conflicts).toEqual([]);
    expect(await names()).toEqual(['a.md']);
    expect(await text('a.md')).toBe('one\n');
  });

  test('shows first what it would do, and changes nothing by that', async () => {
    const { change, history, store, text, names } = await opened({ 'a.md': 'one\n', 'c.md': 'c\n' });
    const changes = [
      await change((notes) => notes.write(path('a.md'), 'two\n')),
      await change((notes) => notes.remove(path('c.md'))),
      await change((notes) => notes.move!(path('a.md'), path('b.md'))),
      await change((notes) => notes.write(path('n.md'), 'new\n')),
    ];
    const { steps, conflicts } = await planUndo(changes, store, { history });
    expect(conflicts).toEqual([]);
    expect(steps.map(({ action }) => action)).toEqual(['removed', 'moved back', 'brought back', 'restored']);
    expect(await names()).toEqual(['b.md', 'n.md']);
    expect(await text('b.md')).toBe('two\n');
    expect(await history.list()).toHaveLength(4);
  });
});
