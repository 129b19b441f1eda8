import { expect, test } from 'vitest';
import { withFolder, withMemory } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { checked, expectError, stamps } from './support.ts';

const NOTE =
  '---\n# about\ntitle: \'Old\'   # quoted\ndate: 2024-01-15\ncount: 007\nversion: "1.10"\ntags:\n  - a\n  - b\nnested: {x: 1, y: [2, 3]}\n---\n\n# Body\n\ntext --- more\n';

test('get_frontmatter answers with the keys alone, never the text', async () => {
  const { call } = await checked(
    withMemory({ 'a.md': NOTE, 'none.md': 'just text', 'empty.md': '---\n---\nx' }),
  );
  const { json, text } = await call('get_frontmatter', { path: 'a.md' });
  expect(json).toMatchObject({ title: 'Old', date: '2024-01-15', version: '1.10', tags: ['a', 'b'] });
  expect(text).not.toContain('Body');
  expect((await call('get_frontmatter', { path: 'none.md' })).json).toEqual({});
  expect((await call('get_frontmatter', { path: 'empty.md' })).json).toEqual({});
});

test('get_frontmatter indents with prettyPrint', async () => {
  const { call } = await checked(withMemory({ 'a.md': '---\nk: v\n---\n' }));
  expect((await call('get_frontmatter', { path: 'a.md' })).text).toBe('{"k":"v"}');
  expect((await call('get_frontmatter', { path: 'a.md', prettyPrint: true })).text).toBe('{\n  "k": "v"\n}');
});

test('get_frontmatter says what is wrong with frontmatter that is not valid', async () => {
  const { call } = await checked(withMemory({ 'a.md': '---\na: [1\n---\n' }));
  expectError(await call('get_frontmatter', { path: 'a.md' }), /^Invalid frontmatter: .+/);
  expectError(await call('get_frontmatter', { path: 'no.md' }), 'File not found: no.md');
});

test('update_frontmatter changes only the keys named and leaves every other byte', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const { json } = await call('update_frontmatter', {
    path: 'a.md',
    frontmatter: { title: 'New', added: true },
  });
  expect(json).toEqual({ success: true, path: 'a.md', message: 'Successfully updated frontmatter: a.md' });
  const after = await fileText(folder, 'a.md');
  expect(after).toBe(
    NOTE.replace("title: 'Old'   # quoted", "title: 'New'   # quoted").replace(
      'nested: {x: 1, y: [2, 3]}\n',
      'nested: {x: 1, y: [2, 3]}\nadded: true\n',
    ),
  );
});

test('line endings and a byte order mark survive an update', async () => {
  const before = '\uFEFF---\r\na: 1\r\nb: 2\r\n---\r\nx\ny\r\n';
  const { call, folder } = await checked(withFolder({ 'a.md': before }));
  await call('update_frontmatter', { path: 'a.md', frontmatter: { a: 3 } });
  expect(await fileText(folder, 'a.md')).toBe(before.replace('a: 1', 'a: 3'));
});

test('values keep their type', async () => {
  const values = {
    date: '2024-02-01',
    text: '123',
    yes: 'yes',
    n: 4.5,
    t: true,
    none: null,
    list: [1, 'two'],
    map: { a: 'b' },
  };
  const { call } = await checked(withFolder({ 'a.md': NOTE }));
  await call('update_frontmatter', { path: 'a.md', frontmatter: values });
  expect((await call('get_frontmatter', { path: 'a.md' })).json).toMatchObject(values);
});

test('merge is the default; with merge false keys not given are removed', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE, 'b.md': NOTE }));
  await call('update_frontmatter', { path: 'a.md', frontmatter: { title: 'X' }, merge: true });
  expect((await call('get_frontmatter', { path: 'a.md' })).json).toMatchObject({
    title: 'X',
    version: '1.10',
  });
  await call('update_frontmatter', { path: 'b.md', frontmatter: { title: 'X' }, merge: false });
  expect((await call('get_frontmatter', { path: 'b.md' })).json).toEqual({ title: 'X' });
  expect((await fileText(folder, 'b.md')).endsWith('\n# Body\n\ntext --- more\n')).toBe(true);
});

test('an empty replacement leaves no block behind', async () => {
  const { call } = await checked(withFolder({ 'a.md': '---\na: 1\n---\nbody\n' }));
  await call('update_frontmatter', { path: 'a.md', frontmatter: {}, merge: false });
  expect((await call('read_note', { path: 'a.md' })).json).toEqual({ fm: {}, content: 'body\n' });
});

test('a note without frontmatter gets a block and keeps its text', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': '# Title\n\ntext', 'b.md': '' }));
  await call('update_frontmatter', { path: 'a.md', frontmatter: { k: 'v' } });
  expect(await fileText(folder, 'a.md')).toBe('---\nk: v\n---\n# Title\n\ntext');
  await call('update_frontmatter', { path: 'b.md', frontmatter: { k: 'v' } });
  expect(await fileText(folder, 'b.md')).toBe('---\nk: v\n---\n');
});

test('an update that changes nothing writes nothing', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const before = await stamps(folder);
  const { json } = await call('update_frontmatter', {
    path: 'a.md',
    frontmatter: { title: 'Old', date: '2024-01-15', tags: ['a', 'b'] },
  });
  expect(json).toMatchObject({ success: true, message: 'Frontmatter already as asked: a.md' });
  expect(await stamps(folder)).toEqual(before);
});

test.each([
  ['text', 'a: 1'],
  ['a list', [1]],
  ['null', null],
  ['a number', 5],
])('%s instead of an object is invalid frontmatter', async (_, frontmatter) => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  expectError(await call('update_frontmatter', { path: 'a.md', frontmatter }), /^Invalid frontmatter: .+/);
  expect(await fileText(folder, 'a.md')).toBe(NOTE);
});

test('frontmatter that is not valid YAML is not rewritten', async () => {
  const broken = '---\na: [1\nb: 2\n---\nbody\n';
  const { call, folder } = await checked(withFolder({ 'a.md': broken }));
  expectError(
    await call('update_frontmatter', { path: 'a.md', frontmatter: { c: 1 } }),
    /^Invalid frontmatter: .+/,
  );
  expect(await fileText(folder, 'a.md')).toBe(broken);
});

test('a missing note is not made', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'x' }));
  expectError(
    await call('update_frontmatter', { path: 'no.md', frontmatter: { a: 1 } }),
    'File not found: no.md',
  );
  expect(Object.keys(await stamps(folder))).toEqual(['a.md']);
});

test('a key named __proto__ is written and read as a plain key', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'x' }));
  const frontmatter = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": "c"}') as Record<
    string,
    unknown
  >;
  const answer = await call('update_frontmatter', { path: 'a.md', frontmatter });
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  if (!answer.isError) expect(await fileText(folder, 'a.md')).toContain('constructor: c');
});
