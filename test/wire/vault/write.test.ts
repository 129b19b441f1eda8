import { chmod, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startVault, withVault } from '../../kit/server.ts';
import { fileText, temporaryFolder } from '../../kit/temp.ts';
import { checked, snapshot } from '../notebook/support.ts';
import { expectCode, hintOf } from './support.ts';

test('a new file is created, with its folders', async () => {
  const { call, folder } = await checked(withVault());
  const content = '# Idée\n\n😀 text\r\nno end';
  const { json } = await call('vault_write', { path: 'projects/new/idea.md', content });
  expect(json).toEqual({ path: 'projects/new/idea.md', created: true, size: 26, total_lines: 4 });
  expect(await fileText(folder, 'projects/new/idea.md')).toBe(content);
  expect(Object.keys(await snapshot(folder)).sort()).toEqual([
    'projects',
    'projects/new',
    'projects/new/idea.md',
  ]);
});

test('a file that exists is replaced whole', async () => {
  const { call, folder } = await checked(withVault({ 'a.md': '---\nk: 1\n---\nold\n' }));
  const { json } = await call('vault_write', { path: '/a.md', content: 'new\n' });
  expect(json).toEqual({ path: 'a.md', created: false, size: 4, total_lines: 1 });
  expect(await snapshot(folder)).toEqual({ 'a.md': 'new\n' });
});

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['\n\n', 2],
  ['a\r\nb\r\n', 2],
  ['\uFEFFa', 1],
])('%j is written to the byte, %i lines', async (content, total_lines) => {
  const { call, folder } = await checked(withVault());
  const { json } = await call('vault_write', { path: 'a.md', content });
  expect(json).toEqual({ path: 'a.md', created: true, size: Buffer.byteLength(content), total_lines });
  expect(await fileText(folder, 'a.md')).toBe(content);
});

test.each(['a.txt', 'b.json', 'c.canvas', 'd.ts', 'noext', 'e.svg', 'f.csv', 'Makefile'])(
  'text of any kind may be written: %s',
  async (path) => {
    const { call, folder } = await checked(withVault());
    expect((await call('vault_write', { path, content: '{}' })).json.created).toBe(true);
    expect(await fileText(folder, path)).toBe('{}');
  },
);

test('create_dirs false writes only where a folder is', async () => {
  const { call, folder } = await checked(withVault({ 'there/a.md': 'a', 'file.md': 'x' }));
  await mkdir(join(folder, 'empty'));
  const before = await snapshot(folder);
  const write = (path: string) => call('vault_write', { path, content: 'x', create_dirs: false });
  expectCode(await write('nope/deep/x.md'), 'FILE_NOT_FOUND', 'Folder not found: nope/deep');
  expectCode(await write('there/nope/x.md'), 'FILE_NOT_FOUND', 'Folder not found: there/nope');
  expectCode(await write('file.md/x.md'), 'FILE_NOT_FOUND', 'Folder not found: file.md');
  expect(await snapshot(folder)).toEqual(before);
  for (const path of ['top.md', 'there/b.md', 'empty/c.md'])
    expect((await write(path)).json.created, path).toBe(true);
  expect((await write('there/a.md')).json.created).toBe(false);
});

test.each([
  '.obsidian/app.json',
  '.obsidian/plugins/x/main.js',
  '.Obsidian/app.json',
  'sub/.obsidian/x.md',
  '.hidden.md',
  '.git/hooks/pre-commit',
  'sub/.secret/x.md',
  '.trash/x.md',
  'node_modules/x.js',
])('%s is not allowed', async (path) => {
  const { call, folder } = await checked(withVault({ '.obsidian/app.json': '{}', 'sub/a.md': 'a' }));
  const before = await snapshot(folder);
  for (const create_dirs of [true, false])
    expectCode(
      await call('vault_write', { path, content: 'x', create_dirs }),
      'PATH_NOT_ALLOWED',
      `Access denied: ${path}`,
    );
  expect(await snapshot(folder)).toEqual(before);
});

