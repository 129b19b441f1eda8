/** Changes that were cut off between their beginning and their end. */
import { cp, link, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EditState } from '../../src/history/change.ts';
import { hashOf } from '../../src/history/text-pack.ts';
import type { EditKind } from '../../src/notes/edit-recorder.ts';
import { inspectorOf } from '../../src/stores/wrap/recorded.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';
import { bytes, historyIn, ORIGIN, openFolder, path, record, undoing } from './kit.ts';

/** The history as a killed process leaves it, without waiting for the process. */
async function killed(folder: string): Promise<string> {
  const copy = await temporaryFolder();
  await cp(folder, copy, { recursive: true, filter: (file) => !file.endsWith('.lock') });
  return copy;
}

interface Cut {
  readonly kind: EditKind;
  readonly to?: string;
  readonly texts: { before?: string; after?: string; replaced?: string };
  /** What the killed process had done to the notes by then. */
  readonly done: (folder: string) => Promise<unknown>;
  readonly state: EditState;
  /** The notes once the change is undone. */
  readonly undone?: Record<string, string>;
}

const nothing = async () => {};
const put = (name: string, text: string) => (folder: string) => writeFile(join(folder, name), text);
const drop = (name: string) => (folder: string) => rm(join(folder, name));
const WRITE = { kind: 'write', texts: { before: 'old', after: 'new' } } as const;
const CREATE = { kind: 'create', texts: { after: 'new' } } as const;
const DELETE = { kind: 'delete', texts: { before: 'old' } } as const;
const MOVE = { kind: 'move', to: 'b.md', texts: { before: 'old', after: 'old' } } as const;
const OVER = { ...MOVE, texts: { ...MOVE.texts, replaced: 'there' } } as const;

const CUTS: Record<string, Cut & { seed: Record<string, string> }> = {
  'a write that was not made': { ...WRITE, seed: { 'a.md': 'old' }, done: nothing, state: 'failed' },
  'a write that was made': {
    ...WRITE,
    seed: { 'a.md': 'old' },
    done: put('a.md', 'new'),
    state: 'done',
    undone: { 'a.md': 'old' },
  },
  'a write of a note that another program wrote since': {
    ...WRITE,
    seed: { 'a.md': 'old' },
    done: put('a.md', 'other'),
    state: 'unknown',
  },
  'a creation that was not made': { ...CREATE, seed: {}, done: nothing, state: 'failed' },
  'a creation that was made': { ...CREATE, seed: {}, done: put('a.md', 'new'), state: 'done', undone: {} },
  'a deletion that was not made': { ...DELETE, seed: { 'a.md': 'old' }, done: nothing, state: 'failed' },
  'a deletion that was made': {
    ...DELETE,
    seed: { 'a.md': 'old' },
    done: drop('a.md'),
    state: 'done',
    undone: { 'a.md': 'old' },
  },
  'a move that was not made': { ...MOVE, seed: { 'a.md': 'old' }, done: nothing, state: 'failed' },
  'a move that was made': {
    ...MOVE,
    seed: { 'a.md': 'old' },
    done: (folder) => rename(join(folder, 'a.md'), join(folder, 'b.md')),
    state: 'done',
    undone: { 'a.md': 'old' },
  },
  'a move cut off while the note had both names': {
    ...MOVE,
    seed: { 'a.md': 'old' },
    done: (folder) => link(join(folder, 'a.md'), join(folder, 'b.md')),
    state: 'unknown',
    undone: { 'a.md': 'old' },
  },
  'an overwriting move that was not made': {
    ...OVER,
    seed: { 'a.md': 'old', 'b.md': 'there' },
    done: nothing,
    state: 'failed',
  },
  'an overwriting move cut off when the replaced note was gone': {
    ...OVER,
    seed: { 'a.md': 'old', 'b.md': 'there' },
    done: drop('b.md'),
    state: 'unknown',
    undone: { 'a.md': 'old', 'b.md': 'there' },
  },
  'an overwriting move cut off while the note had both names': {
    ...OVER,
    seed: { 'a.md': 'old', 'b.md': 'there' },
    done: async (folder) => {
      await rm(join(folder, 'b.md'));
      await link(join(folder, 'a.md'), join(folder, 'b.md'));
    },
    state: 'unknown',
    undone: { 'a.md': 'old', 'b.md': 'there' },
  },
  'an overwriting move that was made': {
    ...OVER,
    seed: { 'a.md': 'old', 'b.md': 'there' },
    done: (folder) => rename(join(folder, 'a.md'), join(folder, 'b.md')),
    state: 'done',
    undone: { 'a.md': 'old', 'b.md': 'there' },
  },
};

