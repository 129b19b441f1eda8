/** Files that are not UTF-8: refused with a reason, never repaired, and never in the way of others. */
import { expect, test } from 'vitest';
import { bytesOf, filesOf, served, treeOf } from './served.ts';

const LATIN1 = Buffer.from('# caf\xe9\nold word\n', 'latin1');
const UTF16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('# old word\n', 'utf16le')]);
const BINARY = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 0xff, 0xfe, 0x80]);

test('an edit, append or frontmatter change of a note that is not UTF-8 is refused, byte for byte', async () => {
  const { folder, call } = await served({ 'latin1.md': LATIN1, 'utf16.md': UTF16, 'binary.md': BINARY });
  const before = treeOf(folder);
  for (const path of ['latin1.md', 'utf16.md', 'binary.md']) {
    for (const [tool, args] of [
      ['patch_note', { path, oldString: 'old', newString: 'new' }],
      ['write_note', { path, content: 'more', mode: 'append' }],
      ['write_note', { path, content: 'more', mode: 'prepend' }],
      ['update_frontmatter', { path, frontmatter: { a: 1 } }],
      ['manage_tags', { path, operation: 'add', tags: ['x'] }],
      ['manage_tags', { path, operation: 'list' }],
      ['read_note', { path }],
      ['get_frontmatter', { path }],
    ] as const) {
      const answer = await call(tool, args);
      expect(answer.text).toMatch(/^Error: Not a UTF-8 text note: .*\nIt /);
      expect(answer.text).not.toContain('\uFFFD');
    }
    expect((await call('read_multiple_notes', { paths: [path] })).json.err[0].error).toMatch(/^Not a UTF-8/);
  }
  expect(treeOf(folder)).toEqual(before);
});

test('the refusal says what the file is instead', async () => {
  const { call } = await served({ 'latin1.md': LATIN1, 'utf16.md': UTF16, 'binary.md': BINARY });
  expect((await call('read_note', { path: 'latin1.md' })).text).toContain('another encoding');
  expect((await call('read_note', { path: 'utf16.md' })).text).toContain('UTF-16');
  expect((await call('read_note', { path: 'binary.md' })).text).toContain('binary data');
});

test('a note that is not UTF-8 is moved and deleted byte for byte', async () => {
  const { folder, call } = await served({ 'latin1.md': LATIN1, 'binary.md': BINARY });
  expect((await call('move_note', { oldPath: 'latin1.md', newPath: 'sub/café.md' })).isError).toBe(false);
  expect((await call('move_note', { oldPath: 'binary.md', newPath: 'sub/b.md' })).isError).toBe(false);
  expect(bytesOf(folder, 'sub/café.md')).toEqual(LATIN1);
  expect(bytesOf(folder, 'sub/b.md')).toEqual(BINARY);
  await call('delete_note', { path: 'sub/b.md', confirmPath: 'sub/b.md' });
  expect(bytesOf(folder, '.trash/sub/b.md')).toEqual(BINARY);
});

test('another note that cannot be read never blocks a move, and links elsewhere follow', async () => {
  const { folder, call } = await served({
    'a.md': 'text\n',
    'links.md': 'see [[a]] and [[sub/c]]\n',
    'latin1.md': Buffer.concat([LATIN1, Buffer.from('[[a]]\n')]),
    'binary.md': BINARY,
    'broken.md': '---\nx: "open\n---\n[[a]]\n',
    'huge-line.md': `${'x'.repeat(1_000_000)} [[a]]\n`,
  });
  const answer = await call('move_note', { oldPath: 'a.md', newPath: 'sub/b.md' });
  expect(answer.isError).toBe(false);
  expect(bytesOf(folder, 'sub/b.md').toString()).toBe('text\n');
  expect(bytesOf(folder, 'links.md').toString()).toBe('see [[b]] and [[sub/c]]\n');
  expect(bytesOf(folder, 'broken.md').toString()).toBe('---\nx: "open\n---\n[[b]]\n');
  expect(bytesOf(folder, 'huge-line.md').toString().endsWith(' [[b]]\n')).toBe(true);
  expect(bytesOf(folder, 'latin1.md')).toEqual(Buffer.concat([LATIN1, Buffer.from('[[a]]\n')]));
  expect(bytesOf(folder, 'binary.md')).toEqual(BINARY);
  expect(filesOf(folder)).not.toContain('a.md');
});

test('a search passes over notes that are not text and finds the others', async () => {
  const { folder, call } = await served({ 'binary.md': BINARY, 'latin1.md': LATIN1, 'a.md': 'old word\n' });
  const before = treeOf(folder);
  const { json } = await call('search_notes', { query: 'old word' });
  expect(json.map((hit: { p: string }) => hit.p)).toEqual(['a.md']);
  expect(treeOf(folder)).toEqual(before);
});

test('text with half a character is refused and nothing is written', async () => {
  const { folder, call } = await served({ 'a.md': 'text\n' });
  const before = treeOf(folder);
  for (const [tool, args] of [
    ['write_note', { path: 'b.md', content: 'half \ud83c' }],
    ['patch_note', { path: 'a.md', oldString: 'text', newString: '\udf89' }],
    ['update_frontmatter', { path: 'a.md', frontmatter: { x: '\ud83c' } }],
  ] as const)
    expect((await call(tool, args)).isError).toBe(true);
  expect(treeOf(folder)).toEqual(before);
});
