/** Setting one key changes the lines of that key; every other byte of the note stays. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processorTimeOf } from '../kit/processor-time.ts';
import { bytesOf, served, treeOf } from './served.ts';

const DELICATE = `---
# What others lose: spacing, comments, types.
title:   "A: quoted"     # why it is quoted
time: 12:30
version: 1.10
last: 007
created: 2026-01-02
alpha: yes
list: [a,   b ,c]
tags:
    - one
    - two      # indented by four
folded: >
  folded text
  over two lines

literal: |
  kept
    as it is
'single': 'it''s'
status: draft   # in work
empty:
anchor: &x {k: v}
alias: *x
# the last comment
---

# Title

---
status: draft
---
`;

const DONE = DELICATE.replace('status: draft   #', 'status: done   #');

test('setting a key leaves times, versions, zeros, dates, comments and spacing as they are', async () => {
  const { folder, call } = await served({ 'a.md': DELICATE });
  expect((await call('update_frontmatter', { path: 'a.md', frontmatter: { status: 'done' } })).isError).toBe(
    false,
  );
  expect(bytesOf(folder, 'a.md').toString()).toBe(DONE);
});

test('setting a key in a note with CRLF keeps every CR', async () => {
  const { folder, call } = await served({ 'a.md': DELICATE.replaceAll('\n', '\r\n') });
  await call('update_frontmatter', { path: 'a.md', frontmatter: { status: 'done' } });
  expect(bytesOf(folder, 'a.md').toString()).toBe(DONE.replaceAll('\n', '\r\n'));
  await call('update_frontmatter', { path: 'a.md', frontmatter: { added: 'new' } });
  const text = bytesOf(folder, 'a.md').toString();
  expect(text.match(/(?<!\r)\n/g)).toBeNull();
  expect(text.replace('added: new\r\n', '')).toBe(DONE.replaceAll('\n', '\r\n'));
});

test('setting a key in a note with a BOM keeps the BOM and nothing before it', async () => {
  const { folder, call } = await served({ 'a.md': `\uFEFF${DELICATE}`, 'plain.md': '\uFEFF# No block\n' });
  await call('update_frontmatter', { path: 'a.md', frontmatter: { status: 'done' } });
  await call('update_frontmatter', { path: 'plain.md', frontmatter: { status: 'done' } });
  expect(bytesOf(folder, 'a.md')).toEqual(Buffer.from(`\uFEFF${DONE}`));
  const plain = bytesOf(folder, 'plain.md').toString();
  expect(plain).toMatch(/^\uFEFF---\nstatus: done\n---\n+# No block\n$/);
  expect((await call('read_note', { path: 'plain.md' })).json.fm).toEqual({ status: 'done' });
});

test('a new key is one new line and nothing else', async () => {
  const { folder, call } = await served({ 'a.md': DELICATE });
  await call('update_frontmatter', { path: 'a.md', frontmatter: { reviewed: '2026-02-03' } });
  const lines = bytesOf(folder, 'a.md').toString().split('\n');
  const added = lines.filter((line) => line.startsWith('reviewed:'));
  expect(added).toHaveLength(1);
  expect(lines.filter((line) => line !== added[0]).join('\n')).toBe(DELICATE);
});

test('a key set to the value it has changes no byte', async () => {
  const { folder, call } = await served({ 'a.md': DELICATE });
  const frontmatter = { status: 'draft', list: ['a', 'b', 'c'] };
  expect((await call('update_frontmatter', { path: 'a.md', frontmatter })).isError).toBe(false);
  expect(bytesOf(folder, 'a.md').toString()).toBe(DELICATE);
});

test.each([
  ['an unclosed quote', '---\ntitle: "open\nstatus: draft\n---\nbody\n'],
  ['an unclosed list', '---\nlist: [a, b\nstatus: draft\n---\nbody\n'],
  ['a tab for indentation', '---\na:\n\tb: 1\nstatus: draft\n---\nbody\n'],
  ['a bad indentation', '---\na: 1\n  b: 2\nstatus: draft\n---\nbody\n'],
])('frontmatter with %s is refused and the note keeps every byte', async (_, text) => {
  const { folder, call } = await served({ 'a.md': text });
  for (const [tool, args] of [
    ['update_frontmatter', { frontmatter: { status: 'done' } }],
    ['manage_tags', { operation: 'add', tags: ['x'] }],
    ['write_note', { content: 'more', mode: 'append', frontmatter: { status: 'done' } }],
  ] as const) {
    const answer = await call(tool, { path: 'a.md', ...args });
    expect(answer.text).toMatch(/^Error: Invalid frontmatter: /);
    expect(bytesOf(folder, 'a.md').toString()).toBe(text);
  }
});

test.each([
  ['alone', '---\n\n# Title\n\nText.\n'],
  ['and holds another one', '---\n\nText above.\n\n---\n\nText below.\n'],
  ['with words between two', '---\nJust a sentence, no keys\n---\nText.\n'],
  ['of four dashes', '----\nstatus: draft\n----\nText.\n'],
  ['with blanks before', '   ---\nstatus: draft\n---\nText.\n'],
])('a note that opens with a --- rule %s loses none of its text', async (_, text) => {
  const { folder, call } = await served({ 'a.md': text });
  const answer = await call('update_frontmatter', { path: 'a.md', frontmatter: { status: 'done' } });
  const after = bytesOf(folder, 'a.md').toString();
  if (answer.isError) expect(after).toBe(text);
  else {
    expect(after.endsWith(text)).toBe(true);
    expect(after.slice(0, -text.length)).toMatch(/^---\nstatus: done\n---\n\n?$/);
    expect((await call('read_note', { path: 'a.md' })).json.fm).toEqual({ status: 'done' });
  }
});

test('a language word after --- is no frontmatter and never runs', async () => {
  const marker = `ran-${process.pid}.txt`;
  const code = `require('node:fs').writeFileSync('${marker}', 'x')`;
  const js = `---js\n{ title: ${code}, get status() { ${code}; return 1; } }\n---\nbody\n`;
  const { folder, call } = await served({
    'js.md': js,
    'javascript.md': js.replace('---js', '---javascript'),
    'coffee.md': '---coffee\ntitle: process.exit(1)\n---\nbody\n',
    'tag.md': `---\nf: !!js/function 'function () { ${code} }'\n---\nbody\n`,
  });
  const before = treeOf(folder);
  for (const path of Object.keys(before)) {
    await call('read_note', { path });
    await call('get_frontmatter', { path });
    await call('read_multiple_notes', { paths: [path] });
    await call('get_notes_info', { paths: [path] });
    await call('manage_tags', { path, operation: 'list' });
  }
  await call('search_notes', { query: 'body' });
  expect(treeOf(folder)).toEqual(before);
  expect((await call('read_note', { path: 'js.md' })).json).toEqual({ fm: {}, content: js });
  await call('update_frontmatter', { path: 'js.md', frontmatter: { status: 'done' } });
  expect(bytesOf(folder, 'js.md').toString().endsWith(js)).toBe(true);
  await call('write_note', { path: 'new.md', content: js, mode: 'append' });
  expect(bytesOf(folder, 'new.md').toString()).toBe(js);
  for (const at of [folder, process.cwd()]) expect(existsSync(join(at, marker))).toBe(false);
});

test('a bomb of YAML aliases is answered within two seconds and the note keeps every byte', async () => {
  let bomb = '---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n';
  for (let n = 1; n <= 12; n++)
    bomb += `a${n}: &a${n} [${Array(9)
      .fill(`*a${n - 1}`)
      .join(', ')}]\n`;
  bomb += 'status: draft\n---\nneedle in the body\n';
  const { folder, call, pid } = await served({ 'bomb.md': bomb, 'other.md': 'needle\n' });
  for (const [tool, args] of [
    ['read_note', { path: 'bomb.md' }],
    ['get_frontmatter', { path: 'bomb.md' }],
    ['read_multiple_notes', { paths: ['bomb.md', 'other.md'] }],
    ['manage_tags', { path: 'bomb.md', operation: 'list' }],
    ['search_notes', { query: 'needle' }],
    ['get_notes_info', { paths: ['bomb.md'] }],
  ] as const) {
    const used = processorTimeOf(pid);
    const answer = await call(tool, args);
    expect(used()).toBeLessThan(2_000);
    expect(answer.text.length).toBeLessThan(500_000);
  }
  expect(bytesOf(folder, 'bomb.md').toString()).toBe(bomb);
  const used = processorTimeOf(pid);
  await call('update_frontmatter', { path: 'bomb.md', frontmatter: { status: 'done' } });
  expect(used()).toBeLessThan(2_000);
  expect([bomb, bomb.replace('draft', 'done')]).toContain(bytesOf(folder, 'bomb.md').toString());
});
