import { expect, test } from 'vitest';
import { withFolder } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { checked, expectError, snapshot } from './support.ts';

test('a new note is written, to the letter, with the documented answer', async () => {
  const { call, folder } = await checked(withFolder());
  const answer = await call('write_note', { path: 'notes/example.md', content: '# Hi\r\n\ttext' });
  expect(answer.json).toEqual({
    success: true,
    path: 'notes/example.md',
    message: 'Successfully wrote note: notes/example.md (mode: overwrite)',
  });
  expect(await fileText(folder, 'notes/example.md')).toBe('# Hi\r\n\ttext');
});

test.each(['overwrite', 'append', 'prepend'])('mode %s creates a note that is not there', async (mode) => {
  const { call, folder } = await checked(withFolder());
  const { json } = await call('write_note', { path: '/a.md ', content: 'x\n', frontmatter: { k: 1 }, mode });
  expect(json.message).toBe(`Successfully wrote note: a.md (mode: ${mode})`);
  expect(await fileText(folder, 'a.md')).toBe('---\nk: 1\n---\nx\n');
});

test('overwrite is the default and replaces text and frontmatter', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': '---\nold: 1\n---\nold\n' }));
  await call('write_note', { path: 'a.md', content: 'new\n' });
  expect(await fileText(folder, 'a.md')).toBe('new\n');
});

test('frontmatter is written as a block before the content', async () => {
  const { call, folder } = await checked(withFolder());
  await call('write_note', {
    path: 'daily/2024-01-15.md',
    content: '# Daily Note\n\nToday I learned...',
    frontmatter: { date: '2024-01-15', tags: ['daily'] },
  });
  const { json } = await call('read_note', { path: 'daily/2024-01-15.md' });
  expect(json.fm).toEqual({ date: '2024-01-15', tags: ['daily'] });
  expect(json.content).toBe('# Daily Note\n\nToday I learned...');
  expect(await fileText(folder, 'daily/2024-01-15.md')).toMatch(/^---\n/);
});

test('an empty frontmatter object makes no block', async () => {
  const { call, folder } = await checked(withFolder());
  await call('write_note', { path: 'a.md', content: 'x', frontmatter: {} });
  expect(await fileText(folder, 'a.md')).toBe('x');
});

test('append adds after the text with exactly one blank line between', async () => {
  const { call, folder } = await checked(
    withFolder({ 'a.md': 'one\n', 'b.md': 'one', 'c.md': 'one\n\n\n', 'empty.md': '' }),
  );
  for (const path of ['a.md', 'b.md', 'c.md', 'empty.md'])
    await call('write_note', { path, content: 'two\n', mode: 'append' });
  expect(await fileText(folder, 'a.md')).toBe('one\n\ntwo\n');
  expect(await fileText(folder, 'b.md')).toBe('one\n\ntwo\n');
  expect(await fileText(folder, 'c.md')).toBe('one\n\ntwo\n');
  expect(await fileText(folder, 'empty.md')).toBe('two\n');
});

test('prepend adds after the frontmatter with exactly one blank line between', async () => {
  const { call, folder } = await checked(
    withFolder({ 'a.md': '---\nk: 1 # why\n---\none\n', 'b.md': 'one\n' }),
  );
  for (const path of ['a.md', 'b.md'])
    await call('write_note', { path, content: 'zero\n\n\n', mode: 'prepend' });
  expect(await fileText(folder, 'a.md')).toBe('---\nk: 1 # why\n---\nzero\n\none\n');
  expect(await fileText(folder, 'b.md')).toBe('zero\n\none\n');
});

test.each(['append', 'prepend'])('%s merges frontmatter: new keys win, lists are united', async (mode) => {
  const { call, folder } = await checked(
    withFolder({ 'a.md': '---\ntitle: Old # keep me\ntags: [a, b]\nkept: yes\n---\nbody\n' }),
  );
  await call('write_note', {
    path: 'a.md',
    content: 'more\n',
    frontmatter: { title: 'New', tags: ['b', 'c'], added: 2 },
    mode,
  });
  const { json } = await call('read_note', { path: 'a.md' });
  expect(json.fm).toEqual({ title: 'New', tags: ['a', 'b', 'c'], kept: 'yes', added: 2 });
  expect(json.content).toBe(mode === 'append' ? 'body\n\nmore\n' : 'more\n\nbody\n');
  expect(await fileText(folder, 'a.md')).toContain('# keep me');
});

