/** The hits of a search, and the lines it reports for them. */
import { expect, test } from 'vitest';
import { bytesOf, served, treeOf } from './served.ts';

test('the line of a hit counts from the top of the file, whatever stands above', async () => {
  const notes = {
    'plain.md': 'one\ntwo\nneedle\n',
    'fm.md': '---\ntitle: x\ntags: [a]\n---\n\nneedle\n',
    'crlf.md': '---\r\ntitle: x\r\n---\r\n\r\nneedle\r\n',
    'bom.md': '\uFEFF---\ntitle: x\n---\nneedle\n',
    'in-fm.md': '---\ntitle: x\nkey: needle\n---\ntext\n',
    'accents.md': 'é\né\n\nneedle é\n',
  };
  const { folder, call } = await served(notes);
  for (const options of [{}, { searchFrontmatter: false }]) {
    const { json } = await call('search_notes', { query: 'needle', ...options });
    expect(json).toHaveLength(Object.keys(options).length === 0 ? 6 : 5);
    for (const { p, ln } of json) {
      const lines = bytesOf(folder, p).toString().split('\n');
      expect([p, lines.findIndex((line) => line.includes('needle')) + 1]).toEqual([p, ln]);
    }
  }
});

test('a search of the text alone sees no frontmatter, under LF and CRLF', async () => {
  const { call } = await served({
    'lf.md': '---\nkey: needle\n---\ntext\n',
    'crlf.md': '---\r\nkey: needle\r\n---\r\ntext\r\n',
    'bom.md': '\uFEFF---\r\nkey: needle\r\n---\r\ntext\r\n',
  });
  expect((await call('search_notes', { query: 'needle', searchFrontmatter: false })).json).toEqual([]);
  expect((await call('search_notes', { query: 'needle', searchContent: false })).json).toHaveLength(3);
});

test('a search sees .markdown, .MD and .txt', async () => {
  const { folder, call } = await served({
    'a.markdown': 'needle\n',
    'b.MD': 'needle\n',
    'c.txt': 'needle\n',
    'D.TXT': 'needle\n',
    'e.html': 'needle\n',
    'f.md.bak': 'needle\n',
  });
  const before = treeOf(folder);
  const { json } = await call('search_notes', { query: 'needle' });
  expect(json.map((hit: { p: string }) => hit.p).sort()).toEqual(['D.TXT', 'a.markdown', 'b.MD', 'c.txt']);
  expect((await call('list_directory')).json.files).toEqual(['D.TXT', 'a.markdown', 'b.MD', 'c.txt']);
  expect((await call('read_note', { path: 'b.MD' })).json.content).toBe('needle\n');
  expect(treeOf(folder)).toEqual(before);
});

test('odd search words are taken to the letter', async () => {
  const words = [
    'a.*b',
    '(open',
    '[x',
    '\\d+',
    '^start$',
    'c++',
    '"quoted"',
    "it's",
    '$&',
    '100%',
    '🎉',
    '*',
    '-x',
  ];
  const notes = Object.fromEntries(words.map((word, at) => [`n${at}.md`, `before ${word} after\n`]));
  const { folder, call } = await served({ ...notes, 'plain.md': 'axxb 55 start c\n' });
  const before = treeOf(folder);
  for (const [at, word] of words.entries()) {
    const { isError, json } = await call('search_notes', { query: word, limit: 100 });
    expect(isError).toBe(false);
    const paths = json.map((hit: { p: string }) => hit.p);
    expect(paths[0]).toBe(`n${at}.md`);
    // As a pattern or as bare letters these would find it; as the word `start` it is found, below.
    if (word !== '^start$') expect(paths).not.toContain('plain.md');
  }
  for (const query of ['', '   ', '\n'])
    expect((await call('search_notes', { query })).text).toMatch(/query: must not be empty/);
  expect((await call('search_notes', { query: 'x'.repeat(1_001) })).text).toMatch(/query: longer than/);
  expect((await call('search_notes', { query: 'x'.repeat(1_000) })).json).toEqual([]);
  expect(treeOf(folder)).toEqual(before);
});
