import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { notebookOver, type OpenNotebook } from '../../src/app/open-notes.ts';
import { listFiles } from '../../src/notes/ops/file-listing.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { createSilverBulletClient } from '../../src/stores/silverbullet/client.ts';
import { openSilverBulletStore } from '../../src/stores/silverbullet/store.ts';
import { cleanFile } from '../../src/stores/trilium/html/clean.ts';
import { openTriliumStore } from '../../src/stores/trilium/store.ts';
import { eventually } from '../kit/eventually.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { start } from '../trilium/kit.ts';
import { at } from './kit.ts';

/** A notebook that watches its store, and how often that was listed. */
async function watching(store: NoteStore): Promise<{ files: NoteStore; relist: ReturnType<typeof vi.fn> }> {
  const relist = vi.fn(store.relist!);
  const opened: OpenNotebook = notebookOver(
    { ...store, relist: (...given) => relist(...given) },
    new PathFilter(),
    { frontmatterRules: [], noDelete: false },
    { log: silentLog },
  );
  onTestFinished(async () => {
    await opened.searcher.close();
    await store.close();
  });
  opened.searcher.start();
  await eventually(async () => expect(await opened.files.revision?.()).toBeTypeOf('number'));
  return { files: opened.files, relist };
}

const pathsOf = async (files: NoteStore) => (await listFiles(files)).map(({ path }) => path);

it('lists a folder again only when something in it changed, whether it is a note or not', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a', 'img/old.png': 'x', 'img/a.md': 'b' });
  const filter = new PathFilter();
  const store = await openFolderStore(folder, { isVisible: (path) => !filter.isHidden(path) });
  const { files, relist } = await watching(store);
  const first = await listFiles(files);
  expect(first.map(({ path }) => path)).toEqual(['a.md', 'img/a.md', 'img/old.png']);
  const listed = relist.mock.calls.length;
  expect(await listFiles(files)).toBe(first);
  expect(relist).toHaveBeenCalledTimes(listed);

  await rm(join(folder, 'img/old.png'));
  await eventually(async () => expect(await pathsOf(files)).toEqual(['a.md', 'img/a.md']));
  await mkdir(join(folder, 'new/deep'), { recursive: true });
  await writeFile(join(folder, 'new/deep/pic.png'), 'one');
  await eventually(async () => expect(await pathsOf(files)).toContain('new/deep/pic.png'));
  await appendFile(join(folder, 'new/deep/pic.png'), ' more');
  await eventually(async () =>
    expect((await listFiles(files)).find(({ path }) => path === 'new/deep/pic.png')?.size).toBe(8),
  );
  await files.write(at('own.bin'), 'mine');
  expect(await pathsOf(files)).toContain('own.bin');
});

it('knows the files of a SilverBullet as long as its listing shows no change', async () => {
  const { url, token, put } = await startSilverBullet({ files: { 'a.md': 'a', 'pic.png': 'x' } });
  const store = openSilverBulletStore(createSilverBulletClient({ url, token }), { pollMs: 50 });
  const { files, relist } = await watching(store);
  await pathsOf(files);
  const listed = relist.mock.calls.length;
  expect(await pathsOf(files)).toEqual(['a.md', 'pic.png']);
  expect(relist).toHaveBeenCalledTimes(listed);
  await put('other.pdf', 'new');
  await eventually(async () => expect(await pathsOf(files)).toContain('other.pdf'));
});

it('knows the files of a Trilium as long as its tree shows no change', async () => {
  const { client } = await start();
  const markdown = { toMarkdown: (html: string) => html, toHtml: (text: string) => text };
  const { files, relist } = await watching(openTriliumStore({ client, markdown, cleanFile, pollMs: 50 }));
  await files.write(at('pic.png'), Uint8Array.of(0x89, 0x50));
  expect(await pathsOf(files)).toContain('pic.png');
  const listed = relist.mock.calls.length;
  await pathsOf(files);
  expect(relist).toHaveBeenCalledTimes(listed);
  const { note } = await client.notes.create({
    parentNoteId: 'root',
    title: 'other.pdf',
    type: 'file',
    mime: 'application/pdf',
    content: 'x',
  });
  expect(note.noteId).toBeTruthy();
  await eventually(async () => expect(await pathsOf(files)).toContain('other.pdf'));
});
