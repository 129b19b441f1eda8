import { expect, test } from 'vitest';
import { withFolder } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { checked, snapshot } from './support.ts';

test.each([
  ['a wikilink', '[[idea]]', '[[thought]]'],
  ['a wikilink with its extension', '[[idea.md]]', '[[thought.md]]'],
  ['a wikilink with its folder', '[[inbox/idea]]', '[[box/thought]]'],
  ['an alias', '[[idea|An idea]]', '[[thought|An idea]]'],
  ['a heading', '[[idea#Why]]', '[[thought#Why]]'],
  ['a block', '[[idea#^abc1]]', '[[thought#^abc1]]'],
  ['heading and alias', '[[idea#Why|w]]', '[[thought#Why|w]]'],
  ['an embed', '![[idea]]', '![[thought]]'],
  ['an embed with a heading', '![[idea#Why]]', '![[thought#Why]]'],
  ['an alias in a table', '| [[idea\\|An idea]] |', '| [[thought\\|An idea]] |'],
  ['a markdown link', '[x](inbox/idea.md)', '[x](box/thought.md)'],
  ['a markdown link with an anchor', '[x](inbox/idea.md#why)', '[x](box/thought.md#why)'],
  ['a markdown link in angle brackets', '[x](<inbox/idea.md>)', '[x](<box/thought.md>)'],
  ['a titled markdown link', '[x](inbox/idea.md "Title")', '[x](box/thought.md "Title")'],
  ['a markdown image', '![x](inbox/idea.md)', '![x](box/thought.md)'],
  ['a reference definition', '[x][r]\n\n[r]: inbox/idea.md', '[x][r]\n\n[r]: box/thought.md'],
  ['frontmatter', '---\nup: "[[idea]]"\n---\nx', '---\nup: "[[thought]]"\n---\nx'],
])('%s still leads to a moved note', async (_, before, after) => {
  const { call, folder } = await checked(
    withFolder({ 'inbox/idea.md': '# Why\n', 'source.md': `${before}\r\nrest` }),
  );
  const { json } = await call('move_note', { oldPath: 'inbox/idea.md', newPath: 'box/thought.md' });
  expect(await fileText(folder, 'source.md')).toBe(`${after}\r\nrest`);
  expect(json).toMatchObject({
    linksUpdated: 1,
    updated: [{ path: 'source.md', links: 1 }],
    message: 'Successfully moved note from inbox/idea.md to box/thought.md (1 link in 1 note updated)',
  });
});

test.each([
  ['inline code', '`[[idea]]`'],
  ['a fenced block', '```\n[[idea]] [x](inbox/idea.md)\n```'],
  ['an indented block', 'x\n\n    [[idea]]'],
  ['a web address', '[x](https://example.org/inbox/idea.md)'],
  ['a longer name', '[[idea two]] [[my idea]]'],
  ['plain words', 'idea and inbox/idea.md'],
])('%s stays as it is', async (_, text) => {
  const { call, folder } = await checked(withFolder({ 'inbox/idea.md': 'x', 'source.md': text }));
  const { json } = await call('move_note', { oldPath: 'inbox/idea.md', newPath: 'box/thought.md' });
  expect(json.linksUpdated).toBe(0);
  expect(await fileText(folder, 'source.md')).toBe(text);
});

test('short links stay short when only the folder changes', async () => {
  const { call, folder } = await checked(withFolder({ 'idea.md': 'x', 'a.md': '[[idea]]' }));
  await call('move_note', { oldPath: 'idea.md', newPath: 'deep/er/idea.md' });
  expect(await fileText(folder, 'a.md')).toBe('[[idea]]');
});

test('a short link grows where it would become ambiguous', async () => {
  const { call, folder } = await checked(
    withFolder({ 'one.md': 'x', 'a/two.md': 'other', 'src.md': '[[one]] [[two]]' }),
  );
  await call('move_note', { oldPath: 'one.md', newPath: 'b/two.md' });
  const text = await fileText(folder, 'src.md');
  expect(text).toContain('[[b/two]]');
  expect(text).toMatch(/\[\[(a\/)?two\]\]/);
});

test('the moved note keeps its own relative links', async () => {
  const { call, folder } = await checked(
    withFolder({
      'a/note.md': '[s](sibling.md) [u](../up.md) ![i](img.png) [[sibling]]',
      'a/sibling.md': '',
      'up.md': '',
      'a/img.png': '',
    }),
  );
  const { json } = await call('move_note', { oldPath: 'a/note.md', newPath: 'b/c/note.md' });
  expect(await fileText(folder, 'b/c/note.md')).toBe(
    '[s](../../a/sibling.md) [u](../../up.md) ![i](../../a/img.png) [[sibling]]',
  );
  expect(json.updated).toEqual([{ path: 'b/c/note.md', links: 3 }]);
});

test('a canvas that shows the note still does', async () => {
  const canvas =
    '{"nodes":[{"id":"1","type":"file","file":"idea.md"},{"id":"2","type":"text","text":"see [[idea]]"}],"edges":[]}';
  const { call, folder } = await checked(withFolder({ 'idea.md': 'x', 'board.canvas': canvas }));
  await call('move_note', { oldPath: 'idea.md', newPath: 'f/idea two.md' });
  const after = JSON.parse(await fileText(folder, 'board.canvas'));
  expect(after.nodes[0].file).toBe('f/idea two.md');
  expect(after.nodes[1].text).toBe('see [[idea two]]');
});

test('updateLinks false leaves every other note alone', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': '[x](b.md)', 'b.md': '[y](a.md)' }));
  const { json } = await call('move_note', { oldPath: 'a.md', newPath: 'f/c.md', updateLinks: false });
  expect(json).toMatchObject({ linksUpdated: 0, updated: [] });
  expect(await fileText(folder, 'b.md')).toBe('[y](a.md)');
  expect(await fileText(folder, 'f/c.md')).toBe('[x](b.md)');
});

test('one unreadable note never blocks a move, and is named', async () => {
  const broken = Buffer.concat([Buffer.from('[[idea]] caf'), Buffer.from([0xe9])]);
  const { call, folder } = await checked(
    withFolder({ 'idea.md': 'x', 'good.md': '[[idea]]', 'bad.md': broken }),
  );
  const { json } = await call('move_note', { oldPath: 'idea.md', newPath: 'new.md' });
  expect(json.success).toBe(true);
  expect(json.updated).toEqual([{ path: 'good.md', links: 1 }]);
  expect(json.failed).toEqual([{ path: 'bad.md', error: expect.stringContaining('Not a UTF-8 text note') }]);
  expect(json.message).toContain('1 could not be updated, see failed');
  const after = await snapshot(folder);
  expect(after['bad.md']).toBe(broken.toString('latin1'));
  expect(after['new.md']).toBe('x');
});

test('links in hidden folders stay as they are', async () => {
  const { call, folder } = await checked(
    withFolder({ 'idea.md': 'x', '.trash/t.md': '[[idea]]', '.git/g.md': '[[idea]]' }),
  );
  await call('move_note', { oldPath: 'idea.md', newPath: 'new.md' });
  expect(await fileText(folder, '.trash/t.md')).toBe('[[idea]]');
  expect(await fileText(folder, '.git/g.md')).toBe('[[idea]]');
});
