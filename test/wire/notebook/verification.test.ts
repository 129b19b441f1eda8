/** The verification list of the notebook server's description, one test for each line, on a real folder. */
import { describe, expect, test } from 'vitest';
import { withFolder } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { checked, expectError, snapshot } from './support.ts';

const SEED = {
  'full.md': '---\ntitle: Full\ntags: [one]\n---\n# Body\n\nThe Needle is here.\n',
  'plain.md': 'plain text\n',
  'twice.md': 'same same\n',
  'sub/deep.md': 'deep\n',
  '.git/config': 'secret needle',
  '.hidden.md': 'needle',
  'image.png': 'needle',
};
const open = () => checked(withFolder(SEED));

describe('read operations', () => {
  test('read_note returns parsed frontmatter and content separately', async () => {
    const { call } = await open();
    const { json } = await call('read_note', { path: 'full.md' });
    expect(json).toEqual({
      fm: { title: 'Full', tags: ['one'] },
      content: '# Body\n\nThe Needle is here.\n',
    });
  });
  test('notes without frontmatter return an empty object', async () => {
    const { call } = await open();
    expect((await call('read_note', { path: 'plain.md' })).json.fm).toEqual({});
    expect((await call('read_multiple_notes', { paths: ['plain.md'] })).json.ok[0].frontmatter).toEqual({});
  });
  test('read_multiple_notes returns partial results', async () => {
    const { call } = await open();
    const { json } = await call('read_multiple_notes', { paths: ['plain.md', 'missing.md'] });
    expect(json).toEqual({
      ok: [{ path: 'plain.md', frontmatter: {}, content: 'plain text\n' }],
      err: [{ path: 'missing.md', error: 'File not found' }],
    });
  });
  test('get_frontmatter returns only metadata, not content', async () => {
    const { call } = await open();
    expect((await call('get_frontmatter', { path: 'full.md' })).json).toEqual({
      title: 'Full',
      tags: ['one'],
    });
  });
  test('get_notes_info returns size and modified timestamp', async () => {
    const { call } = await open();
    const [info] = (await call('get_notes_info', { paths: ['plain.md'] })).json.ok;
    expect(info).toMatchObject({ path: 'plain.md', size: 11, hasFrontmatter: false });
    expect(Math.abs(info.modified - Date.now())).toBeLessThan(60_000);
  });
});

describe('write operations', () => {
  test('write_note creates parent directories if needed', async () => {
    const { call, folder } = await open();
    await call('write_note', { path: 'new/er/est.md', content: 'x' });
    expect(await fileText(folder, 'new/er/est.md')).toBe('x');
  });
  test('write_note with mode append preserves existing content', async () => {
    const { call, folder } = await open();
    await call('write_note', { path: 'plain.md', content: 'more\n', mode: 'append' });
    expect(await fileText(folder, 'plain.md')).toBe('plain text\n\nmore\n');
  });
  test('write_note with mode prepend adds content before existing', async () => {
    const { call, folder } = await open();
    await call('write_note', { path: 'plain.md', content: 'first\n', mode: 'prepend' });
    expect(await fileText(folder, 'plain.md')).toBe('first\n\nplain text\n');
  });
  test.each(['append', 'prepend'])('frontmatter merges correctly in mode %s', async (mode) => {
    const { call } = await open();
    await call('write_note', { path: 'full.md', content: 'x', frontmatter: { tags: ['two'], n: 1 }, mode });
    expect((await call('get_frontmatter', { path: 'full.md' })).json).toEqual({
      title: 'Full',
      tags: ['one', 'two'],
      n: 1,
    });
  });
  test('invalid frontmatter is rejected with a specific error message', async () => {
    const { call, folder } = await open();
    expectError(
      await call('write_note', { path: 'bad.md', content: 'x', frontmatter: ['a'] }),
      /^Invalid frontmatter: .*must be an object/,
    );
    expect(await snapshot(folder)).not.toHaveProperty('bad.md');
  });
});

describe('patch operations', () => {
  test('patch_note with a single match succeeds', async () => {
    const { call, folder } = await open();
    await call('patch_note', { path: 'plain.md', oldString: 'plain', newString: 'fancy' });
    expect(await fileText(folder, 'plain.md')).toBe('fancy text\n');
  });
  test('patch_note with multiple matches fails without replaceAll', async () => {
    const { call, folder } = await open();
    expectError(
      await call('patch_note', { path: 'twice.md', oldString: 'same', newString: 'x' }),
      /^Found 2 occurrences.*Use replaceAll=true/,
    );
    expect(await fileText(folder, 'twice.md')).toBe('same same\n');
  });
  test('patch_note with replaceAll replaces all occurrences', async () => {
    const { call, folder } = await open();
    await call('patch_note', { path: 'twice.md', oldString: 'same', newString: 'x', replaceAll: true });
    expect(await fileText(folder, 'twice.md')).toBe('x x\n');
  });
  test('patch_note with no matches returns an error with context', async () => {
    const { call } = await open();
    const answer = await call('patch_note', { path: 'plain.md', oldString: 'plain test', newString: 'x' });
    expectError(answer, /^oldString not found/);
    expect(answer.text).toContain('line 1: "plain text"');
  });
});

