/** Files by other names than their paths, and links that open them. */
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { withVault } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { expectCode, hintOf } from './support.ts';

const FILES = {
  'projects/Plan.md': '---\naliases: [the big one]\n---\n# Heating plan\n',
  'a/Same.md': '# One\n',
  'b/Same.md': '# Other\n',
  'img/pic.png': Buffer.from('89504e47', 'hex'),
};

test.each(['projects/Plan', 'plan', 'Heating plan', 'the big one', '![[Plan#Goals|so called]]'])(
  'a file is read and edited as %s',
  async (path) => {
    const { call, folder } = await withVault(FILES);
    expect((await call('vault_read', { path })).json).toMatchObject({ path: 'projects/Plan.md' });
    const edited = await call('vault_edit', { path, old_text: 'Heating', new_text: 'Cooling' });
    expect(edited.json).toMatchObject({ path: 'projects/Plan.md', replaced: true });
    expect(await fileText(folder, 'projects/Plan.md')).toContain('# Cooling plan');
  },
);

test('an image is read by its link', async () => {
  const { call } = await withVault(FILES);
  expect((await call('vault_read', { path: '![[pic.png]]' })).json).toMatchObject({ path: 'img/pic.png' });
});

test('what can mean several files, or none, is missing as documented, and those are named', async () => {
  const { call, folder } = await withVault(FILES);
  const several = await call('vault_read', { path: '[[Same]]' });
  expectCode(several, 'FILE_NOT_FOUND', 'File not found: [[Same]]');
  expect(hintOf(several)).toBe('It can mean a/Same.md, b/Same.md. Give the path of the one you mean.');
  expectCode(await call('vault_read', { path: 'none.md' }), 'FILE_NOT_FOUND', 'File not found: none.md');
  const written = await call('vault_write', { path: 'Heating plan', content: 'new' });
  expect(written.json).toMatchObject({ path: 'Heating plan', created: true });
  expect(await fileText(folder, 'projects/Plan.md')).toBe(FILES['projects/Plan.md']);
});

test('answers have addresses that open the files, if wanted', async () => {
  const { call, folder } = await withVault(FILES, { openLinks: true });
  const url = `obsidian://open?vault=${basename(folder)}&file=${encodeURIComponent('projects/Plan.md')}`;
  expect((await call('vault_read', { path: 'Plan' })).json.url).toBe(url);
  expect((await call('vault_search', { query: 'heating' })).json.results).toMatchObject([{ url }]);
  const without = await withVault(FILES);
  expect((await without.call('vault_search', { query: 'heating' })).text).not.toContain('url');
});
