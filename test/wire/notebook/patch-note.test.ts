import { expect, test } from 'vitest';
import { withFolder } from '../../kit/server.ts';
import { fileText } from '../../kit/temp.ts';
import { checked, expectError, snapshot } from './support.ts';

const NOTE = '---\nstatus: draft\ntags: [a] # why\n---\n# API\n\none two\nthree\n';

test('one match is replaced and the rest stays byte for byte, frontmatter included', async () => {
  const { call, folder } = await checked(withFolder({ 'projects/api.md': NOTE }));
  const { json } = await call('patch_note', {
    path: 'projects/api.md',
    oldString: 'status: draft',
    newString: 'status: published',
  });
  expect(json).toEqual({
    success: true,
    path: 'projects/api.md',
    message: 'Successfully patched note: projects/api.md (1 occurrence replaced)',
    matchCount: 1,
  });
  expect(await fileText(folder, 'projects/api.md')).toBe(NOTE.replace('draft', 'published'));
});

test('several matches are refused, with their count and lines, and nothing changes', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'x\ny\nx\nx\n' }));
  const answer = await call('patch_note', { path: 'a.md', oldString: 'x', newString: 'z' });
  expectError(answer, /^Found 3 occurrences.*Use replaceAll=true/);
  expect(answer.text).toContain('(lines 1, 3, 4)');
  expect(await fileText(folder, 'a.md')).toBe('x\ny\nx\nx\n');
});

test('replaceAll replaces every match and counts them', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'x\ny\nx\n', 'one.md': 'x' }));
  const { json } = await call('patch_note', {
    path: 'a.md',
    oldString: 'x',
    newString: 'xx',
    replaceAll: true,
  });
  expect(json).toMatchObject({ matchCount: 2 });
  expect(json.message).toBe('Successfully patched note: a.md (2 occurrences replaced)');
  expect(await fileText(folder, 'a.md')).toBe('xx\ny\nxx\n');
  const one = await call('patch_note', { path: 'one.md', oldString: 'x', newString: '', replaceAll: true });
  expect(one.json.matchCount).toBe(1);
  expect(await fileText(folder, 'one.md')).toBe('');
});

test('places that overlap count as several, so that the tool does not guess which was meant', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'aaa' }));
  expectError(
    await call('patch_note', { path: 'a.md', oldString: 'aa', newString: 'b' }),
    /^Found 2 occurrences/,
  );
  await call('patch_note', { path: 'a.md', oldString: 'aa', newString: 'b', replaceAll: true });
  expect(await fileText(folder, 'a.md')).toBe('ba');
});

test.each(['$&', '$1$$', '\\1', '.*+?^$(){}|[]\\', "$`$'", '%s'])(
  '%s is plain text on both sides',
  async (odd) => {
    const { call, folder } = await checked(
      withFolder({ 'a.md': `before ${odd} after`, 'b.md': 'before X after' }),
    );
    await call('patch_note', { path: 'a.md', oldString: odd, newString: 'X' });
    await call('patch_note', { path: 'b.md', oldString: 'X', newString: odd });
    expect(await fileText(folder, 'a.md')).toBe('before X after');
    expect(await fileText(folder, 'b.md')).toBe(`before ${odd} after`);
  },
);

test('a note with CRLF line ends is matched by LF and keeps its own', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'one\r\ntwo\r\nthree\r\n' }));
  await call('patch_note', { path: 'a.md', oldString: 'one\ntwo', newString: 'eins\nzwei\nmehr' });
  expect(await fileText(folder, 'a.md')).toBe('eins\r\nzwei\r\nmehr\r\nthree\r\n');
});

test('only the touched lines of a note with mixed line ends change', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': '\uFEFFa\r\nb\nc\r\nd' }));
  await call('patch_note', { path: 'a.md', oldString: 'c', newString: 'C' });
  expect(await fileText(folder, 'a.md')).toBe('\uFEFFa\r\nb\nC\r\nd');
});

test('an accent written another way is matched when nothing matches to the letter', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'un cafe\u0301 noir' }));
  await call('patch_note', { path: 'a.md', oldString: 'caf\u00e9', newString: 'th\u00e9' });
  expect(await fileText(folder, 'a.md')).toBe('un th\u00e9 noir');
});

test('white space and line breaks must match', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'if (x)  {\n\tgo\n}\n' }));
  const answer = await call('patch_note', { path: 'a.md', oldString: 'if (x) {', newString: 'y' });
  expectError(answer, /^oldString not found/);
  expect(answer.text).toContain('line 1');
  expect(answer.text).toContain('white space');
  await call('patch_note', { path: 'a.md', oldString: '{\n\tgo\n', newString: '{\n' });
  expect(await fileText(folder, 'a.md')).toBe('if (x)  {\n}\n');
});

test('no match names the closest line and its number', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  const near = await call('patch_note', { path: 'a.md', oldString: 'status: drafts', newString: 'x' });
  expectError(near, /^oldString not found/);
  expect(near.text).toContain('line 2: "status: draft"');
  const cased = await call('patch_note', { path: 'a.md', oldString: 'ONE TWO', newString: 'x' });
  expect(cased.text).toContain('line 7: "one two" (it differs in case only)');
  const far = await call('patch_note', { path: 'a.md', oldString: 'qqqqq', newString: 'x' });
  expectError(far, /^oldString not found/);
  expect(await fileText(folder, 'a.md')).toBe(NOTE);
});

test('the same old and new text is refused', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': 'x' }));
  expectError(
    await call('patch_note', { path: 'a.md', oldString: 'x', newString: 'x' }),
    'oldString and newString are the same',
  );
  expect(await fileText(folder, 'a.md')).toBe('x');
});

test('an edit that would break the frontmatter is refused', async () => {
  const { call, folder } = await checked(withFolder({ 'a.md': NOTE }));
  expectError(
    await call('patch_note', { path: 'a.md', oldString: 'status: draft', newString: 'status: [draft' }),
    /^Invalid frontmatter: .+/,
  );
  expect(await fileText(folder, 'a.md')).toBe(NOTE);
});

test('broken frontmatter can be repaired', async () => {
  const { call } = await checked(withFolder({ 'a.md': '---\na: [1\n---\nx' }));
  await call('patch_note', { path: 'a.md', oldString: 'a: [1', newString: 'a: [1]' });
  expect((await call('read_note', { path: 'a.md' })).json).toEqual({ fm: { a: [1] }, content: 'x' });
});

test('a missing, hidden or foreign note is refused and not made', async () => {
  const { call, folder } = await checked(withFolder({ 'bin.md': Uint8Array.of(0xff, 0x00) }));
  const patch = (path: string) => call('patch_note', { path, oldString: 'a', newString: 'b' });
  expectError(await patch('no.md'), 'File not found: no.md');
  expectError(await patch('.git/config'), 'Access denied: .git/config');
  expectError(await patch('../up.md'), 'Path traversal not allowed: ../up.md');
  expectError(await patch('bin.md'), 'Not a UTF-8 text note: bin.md');
  expect(Object.keys(await snapshot(folder))).toEqual(['bin.md']);
});

test('patches of one note at the same time are all kept', async () => {
  const words = Array.from({ length: 12 }, (_, i) => `word${i}.`);
  const { call, folder } = await checked(withFolder({ 'a.md': words.join('\n') }));
  const answers = await Promise.all(
    words.map((word) => call('patch_note', { path: 'a.md', oldString: word, newString: `${word}!` })),
  );
  expect(answers.every(({ isError }) => !isError)).toBe(true);
  expect(await fileText(folder, 'a.md')).toBe(words.map((word) => `${word}!`).join('\n'));
});