async function notesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await fileText(folder, name)])),
  );
}

describe('at the next start', () => {
  test.each(Object.entries(CUTS))('%s is told', async (_, { seed, kind, to, texts, done, state, undone }) => {
    const [notes, kept] = [await temporaryFolder(seed), await temporaryFolder()];
    const store = await openFolder(notes);
    const crashed = historyIn(kept);
    const recorder = crashed.record(ORIGIN);
    const text = (name: 'before' | 'after' | 'replaced') => {
      const value = texts[name];
      return value === undefined ? undefined : bytes(value);
    };
    const edit = await recorder.begin(
      { kind, path: 'a.md', to },
      { before: text('before'), after: text('after'), replaced: text('replaced') },
    );
    await done(notes);
    const history = historyIn(await killed(kept));
    await edit.unsettled();
    expect((await history.list())[0]?.edits[0]?.state).toBe('open');
    await history.recover(inspectorOf(store));
    const change = await history.change(recorder.id!);
    expect(change?.edits[0]?.state).toBe(state === 'failed' ? undefined : state);
    if (!change) return;
    const { conflicts } = await undoing(history, store, [change]);
    if (undone) {
      expect(conflicts).toEqual([]);
      expect(await notesIn(notes)).toEqual(undone);
    } else expect(conflicts).toHaveLength(1);
  });

  test('a segment in use is left alone, and one of a process that ended is not looked at again', async () => {
    const kept = await temporaryFolder();
    const [living, ended, history] = [historyIn(kept), historyIn(kept), historyIn(kept)];
    const recorder = living.record(ORIGIN);
    const edit = await recorder.begin({ kind: 'create', path: 'a.md' }, { after: bytes('new') });
    await record(ended, 'b.md', { after: bytes('b') });
    await ended.close();
    await history.recover(async () => {
      throw new Error('nothing is to be inspected');
    });
    expect((await history.change(recorder.id!))?.edits[0]?.state).toBe('open');
    await edit.done();
    expect((await history.change(recorder.id!))?.edits[0]?.state).toBe('done');
  });

  test('texts of a crashed process are found, also when its last one is torn', async () => {
    const kept = await temporaryFolder();
    const crashed = historyIn(kept);
    await record(crashed, 'a.md', { before: bytes('one'), after: bytes('two') });
    const copy = await killed(kept);
    const file = (await readdir(copy)).find((name) => name.endsWith('.texts'))!;
    const { size } = await stat(join(copy, file));
    await writeFile(join(copy, file), 'QTX1torn', { flag: 'a' });
    const history = historyIn(copy);
    await history.recover(async () => 'done');
    expect(await history.text(hashOf(bytes('one')))).toEqual(bytes('one'));
    await record(history, 'b.md', { after: bytes('three') });
    expect(await history.text(hashOf(bytes('three')))).toEqual(bytes('three'));
    expect((await stat(join(copy, file))).size).toBeGreaterThan(size);
    const later = historyIn(copy);
    expect(await later.text(hashOf(bytes('two')))).toEqual(bytes('two'));
    expect(await later.text(hashOf(bytes('three')))).toEqual(bytes('three'));
  });

  test('a file too large for a note, deleted or not, is told', async () => {
    const notes = await temporaryFolder();
    await putFile(notes, 'big.md', '');
    await truncate(join(notes, 'big.md'), 65 * 1024 * 1024);
    const store = await openFolder(notes);
    const inspect = inspectorOf(store);
    expect(await inspect({ kind: 'delete', path: 'big.md' })).toBe('failed');
    await store.remove(path('big.md'));
    expect(await inspect({ kind: 'delete', path: 'big.md' })).toBe('done');
  });
});
