import { expect, test } from 'vitest';
import type { NotePath } from '../../../src/notes/path.ts';
import { textOf } from '../../../src/notes/text/text.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { withPages, withPagesOver } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { stamps } from '../notebook/support.ts';
import { errorOf, expectCode, expectOk } from './support.ts';

const open = (text: string) => withPages({ 'a.md': text }, { extended: true });
const edit = (...pairs: [string, string][]) => ({
  page: 'a',
  edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })),
});

test('several exact places, in order, and the rest byte for byte', async () => {
  const { call, folder } = await open('---\nk: 1 # why\n---\none\r\ntwo\nthree');
  const { json } = expectOk(
    await call('edit_page', edit(['k: 1', 'k: 2'], ['two\nthree', 'two\n2½\nthree'], ['2½', '$& $1'])),
  );
  expect(json).toMatchObject({ edited: true, path: 'a.md', edits: 3 });
  expect(json).not.toHaveProperty('lastModified');
  expect(await fileText(folder, 'a.md')).toBe('---\nk: 2 # why\n---\none\r\ntwo\n$& $1\nthree');
});

test('dry_run shows the change as a diff and writes nothing', async () => {
  const { call, folder } = await open('one\ntwo\nthree\n');
  const before = await stamps(folder);
  for (const dry_run of [true, 'true']) {
    const { json } = expectOk(await call('edit_page', { ...edit(['two', 'TWO']), dry_run }));
    expect(json).toEqual({
      dryRun: true,
      path: 'a.md',
      edits: 1,
      diff: '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three',
    });
  }
  expect(await stamps(folder)).toEqual(before);
  expect((await call('edit_page', edit(['two', 'TWO']))).json.diff).toContain('-two\n+TWO');
});

test('all or nothing, and which edit it was', async () => {
  const { call, folder } = await open('one\ntwo two\n');
  const before = await stamps(folder);
  const missing = expectCode(
    await call('edit_page', edit(['one', 'uno'], ['One', 'x'])),
    'invalid_arguments',
  );
  expect(missing.message).toBe('edits[1]: Text not found in file');
  const twice = expectCode(await call('edit_page', edit(['two', 'x'])), 'invalid_arguments');
  expect(twice.message).toBe('edits[0]: Text appears 2 times in file, must be unique');
  expect(twice.remediation).toContain('line 2');
  expect(await stamps(folder)).toEqual(before);
});

test('missing page, trash, size', async () => {
  const { call } = await open('x'.repeat(262_140));
  expectCode(await call('edit_page', { ...edit(['a', 'b']), page: 'nope' }), 'not_found', {
    path: 'nope.md',
  });
  expectCode(await call('edit_page', { ...edit(['a', 'b']), page: '_trash/x' }), 'forbidden_path');
  const { call: small } = await open(`y${'x'.repeat(262_140)}`);
  expectCode(await small('edit_page', edit(['y', 'zzzzzzzz'])), 'too_large', { status: 413 });
});

test('an edit is made on what is there, and never over what it has not seen', async () => {
  const inner = openMemoryStore({ 'a.md': 'one\ntwo\n' });
  let writes = 0;
  const store = {
    ...inner,
    write: async (...[path, content, conditions]: Parameters<typeof inner.write>) => {
      if (writes++ === 0) await inner.write(path, 'one\ntwo\nadded by hand\n');
      return inner.write(path, content, conditions);
    },
  };
  const { call } = await withPagesOver(store, { extended: true });
  expectOk(await call('edit_page', edit(['two', 'TWO'])));
  expect(textOf(await inner.read('a.md' as NotePath))).toBe('one\nTWO\nadded by hand\n');
});

test('the same call again is the same success, unless the page went on', async () => {
  const { call, folder } = await open('a\n');
  expectOk(await call('edit_page', edit(['a', 'aa'])));
  expect(expectOk(await call('edit_page', edit(['a', 'aa']))).json).toMatchObject({
    edited: true,
    deduplicated: true,
  });
  expect(await fileText(folder, 'a.md')).toBe('aa\n');
  await call('append_to_page', { page: 'a', content: 'b' });
  expect(errorOf(await call('edit_page', edit(['a', 'aa']))).message).toContain('2 times');
});

test('frontmatter is not left broken', async () => {
  const { call, folder } = await open('---\nk: 1\n---\n');
  expectCode(await call('edit_page', edit(['k: 1', 'k: [1'])), 'invalid_arguments');
  expect(await fileText(folder, 'a.md')).toBe('---\nk: 1\n---\n');
});