test('a path that leads out is not allowed', async () => {
  const outside = await temporaryFolder({ 'x.md': 'outside' });
  const { call, folder } = await checked(withVault({ 'a.md': 'a' }));
  await symlink(outside, join(folder, 'link'));
  await symlink(join(outside, 'x.md'), join(folder, 'x.md'));
  for (const path of ['../x.md', 'a/../../x.md', '/../x.md', '..\\x.md'])
    expectCode(
      await call('vault_write', { path, content: 'x' }),
      'PATH_NOT_ALLOWED',
      `Path traversal not allowed: ${path}`,
    );
  for (const path of ['link/y.md', 'x.md'])
    expectCode(
      await call('vault_write', { path, content: 'x' }),
      'PATH_NOT_ALLOWED',
      `Access denied: ${path}`,
    );
  expect(await snapshot(outside)).toEqual({ 'x.md': 'outside' });
});

test.each(['p.png', 'p.JPG', 'd.pdf', 'a.zip', 's.mp3', 'w.docx', 'v.mp4', 'db.sqlite'])(
  'text is not written as %s',
  async (path) => {
    const { call, folder } = await checked(withVault({ [path]: Uint8Array.of(1, 0, 255) }));
    const before = await snapshot(folder);
    expectCode(await call('vault_write', { path, content: 'x' }), 'UNSUPPORTED', `Not a text file: ${path}`);
    expectCode(
      await call('vault_edit', { path, old_text: 'a', new_text: 'b' }),
      'UNSUPPORTED',
      `Not a text file: ${path}`,
    );
    expect(await snapshot(folder)).toEqual(before);
  },
);

test('what is not text is never replaced by text, whatever its name', async () => {
  const { call, folder } = await checked(withVault({ 'data.bin': Uint8Array.of(0xff, 0, 1) }));
  expectCode(await call('vault_write', { path: 'data.bin', content: 'x' }), 'UNSUPPORTED', /data\.bin$/);
  expect((await snapshot(folder))['data.bin']).toBe('\xff\x00\x01');
});

test('a folder is not a file', async () => {
  const { call, folder } = await checked(withVault({ 'sub.md/a.md': 'a' }));
  const answer = await call('vault_write', { path: 'sub.md', content: 'x' });
  expectCode(answer, 'INVALID_ARGUMENT', 'Not a file: sub.md');
  expect(hintOf(answer)).toBe('It is a folder. vault_list shows what is in it.');
  expect(await fileText(folder, 'sub.md/a.md')).toBe('a');
});

test('the mode of a file is kept, and nothing is left beside it', async () => {
  const { call, folder } = await checked(withVault({ 'a.sh': 'old' }));
  await chmod(join(folder, 'a.sh'), 0o750);
  await call('vault_write', { path: 'a.sh', content: 'new' });
  expect((await stat(join(folder, 'a.sh'))).mode & 0o777).toBe(0o750);
  expect(Object.keys(await snapshot(folder))).toEqual(['a.sh']);
});

test('a reader never sees half a file while it is written', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a'.repeat(300_000) });
  const { call } = await startVault(folder);
  let done = false;
  const writing = (async () => {
    for (let i = 0; i < 20; i++)
      await call('vault_write', { path: 'a.md', content: (i % 2 ? 'a' : 'b').repeat(300_000) });
    done = true;
  })();
  while (!done) expect(await fileText(folder, 'a.md')).toMatch(/^(?:a{300000}|b{300000})$/);
  await writing;
});

test('rules for frontmatter hold here too', async () => {
  const { call, folder } = await checked(
    withVault({ 'a.md': '---\nstatus: new\n---\n' }, { frontmatterRules: [{ required: ['status'] }] }),
  );
  expectCode(
    await call('vault_write', { path: 'a.md', content: 'x' }),
    'INVALID_ARGUMENT',
    'Invalid frontmatter: status is required',
  );
  expectCode(
    await call('vault_edit', { path: 'a.md', old_text: 'status', new_text: 'state' }),
    'INVALID_ARGUMENT',
    'Invalid frontmatter: status is required',
  );
  expect(await fileText(folder, 'a.md')).toBe('---\nstatus: new\n---\n');
});
