/** String edits: literal, in one place, in the note's own line endings. */
import { expect, test } from 'vitest';
import { bytesOf, served } from './served.ts';

const CRLF = '# Title\r\n\r\nfirst line\r\nsecond line\r\nlast';

test('an edit of one word keeps every CRLF', async () => {
  const { folder, call } = await served({ 'a.md': CRLF });
  await call('patch_note', { path: 'a.md', oldString: 'second', newString: 'third' });
  expect(bytesOf(folder, 'a.md').toString()).toBe(CRLF.replace('second', 'third'));
});

test('an edit of two lines given with LF finds them in a CRLF note and is written with CRLF', async () => {
  const { folder, call } = await served({ 'a.md': CRLF });
  const answer = await call('patch_note', {
    path: 'a.md',
    oldString: 'first line\nsecond line',
    newString: 'one\ntwo\nthree',
  });
  expect(answer.isError).toBe(false);
  expect(bytesOf(folder, 'a.md').toString()).toBe('# Title\r\n\r\none\r\ntwo\r\nthree\r\nlast');
});

test('an edit in a note of mixed endings changes no ending but its own', async () => {
  const mixed = 'a\r\nb\nc\r\nd\ne\rf';
  const { folder, call } = await served({ 'a.md': mixed });
  await call('patch_note', { path: 'a.md', oldString: 'b\nc', newString: 'B\nC' });
  expect(bytesOf(folder, 'a.md').toString()).toBe('a\r\nB\nC\r\nd\ne\rf');
  await call('patch_note', { path: 'a.md', oldString: 'e\rf', newString: 'E\rF' });
  expect(bytesOf(folder, 'a.md').toString()).toBe('a\r\nB\nC\r\nd\nE\rF');
});

test('signs that mean something in patterns are plain text, in both strings', async () => {
  const old = 'cost (a|b)* [x]+ ^$ \\d {2} .?';
  const { folder, call } = await served({ 'a.md': `before ${old} after\n` });
  for (const [oldString, newString] of [
    [old, "$& and $1 and $$ and $` and $' and \\1"],
    ['$& and $1', '$$$$ $<name> $0'],
  ] as const)
    expect((await call('patch_note', { path: 'a.md', oldString, newString })).isError).toBe(false);
  expect(bytesOf(folder, 'a.md').toString()).toBe(
    "before $$$$ $<name> $0 and $$ and $` and $' and \\1 after\n",
  );
  await call('patch_note', { path: 'a.md', oldString: '$', newString: '$&$&', replaceAll: true });
  expect(bytesOf(folder, 'a.md').toString()).toBe(
    "before $$$$ $<name> $0 and $$ and $` and $' and \\1 after\n".split('$').join('$&$&'),
  );
});

test('a pattern is not searched for', async () => {
  const { folder, call } = await served({ 'a.md': 'abc\n' });
  for (const oldString of ['.', 'a.c', '^abc', '[a-c]+', 'ABC'])
    expect((await call('patch_note', { path: 'a.md', oldString, newString: 'x' })).text).toMatch(
      /^Error: oldString not found/,
    );
  expect(bytesOf(folder, 'a.md').toString()).toBe('abc\n');
});

test('old text that is there twice is refused with the count, and the note keeps every byte', async () => {
  const text = 'word\nand word again\n';
  const { folder, call } = await served({ 'a.md': text, 'b.md': 'aaa', 'c.md': 'x\r\ny\r\nx\r\ny\r\n' });
  const twice = await call('patch_note', { path: 'a.md', oldString: 'word', newString: 'x' });
  expect(twice.text).toMatch(/^Error: Found 2 occurrences.*Use replaceAll=true/);
  expect(bytesOf(folder, 'a.md').toString()).toBe(text);
  expect((await call('patch_note', { path: 'b.md', oldString: 'aa', newString: 'x' })).isError).toBe(true);
  expect(bytesOf(folder, 'b.md').toString()).toBe('aaa');
  expect((await call('patch_note', { path: 'c.md', oldString: 'x\ny', newString: 'z' })).isError).toBe(true);
  expect(bytesOf(folder, 'c.md').toString()).toBe('x\r\ny\r\nx\r\ny\r\n');
});

test('white space alone can be replaced', async () => {
  const { folder, call } = await served({ 'a.md': 'a\n\n\n\nb\tc\n' });
  expect((await call('patch_note', { path: 'a.md', oldString: '\n\n\n\n', newString: '\n\n' })).isError).toBe(
    false,
  );
  expect((await call('patch_note', { path: 'a.md', oldString: '\t', newString: '    ' })).isError).toBe(
    false,
  );
  expect(bytesOf(folder, 'a.md').toString()).toBe('a\n\nb    c\n');
});

test('append and prepend keep the bytes of the frontmatter', async () => {
  const head = '---\ntitle:  "x"   # why\ntime: 12:30\nlist: [a,  b]\n---\n';
  const { folder, call } = await served({ 'a.md': `${head}\nbody\n`, 'b.md': `${head}\nbody` });
  await call('write_note', { path: 'a.md', content: 'end', mode: 'append' });
  expect(bytesOf(folder, 'a.md').toString()).toBe(`${head}\nbody\n\nend\n`);
  await call('write_note', { path: 'a.md', content: 'top\n', mode: 'prepend' });
  expect(bytesOf(folder, 'a.md').toString()).toBe(`${head}\ntop\n\nbody\n\nend\n`);
  await call('write_note', { path: 'b.md', content: 'end', mode: 'append', frontmatter: { added: 1 } });
  expect(bytesOf(folder, 'b.md').toString()).toBe(`${head.replace('b]\n', 'b]\nadded: 1\n')}\nbody\n\nend`);
});

test('append and prepend keep a BOM where it is, and the CRLF of the note', async () => {
  const head = '\uFEFF---\r\ntitle: x\r\n---\r\n';
  const { folder, call } = await served({ 'a.md': `${head}body\r\n`, 'b.md': '\uFEFFbody\r\n' });
  for (const path of ['a.md', 'b.md']) {
    await call('write_note', { path, content: 'two\nlines', mode: 'append' });
    await call('write_note', { path, content: 'top', mode: 'prepend' });
  }
  const body = 'top\r\n\r\nbody\r\n\r\ntwo\r\nlines\r\n';
  expect(bytesOf(folder, 'a.md').toString()).toBe(head + body);
  expect(bytesOf(folder, 'b.md').toString()).toBe(`\uFEFF${body}`);
});

test('content given with its own frontmatter is merged by append, not put in the middle', async () => {
  const { folder, call } = await served({ 'a.md': '---\ntags: [a]\n---\nbody\n' });
  await call('write_note', { path: 'a.md', content: '---\ntags: [b]\nnew: 1\n---\nend', mode: 'append' });
  expect(bytesOf(folder, 'a.md').toString()).toBe('---\ntags: [a, b]\nnew: 1\n---\nbody\n\nend\n');
});
