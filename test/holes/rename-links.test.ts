/** After a rename every form of link still leads to the note, and everything that is no link keeps its bytes. */
import { describe, expect, test } from 'vitest';
import { withFolder } from '../kit/server.ts';
import { bytesOf, served, treeOf } from './served.ts';

const OTHERS = { 'a/Old Name.md': '# Heading\n\ntext ^block\n', 'a/x.md': 'x\n', 'b/y.md': 'y\n' };
const MOVE = { oldPath: 'a/Old Name.md', newPath: 'b/c/New Name.md' };

/** The text of `path` after the move, when it was `text` before. */
async function afterMove(path: string, text: string): Promise<string> {
  const { folder, call } = await withFolder({ ...OTHERS, [path]: text });
  expect((await call('move_note', MOVE)).isError).toBe(false);
  expect(bytesOf(folder, MOVE.newPath).toString()).toBe(OTHERS['a/Old Name.md']);
  return bytesOf(folder, path).toString();
}

describe('a rename updates', () => {
  test.each([
    ['a wikilink by name', '[[Old Name]]', '[[New Name]]'],
    ['a wikilink by name with extension', '[[Old Name.md]]', '[[New Name.md]]'],
    ['a wikilink by path', '[[a/Old Name]]', '[[b/c/New Name]]'],
    ['a wikilink from the root', '[[/a/Old Name]]', '[[/b/c/New Name]]'],
    ['a wikilink with alias', '[[Old Name|the old]]', '[[New Name|the old]]'],
    ['a wikilink to a heading', '[[Old Name#Heading]]', '[[New Name#Heading]]'],
    ['a wikilink to a block', '[[Old Name#^block]]', '[[New Name#^block]]'],
    ['a wikilink to a heading with alias', '[[a/Old Name#Heading|x]]', '[[b/c/New Name#Heading|x]]'],
    ['an embed', '![[Old Name]]', '![[New Name]]'],
    ['an embed of a block', '![[Old Name#^block]]', '![[New Name#^block]]'],
    ['a wikilink in another letter case', '[[old name]]', '[[New Name]]'],
    [
      'a wikilink with alias in a table',
      '| a | b |\n| - | - |\n| [[Old Name\\|x]] | 1 |',
      '| a | b |\n| - | - |\n| [[New Name\\|x]] | 1 |',
    ],
    ['a markdown link', '[t](a/Old%20Name.md)', '[t](b/c/New%20Name.md)'],
    ['a markdown link to a heading', '[t](a/Old%20Name.md#heading)', '[t](b/c/New%20Name.md#heading)'],
    ['a markdown link in angle brackets', '[t](<a/Old Name.md>)', '[t](<b/c/New Name.md>)'],
    ['a markdown link with title', '[t](a/Old%20Name.md "A title")', '[t](b/c/New%20Name.md "A title")'],
    ['a markdown link in brackets with title', "[t](<a/Old Name.md> 'T')", "[t](<b/c/New Name.md> 'T')"],
    ['a markdown link that begins with ./', '[t](./a/Old%20Name.md)', '[t](./b/c/New%20Name.md)'],
    ['a markdown link from the root', '[t](/a/Old%20Name.md)', '[t](/b/c/New%20Name.md)'],
    ['a markdown embed', '![t](a/Old%20Name.md)', '![t](b/c/New%20Name.md)'],
    [
      'a reference definition',
      '[t][id]\n\n[id]: a/Old%20Name.md "T"',
      '[t][id]\n\n[id]: b/c/New%20Name.md "T"',
    ],
    ['a link in quoted frontmatter', '---\nup: "[[Old Name]]"\n---\nx', '---\nup: "[[New Name]]"\n---\nx'],
    [
      'links in a list in frontmatter',
      "---\nup:\n  - '[[a/Old Name|x]]' # why\n  - y\n---\n",
      "---\nup:\n  - '[[b/c/New Name|x]]' # why\n  - y\n---\n",
    ],
    ['a link in a heading', '# On [[Old Name]]', '# On [[New Name]]'],
    ['a link in a quote in a list', '- > see [[Old Name]]', '- > see [[New Name]]'],
    ['a link under CRLF and BOM', '\uFEFFa\r\n[[Old Name]]\r\nb', '\uFEFFa\r\n[[New Name]]\r\nb'],
    [
      'several links at once',
      '[[Old Name]] [[x]] [t](a/Old%20Name.md)',
      '[[New Name]] [[x]] [t](b/c/New%20Name.md)',
    ],
  ])('%s', async (_, before, after) => {
    expect(await afterMove('home.md', before)).toBe(after);
  });

  test.each([
    ['a relative markdown link beside the note', 'a/z.md', '[t](Old%20Name.md)', '[t](../b/c/New%20Name.md)'],
    ['a relative markdown link through ..', 'b/z.md', '[t](../a/Old%20Name.md)', '[t](c/New%20Name.md)'],
    ['a relative wikilink through ..', 'b/z.md', '[[../a/Old Name]]', '[[./c/New Name]]'],
    ['a link in a .txt', 'z.txt', '[[Old Name]]\n', '[[New Name]]\n'],
    ['a link in a .markdown', 'z.markdown', '[[Old Name]]\n', '[[New Name]]\n'],
  ])('%s', async (_, path, before, after) => {
    expect(await afterMove(path, before)).toBe(after);
  });

  test('a file and a text with a link on a canvas, and no other byte of it', async () => {
    const canvas = (path: string, name: string) =>
      `{\n\t"nodes":[\n\t\t{"id":"1","type":"file","file":"${path}","subpath":"#Heading","x":0.50,"y":-1e3},\n\t\t{"id":"2","type":"text","text":"see [[${name}]]\\n\\"q\\" \\u00e9"}\n\t],\n\t"edges":[]\n}`;
    expect(await afterMove('board.canvas', canvas('a/Old Name.md', 'Old Name'))).toBe(
      canvas('b/c/New Name.md', 'New Name'),
    );
  });

  test("the moved note's own relative links and links to itself", async () => {
    const { folder, call } = await withFolder({
      'a/n.md':
        '[t](x.md) ![p](img/p.png) [up](../home.md#h) [[x]] [[n#h]] [me](n.md) <x.md> [e](https://e.org/x.md)\n',
      'a/x.md': 'x',
      'a/img/p.png': 'p',
      'home.md': 'h',
    });
    await call('move_note', { oldPath: 'a/n.md', newPath: 'b/c/m.md' });
    expect(bytesOf(folder, 'b/c/m.md').toString()).toBe(
      '[t](../../a/x.md) ![p](../../a/img/p.png) [up](../../home.md#h) [[x]] [[m#h]] [me](m.md) <x.md> [e](https://e.org/x.md)\n',
    );
  });

  test('a short link to a full path where the new name is taken', async () => {
    const { folder, call } = await withFolder({
      'a/Old.md': 'o',
      'b/New.md': 'n',
      'home.md': '[[Old]] [[New]]\n',
    });
    await call('move_note', { oldPath: 'a/Old.md', newPath: 'c/New.md' });
    expect(bytesOf(folder, 'home.md').toString()).toBe('[[c/New]] [[New]]\n');
  });

  test('a name spelled with escapes', async () => {
    const { folder, call } = await withFolder({
      'my_note.md': 'n',
      'home.md': '[t](my\\_note.md) [u](my%5Fnote.md)\n',
    });
    await call('move_note', { oldPath: 'my_note.md', newPath: 'plain.md' });
    expect(bytesOf(folder, 'home.md').toString()).toBe('[t](plain.md) [u](plain.md)\n');
  });

  test('links between an NFC text and an NFD name', async () => {
    const { folder, call } = await withFolder({
      ['Café.md'.normalize('NFD')]: 'c',
      'home.md': '[[Café]]\n'.normalize('NFC'),
    });
    expect(
      (await call('move_note', { oldPath: 'Café.md'.normalize('NFC'), newPath: 'Tea.md' })).isError,
    ).toBe(false);
    expect(bytesOf(folder, 'home.md').toString()).toBe('[[Tea]]\n');
  });
});