test('frontmatter inside appended content is merged, not pasted into the text', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': '---\ntags: [a]\n---\none\n' }));
  await call('write_note', { path: 'a.md', content: '---\ntags: [b]\n---\ntwo\n', mode: 'append' });
  const { json } = await call('read_note', { path: 'a.md' });
  expect(json).toEqual({ fm: { tags: ['a', 'b'] }, content: 'one\n\ntwo\n' });
  expect((await fileText(folder, 'a.md')).match(/^---$/gm)).toHaveLength(2);
});

test('frontmatter given beside content that has its own is one block, and the given keys win', async () => {
  const { call } = await checked(withFolder());
  await call('write_note', {
    path: 'a.md',
    content: '---\na: 1\nb: 2\n---\nbody\n',
    frontmatter: { b: 3, c: 4 },
  });
  expect((await call('read_note', { path: 'a.md' })).json).toEqual({
    fm: { a: 1, b: 3, c: 4 },
    content: 'body\n',
  });
});

test('appended and prepended text takes the line endings of the note', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': '---\r\nk: 1\r\n---\r\none\r\ntwo\r\n' }));
  await call('write_note', { path: 'a.md', content: 'x\ny\n', mode: 'append' });
  await call('write_note', { path: 'a.md', content: 'z\n', mode: 'prepend' });
  expect(await fileText(folder, 'a.md')).toBe('---\r\nk: 1\r\n---\r\nz\r\n\r\none\r\ntwo\r\n\r\nx\r\ny\r\n');
});

test.each([
  ['append', '\uFEFF---\nk: 1\n---\none\n', '\uFEFF---\nk: 1\n---\none\n\nx\n'],
  ['prepend', '\uFEFFone\n', '\uFEFFx\n\none\n'],
])('a byte order mark stays first through %s', async (mode, before, after) => {
  const { call, folder } = await checked(withFolder({ 'a.md': before }));
  await call('write_note', { path: 'a.md', content: 'x\n', mode });
  expect(await fileText(folder, 'a.md')).toBe(after);
});

test.each([
  ['a list instead of an object', ['x']],
  ['text instead of an object', 'title: x'],
])('invalid frontmatter is refused with a specific message: %s', async (_, frontmatter) => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'x' }));
  expectError(
    await call('write_note', { path: 'a.md', content: 'y', frontmatter }),
    /^Invalid frontmatter: .+/,
  );
  expect(await snapshot(folder)).toEqual({ 'a.md': 'x' });
});

test.each(['append', 'prepend'])(
  '%s to a file that is not UTF-8 is refused and changes nothing',
  async (mode) => {
    const bytes = Uint8Array.of(0x63, 0xe9);
    const { call, folder } = await checked(withFolder({ 'a.md': bytes }));
    const before = await snapshot(folder);
    expectError(
      await call('write_note', { path: 'a.md', content: 'x', mode }),
      'Not a UTF-8 text note: a.md',
    );
    expect(await snapshot(folder)).toEqual(before);
  },
);

test.each(['append', 'prepend'])(
  '%s to a note whose frontmatter is broken keeps every character',
  async (mode) => {
    const broken = '---\na: [1\n---\nbody\n';
    const { call, folder } = await checked(withFolder({ 'a.md': broken }));
    const answer = await call('write_note', { path: 'a.md', content: 'x\n', mode });
    const now = await fileText(folder, 'a.md');
    if (answer.isError) expect(now).toBe(broken);
    else expect(now).toBe(mode === 'append' ? `${broken}\nx\n` : broken.replace('body', 'x\n\nbody'));
  },
);

test('a name no other system can hold is refused, a hidden one denied', async () => {
  const { call, folder } = await checked(withFolder());
  for (const path of ['con.md', 'a:b.md', 'x./y.md', 'aux/y.md'])
    expectError(await call('write_note', { path, content: 'x' }), `Invalid path: ${path}`);
  for (const path of [
    '.hidden.md',
    '.git/x.md',
    'node_modules/x.md',
    '.obsidian/x.md',
    '.trash/x.md',
    'x.exe',
  ])
    expectError(await call('write_note', { path, content: 'x' }), `Access denied: ${path}`);
  expect(await snapshot(folder)).toEqual({});
});

test('many writes to one note at the same time are all kept', async () => {
  const { call, folder } = await checked(withFolder({ 'log.md': 'start\n' }));
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      call('write_note', { path: 'log.md', content: `entry ${i}.`, mode: 'append' }),
    ),
  );
  const text = await fileText(folder, 'log.md');
  for (let i = 0; i < 20; i++) expect(text).toContain(`entry ${i}.`);
  expect(Object.keys(await snapshot(folder))).toEqual(['log.md']);
});
