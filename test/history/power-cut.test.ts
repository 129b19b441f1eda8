/**
 * A power cut loses what was written and not flushed. Texts and beginnings of edits are flushed before a note is
 * changed; the ends of edits are not.
 */
import { existsSync } from 'node:fs';
import { cp, readFile, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { removeNote, writeNote } from '../../src/notes/ops/write-note.ts';
import type { Notebook, NoteStore } from '../../src/notes/store.ts';
import { inspectorOf } from '../../src/stores/wrap/recorded.ts';
import { cases } from '../kit/cases.ts';
import { randomFrom } from '../kit/random.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { changing, filesOf, historyIn, openFolder, path, undoing } from './kit.ts';

const SEED = { 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' };

/** The files of the history as the disk has them after the cut. */
async function cutPower(folder: string, random: () => number): Promise<string> {
  const left = await temporaryFolder();
  await cp(folder, left, { recursive: true, filter: (file) => !file.endsWith('.lock') });
  const [changes, texts] = [filesOf(left, '.changes').at(-1)!, filesOf(left, '.texts').at(-1)!];
  // A segment with an index was flushed when it was closed.
  if (existsSync(changes.replace(/changes$/, 'index'))) return left;
  const lines = await readFile(changes, 'utf8');
  const lastBegin = Math.max(lines.lastIndexOf('\n{"id"'), lines.lastIndexOf('\n\t{"id"'));
  const flushed = Buffer.byteLength(lines.slice(0, lines.indexOf('\n', lastBegin + 1) + 1));
  const size = Buffer.byteLength(lines);
  await truncate(changes, flushed + Math.floor(random() * (size - flushed + 1)));
  // An edit that was just beginning: any part of its line and of its texts may have reached the disk.
  const [line = ''] = lines.split('\n');
  const frame = (await readFile(texts)).subarray(0, 60);
  if (random() < 0.5 && size === flushed)
    await writeFile(changes, line.slice(0, random() * line.length), { flag: 'a' });
  if (random() < 0.5) await writeFile(texts, frame.subarray(0, random() * frame.length), { flag: 'a' });
  if (random() < 0.3) await writeFile(texts, Buffer.alloc(100), { flag: 'a' });
  return left;
}

test('after a power cut every acknowledged change is in the record, and all of them can be undone', async () => {
  const random = randomFrom(18);
  const [notes, kept] = [await temporaryFolder(SEED), await temporaryFolder()];
  const store = await openFolder(notes);
  const history = historyIn(kept, { segmentBytes: 4_000 });
  const acknowledged: string[] = [];
  const change = async (edit: (notes: NoteStore) => Promise<unknown>) => {
    acknowledged.push((await changing(history, store, edit)).id);
  };
  for (let round = 0; round < cases(12); round++) {
    const at = path(['a.md', 'b.md', 'c.md', 'new.md'][Math.floor(random() * 4)]!);
    const moved = path(`${round}.md`);
    const notebook = (view: NoteStore) =>
      ({ notes: view, files: view, rules: [], keepsAll: false }) as unknown as Notebook;
    const isThere = await store.read(at).then(
      () => true,
      () => false,
    );
    if (isThere && random() < 0.2) await change((view) => removeNote(notebook(view), at));
    else if (isThere && random() < 0.3) await change((view) => view.move!(at, moved));
    else
      await change((view) =>
        writeNote(notebook(view), at, { content: `${round}\n`.repeat(1 + random() * 20), mode: 'overwrite' }),
      );
    const copy = await temporaryFolder();
    await cp(notes, copy, { recursive: true });
    const after = historyIn(await cutPower(kept, random));
    const copied = await openFolder(copy);
    await after.recover(inspectorOf(copied));
    const changes = await after.list({}, 1_000);
    expect(changes.map(({ id }) => id).toReversed()).toEqual(acknowledged);
    for (const { edits } of changes) for (const { state } of edits) expect(state).toBe('done');
    expect((await undoing(after, copied, changes)).conflicts).toEqual([]);
    const texts = (await copied.list()).map(async (meta) => [
      meta.path,
      Buffer.from((await copied.read(meta.path)).bytes).toString(),
    ]);
    expect(Object.fromEntries(await Promise.all(texts))).toEqual(SEED);
  }
});
