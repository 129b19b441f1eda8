import { expect, test } from 'vitest';
import { startVault, withVault } from '../../kit/server.ts';
import { fileText, temporaryFolder } from '../../kit/temp.ts';
import { checked, snapshot, stamps } from '../notebook/support.ts';
import { expectCode, hintOf } from './support.ts';

const edit = (old_text: string, new_text: string, path = 'a.md') => ({ path, old_text, new_text });

test('the one place is replaced, and the rest stays byte for byte', async () => {
  const { call, folder } = await checked(withVault({ 'a.md': '---\nk: 1 # why\n---\nold text\nrest' }));
  const { json } = await call('vault_edit', edit('old text', 'new\ntext'));
  expect(json).toEqual({ path: 'a.md', replaced: true, total_lines: 6 });
  expect(await snapshot(folder)).toEqual({ 'a.md': '---\nk: 1 # why\n---\nnew\ntext\nrest' });
});

test('an empty new_text deletes', async () => {
  const { call, folder } = await checked(withVault({ 'a.md': 'one\ntwo\nthree\n' }));
  expect((await call('vault_edit', edit('two\n', ''))).json.total_lines).toBe(2);
  expect(await fileText(folder, 'a.md')).toBe('one\nthree\n');
  expect((await call('vault_edit', edit('one\nthree\n', ''))).json.total_lines).toBe(0);
  expect(await fileText(folder, 'a.md')).toBe('');
});

test('text that is not there', async () => {
  const { call, folder } = await checked(withVault({ 'a.md': 'Status: draft\n' }));
  const before = await stamps(folder);
  const answer = await call('vault_edit', edit('status: draft', 'x'));
  expectCode(answer, 'TEXT_NOT_FOUND', 'Text not found in file');
  expect(hintOf(answer)).toContain('Closest is line 1: "Status: draft"');
  expectCode(
    await call('vault_edit', edit(' Status: draft', 'x')),
    'TEXT_NOT_FOUND',
    'Text not found in file',
  );
  expectCode(await call('vault_edit', edit('qqqqq', 'x')), 'TEXT_NOT_FOUND', 'Text not found in file');
  expect(await stamps(folder)).toEqual(before);
});

test.each([
  ['x\nx\n', 'x', 2],
  ['a a a', 'a', 3],
  ['aaa', 'aa', 2],
  ['x '.repeat(250), 'x ', 250],
])('%j holds %j %i times', async (text, sought, times) => {
  const { call, folder } = await checked(withVault({ 'a.md': text }));
  const before = await stamps(folder);
  const answer = await call('vault_edit', edit(sought, 'y'));
  expectCode(answer, 'TEXT_NOT_UNIQUE', `Text appears ${times} times in file, must be unique`);
  expect(hintOf(answer)).toMatch(/^It is in lines? 1/);
  expect(await stamps(folder)).toEqual(before);
});

test('both texts are literal', async () => {
  const { call, folder } = await checked(withVault({ 'a.md': 'a.c abc $1 (x)\n' }));
  await call('vault_edit', edit('a.c', "$& $1 $$ $'"));
  expect(await fileText(folder, 'a.md')).toBe("$& $1 $$ $' abc $1 (x)\n");
});

test('line breaks given as LF find CRLF, and the file keeps its own', async () => {
  const { call, folder } = await checked(withVault({ 'a.md': 'one\r\ntwo\r\nthree\r\n' }));
  await call('vault_edit', edit('one\ntwo', 'uno\ndos\ntres'));
  expect(await fileText(folder, 'a.md')).toBe('uno\r\ndos\r\ntres\r\nthree\r\n');
});

test('any text file can be edited, frontmatter and data included', async () => {
  const { call, folder } = await checked(withVault({ 'd.json': '{"a": 1}\n', 'n.md': '---\nk: v\n---\n' }));
  await call('vault_edit', edit('1', '[2]', 'd.json'));
  await call('vault_edit', edit('k: v', 'k: w', 'n.md'));
  expect(await snapshot(folder)).toEqual({ 'd.json': '{"a": [2]}\n', 'n.md': '---\nk: w\n---\n' });
});

test('a file that is missing, hidden, outside, a folder or no text', async () => {
  const { call, folder } = await checked(
    withVault({ 'plan.md': 'x', 'sub/a.md': 'x', '.obsidian/a.md': 'x', 'l.md': Uint8Array.of(0x78, 0xe9) }),
  );
  const before = await snapshot(folder);
  const missing = await call('vault_edit', edit('x', 'y', 'plam.md'));
  expectCode(missing, 'FILE_NOT_FOUND', 'File not found: plam.md');
  expect(hintOf(missing)).toBe('Did you mean plan.md?');
  expectCode(
    await call('vault_edit', edit('x', 'y', '.obsidian/a.md')),
    'PATH_NOT_ALLOWED',
    /^Access denied/,
  );
  expectCode(await call('vault_edit', edit('x', 'y', '../a.md')), 'PATH_NOT_ALLOWED', /^Path traversal/);
  expectCode(await call('vault_edit', edit('x', 'y', 'sub')), 'INVALID_ARGUMENT', 'Not a file: sub');
  expectCode(await call('vault_edit', edit('x', 'y', 'l.md')), 'UNSUPPORTED', 'Not a UTF-8 text note: l.md');
  expectCode(
    await call('vault_edit', edit('x', 'x', 'plan.md')),
    'INVALID_ARGUMENT',
    'old_text and new_text are the same',
  );
  expect(await snapshot(folder)).toEqual(before);
});

test('edits of one file at the same time from two servers all arrive', async () => {
  const places = Array.from({ length: 20 }, (_, i) => `<place ${i}>`);
  const folder = await temporaryFolder({ 'a.md': `${places.join('\n')}\n` });
  const [a, b] = [await startVault(folder), await startVault(folder)];
  const answers = await Promise.all(
    places.map((place, i) => (i % 2 ? a : b).call('vault_edit', edit(place, `done ${i}`))),
  );
  expect(answers.filter(({ isError }) => isError).map(({ text }) => text)).toEqual([]);
  expect(await fileText(folder, 'a.md')).toBe(`${places.map((_, i) => `done ${i}`).join('\n')}\n`);
});
