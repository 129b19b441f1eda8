import { expect, test } from 'vitest';
import { startVault, withVault } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { checked } from '../notebook/support.ts';
import { expectCode, hintOf } from './support.ts';

const lines = (count: number, ending = '\n') =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}${ending}`).join('');

test('a whole file, frontmatter and all', async () => {
  const text = '---\ntitle: x\n---\n# Vault Sync\n\nA Go library';
  const { call } = await checked(withVault({ 'projects/vault-sync.md': text }));
  const { json, content } = await call('vault_read', { path: 'projects/vault-sync.md' });
  expect(json).toEqual({ path: 'projects/vault-sync.md', total_lines: 6, showing: [1, 6], content: text });
  expect(content).toHaveLength(1);
});

test.each([
  ['nothing', '', 0, [0, 0]],
  ['one line', 'a\n', 1, [1, 1]],
  ['one line without an end', 'a', 1, [1, 1]],
  ['an empty line', '\n', 1, [1, 1]],
  ['two lines, the last without an end', 'a\nb', 2, [1, 2]],
  ['an empty line at the end', 'a\n\n', 2, [1, 2]],
  ['CRLF', 'a\r\nb\r\n', 2, [1, 2]],
  ['a byte order mark', '\uFEFFa\n', 1, [1, 1]],
])('lines are counted as an editor does: %s', async (_, content, total_lines, showing) => {
  const { call } = await checked(withVault({ 'a.md': content }));
  const answer = (await call('vault_read', { path: 'a.md' })).json;
  expect(answer).toEqual({ path: 'a.md', total_lines, showing, content });
});

test.each([
  [{ offset: 3 }, [3, 10], 2],
  [{ limit: 2 }, [1, 2], 0],
  [{ offset: 3, limit: 2 }, [3, 4], 2],
  [{ offset: 1, limit: 0 }, [1, 10], 0],
  [{ offset: 10 }, [10, 10], 9],
  [{ offset: 9, limit: 100 }, [9, 10], 8],
  [{ offset: 10, limit: 1 }, [10, 10], 9],
])('%j of ten lines shows %j', async (range, showing, skipped) => {
  const { call } = await checked(withVault({ 'a.md': lines(10, '\r\n') }));
  const { json } = await call('vault_read', { path: 'a.md', ...range });
  const [first = 0, last = 0] = showing;
  expect(json).toEqual({
    path: 'a.md',
    total_lines: 10,
    showing,
    content: lines(10, '\r\n')
      .split(/(?<=\n)/)
      .slice(skipped, skipped + last - first + 1)
      .join(''),
  });
});

test.each([
  [{ offset: 11 }, 'Invalid range: offset 11 is beyond the end; the file has 10 lines'],
  [{ offset: 1_000_000, limit: 5 }, /beyond the end/],
  [{ offset: 0 }, 'Invalid range: offset is 0; lines are counted from 1'],
  [{ offset: -3 }, /^Invalid range: offset is -3/],
  [{ limit: -1 }, 'Invalid range: limit is -1; give a number of lines, or 0 for all that remain'],
  [{ column: 0 }, /^Invalid range: column is 0/],
  [{ offset: 2, column: 99 }, 'Invalid range: column 99 is beyond the end of line 2'],
])('%j is an invalid range', async (range, message) => {
  const { call } = await checked(withVault({ 'a.md': lines(10) }));
  expectCode(await call('vault_read', { path: 'a.md', ...range }), 'INVALID_RANGE', message);
});

test('an empty file has a first line to ask for, and no second', async () => {
  const { call } = await checked(withVault({ 'a.md': '' }));
  expect((await call('vault_read', { path: 'a.md', offset: 1 })).json.showing).toEqual([0, 0]);
  expectCode(
    await call('vault_read', { path: 'a.md', offset: 2 }),
    'INVALID_RANGE',
    'Invalid range: offset 2 is beyond the end; the file has 0 lines',
  );
});

test('beyond 200 lines the first 200 come, and the answer says so', async () => {
  const { call } = await checked(withVault({ 'a.md': lines(200), 'b.md': lines(347) }));
  const whole = (await call('vault_read', { path: 'a.md' })).json;
  expect(whole).toEqual({ path: 'a.md', total_lines: 200, showing: [1, 200], content: lines(200) });
  const { json } = await call('vault_read', { path: 'b.md' });
  expect(json).toEqual({
    path: 'b.md',
    total_lines: 347,
    showing: [1, 200],
    content: lines(200),
    truncated: true,
    note: 'Lines 1 to 200 of 347; call vault_read again with offset=201.',
  });
});

test.each([{ offset: 1 }, { limit: 0 }, { offset: 1, limit: 0 }, { limit: 300 }])(
  'with %j nothing is held back',
  async (range) => {
    const { call } = await checked(withVault({ 'b.md': lines(300) }));
    const { json } = await call('vault_read', { path: 'b.md', ...range });
    expect(json).toEqual({ path: 'b.md', total_lines: 300, showing: [1, 300], content: lines(300) });
  },
);

test('the threshold can be set', async () => {
  const folder = await temporaryFolder({ 'a.md': lines(6) });
  for (const { call } of [
    await startVault(folder, ['--read-threshold', '5']),
    await startVault(folder, [], { env: { READ_THRESHOLD: '5' } }),
  ])
    expect((await call('vault_read', { path: 'a.md' })).json).toMatchObject({
      total_lines: 6,
      showing: [1, 5],
      truncated: true,
    });
  const { call } = await startVault(folder, ['--read-threshold', '6'], { env: { READ_THRESHOLD: '5' } });
  expect((await call('vault_read', { path: 'a.md' })).json.truncated).toBeUndefined();
});

test('no answer holds more than 100,000 characters, and what is cut can be had in pieces', async () => {
  const text = `${'short\n'.repeat(3)}${'😀'.repeat(130_000)}\n${`${'w'.repeat(999)}\n`.repeat(150)}end`;
  const { call } = await checked(withVault({ 'a.md': text }));
  let put = '';
  let range: Record<string, number> = { offset: 1 };
  for (let page = 0; page < 20; page++) {
    const { json } = await call('vault_read', { path: 'a.md', ...range });
    expect(json.content.length).toBeLessThanOrEqual(100_000);
    expect(json.content.isWellFormed()).toBe(true);
    put += json.content;
    if (!json.truncated) break;
    const [, offset, column] = /offset=(\d+)(?: and column=(\d+))?\.$/.exec(json.note) ?? [];
    range = { offset: Number(offset), ...(column && { column: Number(column) }) };
  }
  expect(put).toBe(text);
});

test('a missing file is named, with the one that was probably meant', async () => {
  const { call } = await checked(withVault({ 'projects/plan.md': 'x' }));
  const typo = await call('vault_read', { path: 'projects/plam.md' });
  expectCode(typo, 'FILE_NOT_FOUND', 'File not found: projects/plam.md');
  expect(hintOf(typo)).toBe('Did you mean projects/plan.md?');
  const none = await call('vault_read', { path: 'zzz.md' });
  expectCode(none, 'FILE_NOT_FOUND', 'File not found: zzz.md');
  expect(hintOf(none)).toContain('vault_search');
  const folder = await call('vault_read', { path: 'projects' });
  expectCode(folder, 'INVALID_ARGUMENT', 'Not a file: projects');
  expect(hintOf(folder)).toContain('vault_list');
});

test.each(['data.json', 'table.csv', 'script.ts', 'noext', 'drawing.svg', 'x.canvas', 'log.2026'])(
  '%s comes as it is',
  async (path) => {
    const { call } = await checked(withVault({ [path]: '<a>\t{"b": [1]}\r\n' }));
    const { json } = await call('vault_read', { path });
    expect(json).toEqual({ path, total_lines: 1, showing: [1, 1], content: '<a>\t{"b": [1]}\r\n' });
  },
);

test.each([
  ['a b.png', { type: 'image', mimeType: 'image/png' }],
  ['photo.JPG', { type: 'image', mimeType: 'image/jpeg' }],
  ['sound.mp3', { type: 'audio', mimeType: 'audio/mpeg' }],
])('%s comes as content of its kind', async (path, block) => {
  const bytes = Uint8Array.of(0, 1, 2, 250);
  const { call } = await checked(withVault({ [path]: bytes }));
  const { json, content } = await call('vault_read', { path });
  const note = `Not text: ${block.mimeType}, 4 bytes. The file itself follows.`;
  expect(json).toEqual({ path, total_lines: 0, showing: [0, 0], content: '', note });
  expect(content[1]).toEqual({ ...block, data: Buffer.from(bytes).toString('base64') });
});

test.each([
  ['doc.pdf', Uint8Array.of(1, 2), 'application/pdf'],
  ['sheet.xlsx', Uint8Array.of(1, 2), 'application/octet-stream'],
  ['blob.bin', Uint8Array.of(0x41, 0, 0x42), 'application/octet-stream'],
  ['other.dat', Uint8Array.of(0xff, 0xfe, 0x41), 'application/octet-stream'],
])('%s comes as a blob', async (path, bytes, mimeType) => {
  const { call } = await checked(withVault({ [path]: bytes }));
  const { json, content } = await call('vault_read', { path });
  expect(json).toMatchObject({ total_lines: 0, content: '' });
  const blob = Buffer.from(bytes).toString('base64');
  expect(content[1]).toEqual({ type: 'resource', resource: { uri: `note:///${path}`, mimeType, blob } });
});

test('a file too large to send is refused', async () => {
  const { call } = await checked(withVault({ 'big.png': new Uint8Array(8 * 1024 * 1024 + 1) }));
  const answer = await call('vault_read', { path: 'big.png' });
  expectCode(answer, 'TOO_LARGE', 'File too large: big.png');
  expect(hintOf(answer)).toContain('8 MB');
});

test('a text in another encoding is refused with its likely one', async () => {
  const { call } = await checked(withVault({ 'latin.md': Uint8Array.of(0x63, 0xe9) }));
  const answer = await call('vault_read', { path: 'latin.md' });
  expectCode(answer, 'UNSUPPORTED', 'Not a UTF-8 text note: latin.md');
  expect(hintOf(answer)).toContain('Latin-1');
});
