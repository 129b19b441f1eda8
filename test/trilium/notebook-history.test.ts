/** Notebooks of any tools over a Trilium: what is undone is Trilium's own HTML, not its markdown. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openServed } from '../../src/app/notebooks.ts';
import { openTriliumOf, triliumRestorers } from '../../src/app/trilium-changes.ts';
import { configSchema } from '../../src/config/schema.ts';
import { openHistory } from '../../src/history/history.ts';
import type { EditableNotes } from '../../src/history/overlay.ts';
import { undoChanges } from '../../src/history/undo.ts';
import { silentLog } from '../../src/shared/log.ts';
import { connectTo, QUIET } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';
import { reasonsOf, treeOf } from './history-kit.ts';

const HTML = '<p>a&nbsp;b</p><p><span style="color:hsl(0, 75%, 60%);">red</span></p>';
const NOTES: readonly SeedNote[] = [
  {
    id: 'area1',
    title: 'Area',
    children: [{ id: 'plan1', title: 'Plan', content: HTML, labels: { status: 'open', tags: 'x' } }],
  },
];

async function served(tools: 'notebook' | 'vault' | 'pages') {
  const folder = await temporaryFolder();
  const fake = await startTrilium({ notes: NOTES, afterContentMs: 1 });
  const trilium = { url: fake.url, token: TOKEN };
  const { notebooks } = configSchema.parse({ notebooks: { wiki: { tools, trilium } } });
  const config = notebooks.wiki!;
  const history = { folder, days: 90, maxBytes: 1e9, required: true };
  const server = await openServed('wiki', config, { log: silentLog, history });
  const parts = { limited: server.limited, backend: server.backend as never, ...QUIET, session: 's' };
  const { call } = await connectTo(parts, () => server.close());
  const ok = async (tool: string, args: Record<string, unknown>) => {
    const answer = await call(tool, args);
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text).not.toContain('"error"');
    return answer;
  };
  /** As another process does it, beside the running server. */
  const undoAll = async () => {
    const [name = ''] = await readdir(folder);
    const kept = openHistory({ folder: join(folder, name), days: 90, maxBytes: 1e9, log: silentLog });
    const opener = openTriliumOf(config)!;
    onTestFinished(async () => {
      await kept.close();
      await opener.close();
    });
    const recorder = kept.record({ notebook: 'wiki', tool: 'undo', by: {} });
    const restorers = triliumRestorers(opener, kept, recorder);
    const all = await kept.list();
    const result = await undoChanges(all, {} as EditableNotes, { history: kept, restorers });
    await fake.settled();
    return { all, result };
  };
  return { fake, ok, call, undoAll };
}

test('notebook: writing, tags, moving and deleting are undone exactly', async () => {
  const { fake, ok, undoAll } = await served('notebook');
  const before = treeOf(fake);
  await ok('read_note', { path: 'Area/Plan.md' });
  await ok('write_note', { path: 'Area/Plan.md', content: '---\nstatus: done\n---\n\nother\n' });
  await ok('write_note', { path: 'Sub/New.md', content: 'new\n' });
  await ok('move_note', { oldPath: 'Area/Plan.md', newPath: 'Sub/Renamed.md' });
  await ok('delete_note', { path: 'Sub/New.md', confirmPath: 'Sub/New.md' });
  await fake.settled();
  const { all, result } = await undoAll();
  expect(reasonsOf(result)).toEqual([]);
  expect(all.map(({ tool }) => tool)).toEqual(['delete_note', 'move_note', 'write_note', 'write_note']);
  expect(all.flatMap(({ edits }) => edits).every(({ form }) => form === 'trilium')).toBe(true);
  expect(fake.text('plan1')).toBe(HTML);
  expect(treeOf(fake)).toEqual(before);
});

test.each([
  ['vault', 'vault_write', { path: 'Area/Plan.md', content: 'other\n' }],
  ['pages', 'append_to_page', { page: 'Area/Plan', content: 'other\n' }],
] as const)("%s: a changed text is Trilium's own again", async (tools, tool, args) => {
  const { fake, ok, undoAll } = await served(tools);
  const before = treeOf(fake);
  await ok(tool, args);
  expect(fake.text('plan1')).toContain('other');
  expect(reasonsOf((await undoAll()).result)).toEqual([]);
  expect(treeOf(fake)).toEqual(before);
});

test('the guard of a notebook does not call every other writer one outside Quire', async () => {
  const { fake, ok, call } = await served('notebook');
  await ok('read_note', { path: 'Area/Plan.md' });
  fake.edit('plan1', '<p>by hand</p>');
  const { text, isError } = await call('write_note', { path: 'Area/Plan.md', content: 'mine\n' });
  expect(isError).toBe(true);
  expect(text).toContain('another writer');
});
