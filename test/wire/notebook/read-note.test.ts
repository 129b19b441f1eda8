import { expect, test } from 'vitest';
import { withFolder, withMemory } from '../../kit/server.ts';
import { checked, expectError } from './support.ts';

test('frontmatter and content come apart, under fm and content', async () => {
  const { call } = await checked(
    withMemory({ 'a.md': '---\ntitle: My Note\ntags: [example]\n---\n# My Note\n\nContent here...\n' }),
  );
  const { json, content } = await call('read_note', { path: 'a.md' });
  expect(json).toEqual({
    fm: { title: 'My Note', tags: ['example'] },
    content: '# My Note\n\nContent here...\n',
  });
  expect(content).toHaveLength(1);
});

test('the answer is minified unless prettyPrint is true', async () => {
  const { call } = await checked(withMemory({ 'a.md': '---\nn: 1\n---\nx' }));
  expect((await call('read_note', { path: 'a.md' })).text).toBe('{"fm":{"n":1},"content":"x"}');
  expect((await call('read_note', { path: 'a.md', prettyPrint: false })).text).not.toContain('\n');
  const pretty = await call('read_note', { path: 'a.md', prettyPrint: true });
  expect(pretty.text).toBe('{\n  "fm": {\n    "n": 1\n  },\n  "content": "x"\n}');
});

test('a note without frontmatter has an empty fm', async () => {
  const { call } = await checked(
    withMemory({ 'a.md': 'text', 'empty.md': '', 'rule.md': 'x\n\n---\ny: 1\n---\n' }),
  );
  expect((await call('read_note', { path: 'a.md' })).json).toEqual({ fm: {}, content: 'text' });
  expect((await call('read_note', { path: 'empty.md' })).json).toEqual({ fm: {}, content: '' });
  expect((await call('read_note', { path: 'rule.md' })).json.fm).toEqual({});
});

test('leading slashes and space around a path do not matter, and a backslash is a slash', async () => {
  const { call } = await checked(withFolder({ 'sub/a b.md': 'here' }));
  for (const path of [
    'sub/a b.md',
    '/sub/a b.md',
    '///sub/a b.md',
    '  sub/a b.md\n',
    'sub\\a b.md',
    './sub//a b.md',
  ])
    expect((await call('read_note', { path })).json.content, path).toBe('here');
});

test.each([
  '100% #1 & "two" (three).md',
  "it's? yes!.md",
  'Ünïcödé 😀 名.md',
  'e\u0301tude.md',
  '[brackets].md',
])('a note named %s is read', async (path) => {
  const { call } = await checked(withFolder({ [path]: 'found' }));
  expect((await call('read_note', { path })).json.content).toBe('found');
});

test('a composed and a decomposed spelling find the same file', async () => {
  const { call } = await checked(
    withFolder({ 'cafe\u0301.md': 'decomposed', 'na\u00efve/x.md': 'composed' }),
  );
  expect((await call('read_note', { path: 'caf\u00e9.md' })).json.content).toBe('decomposed');
  expect((await call('read_note', { path: 'nai\u0308ve/x.md' })).json.content).toBe('composed');
});

test('dates, numbers and text in frontmatter come as they are written', async () => {
  const { call } = await checked(
    withMemory({
      'a.md': '---\ndate: 2024-01-15\nn: 1.5\nyes: "yes"\nlist: [1, two]\nmap: {k: v}\nnone:\n---\n',
    }),
  );
  expect((await call('read_note', { path: 'a.md' })).json.fm).toEqual({
    date: '2024-01-15',
    n: 1.5,
    yes: 'yes',
    list: [1, 'two'],
    map: { k: 'v' },
    none: null,
  });
});