describe('a rename leaves alone', () => {
  test.each([
    ['inline code', 'see `[[Old Name]]` and ``[t](a/Old%20Name.md)``'],
    ['a fenced block', '```md\n[[Old Name]]\n[t](a/Old%20Name.md)\n```'],
    ['a fence that is not closed', '~~~\n[[Old Name]]'],
    ['an indented block', 'x\n\n    [[Old Name]]\n'],
    ['a comment', '<!-- [[Old Name]] -->'],
    ['an escaped bracket', '\\[[Old Name]]'],
    ['plain words', 'Old Name and a/Old Name.md'],
    ['an address', '[t](https://example.org/a/Old%20Name.md)'],
    ['a link to a note with a longer name', '[[Old Name 2]] [[My Old Name]]'],
    ['a heading of the same name', '# Old Name\n\n[[#Old Name]]'],
  ])('%s', async (_, text) => {
    expect(await afterMove('home.md', text)).toBe(text);
  });
});

test('through the binary the answer lists every note it changed, and only those changed', async () => {
  const seed = {
    ...OTHERS,
    'one.md': '[[Old Name]] [[Old Name|x]]\r\n',
    'two.md': '`[[Old Name]]`\n',
    'b/three.md': '[t](<../a/Old Name.md> "t")\n',
    'board.canvas': '{"nodes":[{"id":"1","type":"file","file":"a/Old Name.md"}]}',
  };
  const { folder, call } = await served(seed);
  const before = treeOf(folder);
  const plan = await call('move_note', { ...MOVE, dryRun: true });
  expect(treeOf(folder)).toEqual(before);
  const done = await call('move_note', MOVE);
  expect(done.json.updated).toEqual([
    { path: 'b/three.md', links: 1 },
    { path: 'board.canvas', links: 1 },
    { path: 'one.md', links: 2 },
  ]);
  expect(plan.json.updated).toEqual(done.json.updated);
  expect(bytesOf(folder, 'one.md').toString()).toBe('[[New Name]] [[New Name|x]]\r\n');
  expect(bytesOf(folder, 'two.md').toString()).toBe(seed['two.md']);
  expect(bytesOf(folder, 'b/three.md').toString()).toBe('[t](<c/New Name.md> "t")\n');
  expect(JSON.parse(bytesOf(folder, 'board.canvas').toString()).nodes[0].file).toBe('b/c/New Name.md');
});

test('with updateLinks false no other note is touched', async () => {
  const { folder, call } = await served({ ...OTHERS, 'home.md': '[[Old Name]]\n' });
  await call('move_note', { ...MOVE, updateLinks: false });
  expect(bytesOf(folder, 'home.md').toString()).toBe('[[Old Name]]\n');
});
