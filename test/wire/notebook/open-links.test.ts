import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram, withFolder } from '../../kit/server.ts';
import { startSilverBullet, TOKEN } from '../../kit/silverbullet/server.ts';
import { putFile, temporaryFolder } from '../../kit/temp.ts';

const NOTES = { 'Ideas & plans/Größe.md': '# Ferns\n\nGreen ferns.\n', 'other.md': '# Other\n' };
const ENCODED = 'Ideas%20%26%20plans/Gr%C3%B6%C3%9Fe';

test('with open links answers have addresses that open the notes, and links to them as resources', async () => {
  const space = await startSilverBullet({ files: NOTES });
  const folder = await temporaryFolder(NOTES);
  await putFile(
    folder,
    'quire.yaml',
    `notebooks:\n  own: { folder: . }\n  space: { silverbullet: { url: "${space.url}", token: "${TOKEN}" } }\n`,
  );
  const { client, call } = await startProgram(['--config', join(folder, 'quire.yaml'), '--open-links']);
  const path = 'Ideas & plans/Größe.md';
  const url = `obsidian://open?vault=${basename(folder)}&file=${encodeURIComponent(path)}`;

  const found = await call('own_search_notes', { query: 'ferns' });
  expect(found.json).toMatchObject([{ p: path, url }]);
  const link = { type: 'resource_link', uri: `note://own/${ENCODED}.md`, name: 'Größe.md', title: 'Ferns' };
  expect(found.content).toContainEqual(link);
  const { contents } = await client.readResource({ uri: link.uri });
  expect(contents).toMatchObject([{ text: NOTES[path] }]);

  expect((await call('own_read_note', { path })).json.url).toBe(url);
  const several = await call('own_read_multiple_notes', { paths: [path, 'other.md', 'none.md'] });
  expect(several.json.ok).toMatchObject([{ url }, { path: 'other.md' }]);
  expect(several.content.slice(1)).toMatchObject([{ uri: link.uri }, { uri: 'note://own/other.md' }]);

  expect((await call('space_read_note', { path })).json.url).toBe(`${space.url}/${ENCODED}`);
});

test('without, they have none', async () => {
  const { call } = await withFolder(NOTES);
  for (const [tool, args] of [
    ['search_notes', { query: 'ferns' }],
    ['read_note', { path: 'other.md' }],
    ['read_multiple_notes', { paths: ['other.md'] }],
  ] as const) {
    const { text, content } = await call(tool, args);
    expect(text).not.toMatch(/url|:\/\//);
    expect(content).toHaveLength(1);
  }
});