test('a key named __proto__ stays a plain key', async () => {
  const { call } = await checked(withMemory({ 'a.md': '---\n__proto__: {polluted: true}\nok: 1\n---\nx' }));
  const { text } = await call('read_note', { path: 'a.md' });
  expect(text).toContain('"ok":1');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('frontmatter that is not valid YAML does not hide the note', async () => {
  const raw = '---\ntitle: [open\n---\nbody\n';
  const { call } = await checked(withMemory({ 'a.md': raw }));
  const { json } = await call('read_note', { path: 'a.md' });
  expect(json).toMatchObject({ fm: {}, content: raw });
  expect(json.note).toMatch(/^Invalid frontmatter \(.+\): content is the whole file\.$/);
});

test('byte order mark, line endings and a missing final newline are shown as they are', async () => {
  const { call } = await checked(withFolder({ 'a.md': 'a\r\nb\nc', 'bom.md': '\uFEFFx\n' }));
  expect((await call('read_note', { path: 'a.md' })).json.content).toBe('a\r\nb\nc');
  expect((await call('read_note', { path: 'bom.md' })).json.content).toMatch(/^\uFEFF?x\n$/);
});

test('a long note comes in pages that put together are the note', async () => {
  const body = `${'😀é\n'.repeat(60_000)}end`;
  const { call } = await checked(withMemory({ 'a.md': `---\nt: 1\n---\n${body}` }));
  const first = await call('read_note', { path: 'a.md' });
  expect(first.json).toMatchObject({ fm: { t: 1 }, total: body.length });
  expect(first.json.note).toBe(
    `Cut after character ${first.json.next} of ${body.length}; call read_note again with offset=${first.json.next}.`,
  );
  let text = first.json.content as string;
  let next = first.json.next as number | undefined;
  for (let page = 0; next !== undefined && page < 10; page++) {
    const { json } = await call('read_note', { path: 'a.md', offset: next });
    text += json.content;
    next = json.next;
  }
  expect(text).toBe(body);
});

test('an offset past the end gives an empty page, not an error', async () => {
  const { call } = await checked(withMemory({ 'a.md': 'abc' }));
  expect((await call('read_note', { path: 'a.md', offset: 99 })).json).toEqual({ fm: {}, content: '' });
});

test('a missing note is named, with the one that was probably meant', async () => {
  const { call } = await checked(withMemory({ 'projects/plan.md': 'x', 'deep/down/Idea.md': 'y' }));
  const typo = await call('read_note', { path: 'projects/plam.md' });
  expectError(typo, 'File not found: projects/plam.md');
  expect(typo.text).toContain('Did you mean projects/plan.md?');
  const moved = await call('read_note', { path: 'idea.md' });
  expectError(moved, 'File not found: idea.md');
  expect(moved.text).toContain('Did you mean deep/down/Idea.md?');
  const none = await call('read_note', { path: 'zzz.md' });
  expect(none.text).toContain('list_directory');
});

test('a folder is not a note', async () => {
  const { call } = await checked(withFolder({ 'folder.md/in.md': 'x' }));
  expectError(await call('read_note', { path: 'folder.md' }), 'Not a note: folder.md');
});

test('a file that is not UTF-8 is refused with its likely encoding', async () => {
  const { call } = await checked(
    withFolder({ 'latin.md': Uint8Array.of(0x63, 0xe9), 'wide.md': Uint8Array.of(0xff, 0xfe, 0x61, 0) }),
  );
  const latin = await call('read_note', { path: 'latin.md' });
  expectError(latin, 'Not a UTF-8 text note: latin.md');
  expect(latin.text).toContain('Latin-1');
  expect((await call('read_note', { path: 'wide.md' })).text).toContain('UTF-16');
});

test('images and PDFs are refused by extension unless allowed', async () => {
  const { call } = await checked(withFolder({ 'p.png': Uint8Array.of(1), 'd.pdf': Uint8Array.of(2) }));
  expectError(await call('read_note', { path: 'p.png' }), 'Access denied: p.png');
  expectError(await call('read_note', { path: 'd.pdf' }), 'Access denied: d.pdf');
});

test('allowed images, sounds and PDFs come back as content of their kind', async () => {
  const bytes = Uint8Array.of(0, 1, 2, 250);
  const data = Buffer.from(bytes).toString('base64');
  const { call } = await checked(
    withFolder(
      { 'a b.png': bytes, 's.mp3': bytes, 'd.pdf': bytes },
      { extensions: ['.md', '.png', '.mp3', '.pdf'] },
    ),
  );
  const image = await call('read_note', { path: 'a b.png' });
  expect(image.json).toMatchObject({ fm: {}, content: '' });
  expect(image.content[1]).toEqual({ type: 'image', data, mimeType: 'image/png' });
  expect((await call('read_note', { path: 's.mp3' })).content[1]).toEqual({
    type: 'audio',
    data,
    mimeType: 'audio/mpeg',
  });
  expect((await call('read_note', { path: 'd.pdf' })).content[1]).toEqual({
    type: 'resource',
    resource: { uri: 'note:///d.pdf', mimeType: 'application/pdf', blob: data },
  });
  expectError(await call('read_note', { path: 'no.png' }), 'File not found: no.png');
});
