import { expect, test } from 'vitest';
import { withFolder, withMemory } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { checked, expectError, stamps } from './support.ts';

const NOTE =
  '---\ntitle: T # why\ntags: [alpha, beta]\n---\nText #inline and #a/b/c, #Über #标签.\n`#code` [x](#anchor) https://e.org/#frag #123\n\n```\n#fenced\n```\n';

test('list shows frontmatter tags and inline tags, nested and in any script, but none from code or links', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const before = await stamps(folder);
  const { json } = await call('manage_tags', { path: 'a.md', operation: 'list' });
  expect(json).toEqual({
    success: true,
    path: 'a.md',
    operation: 'list',
    message: 'Successfully listed tags: a.md',
    tags: ['alpha', 'beta', 'inline', 'a/b/c', 'Über', '标签'],
    frontmatter: ['alpha', 'beta'],
    inline: ['inline', 'a/b/c', 'Über', '标签'],
  });
  expect(await stamps(folder)).toEqual(before);
});

test('a tag that stands in both places is listed once', async () => {
  const { call } = await checked(withMemory({ 'a.md': '---\ntags: [One]\n---\n#one #two #TWO' }));
  const { json } = await call('manage_tags', { path: 'a.md', operation: 'list' });
  expect(json).toMatchObject({ tags: ['One', 'two'], frontmatter: ['One'], inline: ['one', 'two'] });
});

test.each([
  ['a block list', 'tags:\n  - a\n  - b\n', ['a', 'b']],
  ['a flow list', 'tags: [a, "b"]\n', ['a', 'b']],
  ['one word', 'tags: a\n', ['a']],
  ['words with commas', 'tags: a, b\n', ['a', 'b']],
  ['the key tag', 'tag: a\n', ['a']],
  ['signs in front', 'tags: ["#a", "#b/c"]\n', ['a', 'b/c']],
  ['an empty key', 'tags:\n', []],
])('tags written as %s are listed', async (_, yaml, expected) => {
  const { call } = await checked(withMemory({ 'a.md': `---\n${yaml}---\n` }));
  expect((await call('manage_tags', { path: 'a.md', operation: 'list' })).json.frontmatter).toEqual(expected);
});

test('add puts new tags into the frontmatter and leaves every other byte', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const { json } = await call('manage_tags', {
    path: 'a.md',
    operation: 'add',
    tags: ['#gamma', ' beta ', 'ALPHA', 'été/x', 'gamma'],
  });
  expect(json).toMatchObject({
    message: 'Successfully added tags: a.md',
    frontmatter: ['alpha', 'beta', 'gamma', 'été/x'],
  });
  expect(await fileText(folder, 'a.md')).toBe(NOTE.replace('[alpha, beta]', '[alpha, beta, gamma, été/x]'));
});

test('add makes frontmatter where there is none', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': '# T\n' }));
  await call('manage_tags', { path: 'a.md', operation: 'add', tags: ['new'] });
  expect((await call('read_note', { path: 'a.md' })).json).toEqual({
    fm: { tags: ['new'] },
    content: '# T\n',
  });
  expect((await fileText(folder, 'a.md')).endsWith('---\n# T\n')).toBe(true);
});

test('adding what is there already writes nothing', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const before = await stamps(folder);
  const { json } = await call('manage_tags', { path: 'a.md', operation: 'add', tags: ['alpha'] });
  expect(json.success).toBe(true);
  expect(await stamps(folder)).toEqual(before);
});

test('remove takes tags out of the frontmatter and says which are still inline', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const { json } = await call('manage_tags', {
    path: 'a.md',
    operation: 'remove',
    tags: ['alpha', '#inline'],
  });
  expect(json.frontmatter).toEqual(['beta']);
  expect(json.inline).toContain('inline');
  expect(json.message).toMatch(
    /^Successfully removed tags: a\.md \(still inline: #?inline; removeInline=true/,
  );
  expect(await fileText(folder, 'a.md')).toBe(NOTE.replace('[alpha, beta]', '[beta]'));
});

test('remove with removeInline also takes them out of the text, and only them', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const { json } = await call('manage_tags', {
    path: 'a.md',
    operation: 'remove',
    tags: ['inline', 'a/b/c', 'code', 'fenced', 'anchor', 'frag'],
    removeInline: true,
  });
  expect(json.inline).toEqual(['Über', '标签']);
  expect(await fileText(folder, 'a.md')).toBe(NOTE.replace(' #inline', '').replace(' #a/b/c', ''));
});

test('removing a parent leaves its nested tags', async () => {
  const { call } = await checked(withFolder({ 'a.md': '---\ntags: [a, a/b]\n---\n#a #a/b' }));
  const { json } = await call('manage_tags', {
    path: 'a.md',
    operation: 'remove',
    tags: ['a'],
    removeInline: true,
  });
  expect(json).toMatchObject({ frontmatter: ['a/b'], inline: ['a/b'] });
});

test('removing a tag that is not there writes nothing', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const before = await stamps(folder);
  expect((await call('manage_tags', { path: 'a.md', operation: 'remove', tags: ['zzz'] })).json.success).toBe(
    true,
  );
  expect(await stamps(folder)).toEqual(before);
});

test.each(['has space', '123', 'semi;colon', '#', 'a//b', 'a,b'])('%j is not a tag', async (tag) => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  expectError(
    await call('manage_tags', { path: 'a.md', operation: 'add', tags: ['ok', tag] }),
    /^tags: ".*" (is|has|holds|consists)/,
  );
  expect(await fileText(folder, 'a.md')).toBe(NOTE);
});

test('add and remove need tags, list does not, and other operations are refused', async () => {
  const { call } = await checked(withMemory({ 'a.md': NOTE }));
  for (const operation of ['add', 'remove']) {
    expectError(await call('manage_tags', { path: 'a.md', operation }), `tags: required for ${operation}`);
    expectError(
      await call('manage_tags', { path: 'a.md', operation, tags: [] }),
      `tags: required for ${operation}`,
    );
  }
  expectError(await call('manage_tags', { path: 'a.md', operation: 'rename', tags: ['x'] }), /operation/);
  expectError(await call('manage_tags', { path: 'no.md', operation: 'list' }), 'File not found: no.md');
});