describe('delete operations', () => {
  test('delete_note with matching confirmation succeeds', async () => {
    const { call, folder } = await open();
    await call('delete_note', { path: 'plain.md', confirmPath: 'plain.md' });
    expect(await snapshot(folder)).not.toHaveProperty('plain.md');
  });
  test('delete_note with mismatched confirmation fails safely', async () => {
    const { call, folder } = await open();
    expectError(
      await call('delete_note', { path: 'plain.md', confirmPath: 'full.md' }),
      'Deletion cancelled: confirmation path does not match',
    );
    expect(await snapshot(folder)).toEqual(await snapshot((await open()).folder));
  });
  test('directories cannot be deleted', async () => {
    const { call, folder } = await open();
    expect((await call('delete_note', { path: 'sub', confirmPath: 'sub' })).isError).toBe(true);
    expect(await fileText(folder, 'sub/deep.md')).toBe('deep\n');
  });
});

describe('move operations', () => {
  test('move_note creates target directories if needed', async () => {
    const { call, folder } = await open();
    await call('move_note', { oldPath: 'plain.md', newPath: 'x/y/z.md' });
    expect(await fileText(folder, 'x/y/z.md')).toBe('plain text\n');
  });
  test('move_note without overwrite fails if the target exists', async () => {
    const { call, folder } = await open();
    expectError(
      await call('move_note', { oldPath: 'plain.md', newPath: 'twice.md' }),
      /already exists: twice\.md$/,
    );
    expect(await fileText(folder, 'twice.md')).toBe('same same\n');
  });
  test('move_note with overwrite replaces the existing file', async () => {
    const { call, folder } = await open();
    await call('move_note', { oldPath: 'plain.md', newPath: 'twice.md', overwrite: true });
    expect(await fileText(folder, 'twice.md')).toBe('plain text\n');
    expect(await snapshot(folder)).not.toHaveProperty('plain.md');
  });
});

describe('security', () => {
  test('paths with ../ are rejected', async () => {
    const { call } = await open();
    expectError(await call('read_note', { path: '../plain.md' }), 'Path traversal not allowed: ../plain.md');
  });
  test('paths outside the notebook are inaccessible', async () => {
    const { call, folder } = await open();
    expectError(await call('read_note', { path: '/etc/passwd' }), 'File not found: etc/passwd');
    expectError(await call('read_note', { path: '/etc/hosts.md' }), 'File not found: etc/hosts.md');
    expect((await call('read_note', { path: `${folder}/plain.md` })).isError).toBe(true);
  });
  test('.git contents are filtered from listings', async () => {
    const { call } = await open();
    expect((await call('list_directory')).json.dirs).toEqual(['sub']);
    expectError(await call('list_directory', { path: '.git' }), 'Access denied: .git');
  });
  test('only allowed extensions are accessible', async () => {
    const { call } = await open();
    expectError(await call('read_note', { path: 'image.png' }), 'Access denied: image.png');
  });
});

describe('search', () => {
  test('content search finds matches in the note body', async () => {
    const { call } = await open();
    const { json } = await call('search_notes', { query: 'Needle', searchFrontmatter: false });
    expect(json).toMatchObject([{ p: 'full.md', t: 'Full', mc: 1, ln: 7 }]);
  });
  test('frontmatter search finds matches in metadata', async () => {
    const { call } = await open();
    const { json } = await call('search_notes', { query: 'one', searchContent: false });
    expect(json).toMatchObject([{ p: 'full.md', ln: 3 }]);
  });
  test('case-insensitive search works', async () => {
    const { call } = await open();
    expect((await call('search_notes', { query: 'nEEDLE' })).json).toHaveLength(1);
    expect((await call('search_notes', { query: 'nEEDLE', caseSensitive: true })).json).toEqual([]);
  });
  test('results respect the limit', async () => {
    const { call } = await open();
    expect((await call('search_notes', { query: 'e', limit: 2 })).json).toHaveLength(2);
  });
});

describe('directory operations', () => {
  test('list_directory returns sorted files and directories', async () => {
    const { call } = await open();
    expect((await call('list_directory')).json).toEqual({
      dirs: ['sub'],
      files: ['full.md', 'plain.md', 'twice.md'],
    });
  });
  test('hidden and system files are filtered from results', async () => {
    const { call } = await open();
    expect((await call('list_directory')).text).not.toMatch(/hidden|git/);
  });
  test('non-allowed extensions are filtered from results', async () => {
    const { call } = await open();
    expect((await call('list_directory')).text).not.toContain('png');
  });
});
