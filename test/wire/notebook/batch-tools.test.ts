import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder, withMemory } from '../../kit/server.ts';
import { checked, expectError } from './support.ts';

const SEED = { 'note1.md': '---\nt: 1\n---\none\n', 'sub/note2.md': 'two' };

test('read_multiple_notes answers with ok and err', async () => {
  const { call } = await checked(withFolder(SEED));
  const { json } = await call('read_multiple_notes', {
    paths: ['note1.md', 'missing.md', ' /sub/note2.md', '.git/config', '../x.md', 'p.png', 'bad\u0000.md'],
  });
  expect(json.ok).toEqual([
    { path: 'note1.md', frontmatter: { t: 1 }, content: 'one\n' },
    { path: 'sub/note2.md', frontmatter: {}, content: 'two' },
  ]);
  expect(json.err[0]).toEqual({ path: 'missing.md', error: 'File not found' });
  expect(json.err.map(({ path }: { path: string }) => path)).toEqual([
    'missing.md',
    '.git/config',
    '../x.md',
    'p.png',
    'bad\u0000.md',
  ]);
  expect(json.err[1].error).toMatch(/^Access denied/);
  expect(json.err[2].error).toMatch(/^Path traversal not allowed/);
  expect(json.err[3].error).toMatch(/^Access denied/);
  expect(json.err[4].error).toMatch(/^Invalid path/);
});

test('read_multiple_notes leaves out what is not wanted', async () => {
  const { call } = await checked(withMemory(SEED));
  const read = async (options: object) =>
    (await call('read_multiple_notes', { paths: ['note1.md'], ...options })).json.ok[0];
  expect(await read({})).toEqual({ path: 'note1.md', frontmatter: { t: 1 }, content: 'one\n' });
  expect(await read({ includeContent: false })).toEqual({ path: 'note1.md', frontmatter: { t: 1 } });
  expect(await read({ includeFrontmatter: false })).toEqual({ path: 'note1.md', content: 'one\n' });
  expect(await read({ includeContent: false, includeFrontmatter: false })).toEqual({ path: 'note1.md' });
});

test('all notes failing is still an answer, not an error', async () => {
  const { call } = await checked(withMemory(SEED));
  for (const tool of ['read_multiple_notes', 'get_notes_info']) {
    const answer = await call(tool, { paths: ['x.md', 'y.md'] });
    expect(answer.isError).toBe(false);
    expect(answer.json).toEqual({
      ok: [],
      err: [
        { path: 'x.md', error: 'File not found' },
        { path: 'y.md', error: 'File not found' },
      ],
    });
  }
});

test.each(['read_multiple_notes', 'get_notes_info'])(
  '%s takes ten notes and clearly refuses eleven',
  async (tool) => {
    const { call } = await checked(withMemory(SEED));
    const paths = (count: number) => Array.from({ length: count }, () => 'note1.md');
    expect((await call(tool, { paths: paths(10) })).json.ok).toHaveLength(10);
    const eleven = await call(tool, { paths: paths(11) });
    expectError(eleven, /paths: at most 10 notes/);
    expectError(await call(tool, { paths: [] }), /paths: must name at least one note/);
  },
);

test('long notes share the answer, and each says how to continue', async () => {
  const long = 'x'.repeat(90_000);
  const { call } = await checked(withMemory({ 'a.md': long, 'b.md': long, 'c.md': 'short' }));
  const { json, text } = await call('read_multiple_notes', { paths: ['a.md', 'b.md', 'c.md'] });
  expect(text.length).toBeLessThan(120_000);
  for (const note of json.ok.slice(0, 2)) {
    expect(note.content).toHaveLength(note.next);
    expect(note.note).toContain(`read_note offset=${note.next}`);
    const rest = await call('read_note', { path: note.path, offset: note.next });
    expect(note.content + rest.json.content).toBe(long);
  }
  expect(json.ok[2]).toEqual({ path: 'c.md', frontmatter: {}, content: 'short' });
});

test('broken frontmatter and foreign encodings do not stop the others', async () => {
  const { call } = await checked(
    withFolder({ 'a.md': '---\na: [1\n---\nx', 'b.md': Uint8Array.of(0xff), 'c.md': 'fine' }),
  );
  const { json } = await call('read_multiple_notes', { paths: ['a.md', 'b.md', 'c.md'] });
  expect(json.ok[0]).toMatchObject({ path: 'a.md', frontmatter: {}, content: '---\na: [1\n---\nx' });
  expect(json.ok[0].note).toContain('Invalid frontmatter');
  expect(json.ok[1]).toMatchObject({ path: 'c.md', content: 'fine' });
  expect(json.err).toEqual([{ path: 'b.md', error: expect.stringContaining('Not a UTF-8 text note') }]);
});

test('images are pointed to read_note', async () => {
  const { call } = await checked(withFolder({ 'p.png': Uint8Array.of(1) }, { extensions: ['.md', '.png'] }));
  const { json } = await call('read_multiple_notes', { paths: ['p.png'] });
  expect(json.err).toEqual([{ path: 'p.png', error: 'Not a text note. Use read_note for it.' }]);
});

test('get_notes_info gives size in bytes, time of change and whether there is frontmatter', async () => {
  const { call, folder } = await checked(
    withFolder({ 'a.md': '---\nk: é\n---\nx', 'b.md': 'no\n\n---\nk: 1\n---\n' }),
  );
  await utimes(join(folder, 'a.md'), 1_700_000_000, 1_700_000_000);
  const { json, text } = await call('get_notes_info', { paths: ['a.md', 'b.md', 'no.md'] });
  expect(json.ok[0]).toEqual({ path: 'a.md', size: 15, modified: 1_700_000_000_000, hasFrontmatter: true });
  expect(json.ok[1]).toMatchObject({ path: 'b.md', hasFrontmatter: false });
  expect(json.err).toEqual([{ path: 'no.md', error: 'File not found' }]);
  expect(text).not.toContain('"content"');
});

test('both indent with prettyPrint', async () => {
  const { call } = await checked(withMemory(SEED));
  for (const tool of ['read_multiple_notes', 'get_notes_info']) {
    expect((await call(tool, { paths: ['note1.md'] })).text).not.toContain('\n');
    expect((await call(tool, { paths: ['note1.md'], prettyPrint: true })).text).toMatch(/^\{\n {2}"ok": \[/);
  }
});
