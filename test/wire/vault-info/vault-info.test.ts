import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withSets, withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const SEED = {
  'index.md': '---\nstatus: open\n---\nThe start and the end, with more. #home\n',
  'work/plan.md': '---\nstatus: done\ntags: [home]\n---\nThe plan and what goes with it.\n',
  'work/deep/long.md': `The words and more with it ${'x '.repeat(300)}\n`,
  '_trash/2026-01/old.md': '#gone\n',
};

test('vault_info says what is there in one small answer', async () => {
  const folder = await temporaryFolder(SEED);
  await utimes(join(folder, 'work/plan.md'), 4e9, 4e9);
  const { call } = await withSets(['vault-info'], { folder });
  const { json, text } = await call('vault_info');
  expect(json).toMatchObject({
    store: 'folder',
    index: { indexed: 4, pending: 0, unreadable: 0 },
    notes: 3,
    folders: 2,
    top_folders: { work: 2, '/': 1 },
    top_tags: { home: 2 },
    top_properties: { status: 2, tags: 1 },
    languages: { en: 3 },
  });
  expect(json.recent[0]).toEqual({ path: 'work/plan.md', modified: '2096-10-02 07:06' });
  expect(json.largest[0]).toEqual({ path: 'work/deep/long.md', bytes: 628 });
  expect(text).not.toMatch(/null|_trash/);
  expect((await call('vault_info', { folder: 'x' })).text).toContain('unknown parameter "folder"');
});

test('the answer stays below 2 KB, whatever notes and tags are called', async () => {
  const long = 'ü'.repeat(90);
  const seed = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `${long}${at}/${long}/${at}.md`,
      `---\n${'key'.repeat(30)}${at}: 1\n---\n#${long}${at}\n`,
    ]),
  );
  const { call } = await withSetsInFolder(['vault-info'], seed);
  const { text, json } = await call('vault_info');
  expect(Buffer.byteLength(text)).toBeLessThan(2_048);
  expect(json).toMatchObject({ notes: 40, folders: 80 });
  const empty = await withSetsInFolder(['vault-info'], {});
  expect((await empty.call('vault_info')).json).toMatchObject({ notes: 0, recent: [], languages: {} });
});

test('a space and a Trilium', async () => {
  const space = await withSetsInSpace(['vault-info'], SEED);
  expect((await space.call('vault_info')).json).toMatchObject({
    store: 'silverbullet',
    notes: 3,
    top_tags: { home: 2 },
  });
  const { call } = await withSetsInTrilium(
    ['vault-info'],
    [{ id: 'one1', title: 'One', content: '<p>about #idea</p>' }],
  );
  expect((await call('vault_info')).json).toMatchObject({ store: 'trilium', top_tags: { idea: 1 } });
});
