/** Scripts and handlers do not get in, on whatever way; and what was harmless stays as it was written. */
import { expect, test } from 'vitest';
import { errorOf, REAL, type WithTrilium, withTrilium } from './support.ts';

const ODD = "<p class='x'>old</p><font color=red>mine</font>";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><rect/></svg>';
const CLEAN_SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>';
const NOTES = [
  { id: 'text1', title: 'T', content: ODD },
  { id: 'code1', title: 'C', type: 'code', mime: 'text/html', content: '<script>mine()</script>' },
  { id: 'page1', title: 'P', type: 'file', mime: 'text/html', content: '<p>page</p>' },
  { id: 'data1', title: 'D', type: 'file', mime: 'text/plain', content: '<script>alert(1)</script>' },
  { id: 'draw1', title: 'S', type: 'image', mime: 'image/svg+xml', content: CLEAN_SVG },
];
const ATTACK = '<script>alert(1)</script><img src="x" onerror="alert(1)"><a href="javascript:alert(1)">z</a>';

const served = (): Promise<WithTrilium> => withTrilium(NOTES, { conversion: REAL });
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each<[string, Record<string, unknown>]>([
  ['create_note', { parentNoteId: 'root', title: 'N', type: 'text', content: ATTACK }],
  ['create_note', { parentNoteId: 'root', title: 'N', type: 'text', content: ATTACK, format: 'markdown' }],
  ['create_note', { parentNoteId: 'root', title: 'N', type: 'file', mime: 'text/html', content: ATTACK }],
  ['write_note', { noteId: 'text1', mode: 'replace', content: ATTACK }],
  [
    'write_note',
    { noteId: 'text1', mode: 'replace', content: `[x](javascript:alert(1)) ${ATTACK}`, format: 'markdown' },
  ],
  ['write_note', { noteId: 'text1', mode: 'append', content: ATTACK }],
  ['write_note', { noteId: 'text1', mode: 'edit', changes: [{ old_string: 'old', new_string: ATTACK }] }],
  [
    'write_note',
    {
      noteId: 'text1',
      mode: 'edit',
      patch: `@@ -1 +1 @@\n-${ODD}\n\\ No newline at end of file\n+${ATTACK}\n\\ No newline at end of file\n`,
    },
  ],
  ['write_note', { noteId: 'page1', mode: 'replace', content: ATTACK }],
  ['write_note', { noteId: 'page1', mode: 'append', content: ATTACK }],
  ['write_note', { noteId: 'page1', mode: 'edit', changes: [{ old_string: 'page', new_string: ATTACK }] }],
])('%s %j', async (tool, args) => {
  const { ok, text } = await served();
  const { json } = await ok(tool, args);
  const stored = await text(json.noteId ?? json.note.noteId);
  expect(stored).not.toMatch(/<script|onerror|href="javascript/);
  expect(stored).toContain('z');
});

test('an edit cannot put a script together from halves that are harmless', async () => {
  const { ok, text, edit } = await served();
  await edit('text1', "<p class='x'>a <scr</p>");
  const { json } = await ok('write_note', {
    noteId: 'text1',
    mode: 'edit',
    changes: [{ old_string: '<scr', new_string: '<script>alert(1)</script>' }],
  });
  expect(json.info).toMatch(/left out/);
  expect(await text('text1')).toBe('<p class="x">a </p>');
});

test('an edit elsewhere leaves harmless HTML as it was written', async () => {
  const { ok, text } = await served();
  const changes = [{ old_string: 'old', new_string: 'new' }];
  const { json } = await ok('write_note', { noteId: 'text1', mode: 'edit', changes });
  expect(await text('text1')).toBe(ODD.replace('old', 'new'));
  expect(json.info).toBeUndefined();
  await ok('write_note', { noteId: 'text1', mode: 'append', content: '<p>more</p>' });
  expect(await text('text1')).toBe(`${ODD.replace('old', 'new')}<p>more</p>`);
});

test('code is text, whatever it says', async () => {
  const { ok, text } = await served();
  await ok('write_note', { noteId: 'code1', mode: 'append', content: ATTACK });
  expect(await text('code1')).toBe(`<script>mine()</script>${ATTACK}`);
});

test.each<[Record<string, unknown>]>([
  [{ noteId: 'code1', type: 'text' }],
  [{ noteId: 'data1', mime: 'text/html' }],
  [{ noteId: 'data1', type: 'image', mime: 'image/svg+xml' }],
])('write_note metadata %j: text does not begin to act', async (args) => {
  const { call, ok, text } = await served();
  const before = await text(String(args.noteId));
  const refused = errorOf(await call('write_note', { mode: 'metadata', ...args }));
  expect(refused.suggestion).toContain('Nothing was changed');
  expect(await text(String(args.noteId))).toBe(before);
  await ok('write_note', { mode: 'metadata', noteId: args.noteId, title: 'Other' });
});

test('SVG and HTML files: as images, files, notes and attachments', async () => {
  const { ok, call, text, attachment } = await served();
  const { json } = await ok('create_note', {
    parentNoteId: 'root',
    title: 'N',
    type: 'text',
    content: '<p>x</p>',
    images: [{ data: base64(SVG), mime: 'image/svg+xml', filename: 's.svg' }],
    files: [{ data: `data:text/html;base64,${base64(ATTACK)}`, mime: 'x/y', filename: 'p.html' }],
  });
  const stored = async (id: string) => String((await attachment(id)).bytes);
  expect(await stored(json.attachmentIds[0])).toBe(CLEAN_SVG);
  expect(await stored(json.attachmentIds[1])).not.toContain('<script');

  const facts = { ownerId: 'text1', role: 'image', mime: 'image/svg+xml', title: 's.svg' };
  const made = (await ok('create_attachment', { ...facts, content: SVG })).json;
  expect(made.info).toMatch(/left out/);
  const { attachmentId } = made;
  expect(await stored(attachmentId)).toBe(CLEAN_SVG);
  await ok('write_attachment', { attachmentId, mode: 'replace', content: SVG });
  expect(await stored(attachmentId)).toBe(CLEAN_SVG);
  const changes = [{ old_string: '<rect/>', new_string: '<rect onclick="alert(1)"/>' }];
  await ok('write_attachment', { attachmentId, mode: 'edit', changes });
  expect(await stored(attachmentId)).toBe(CLEAN_SVG);
  errorOf(await call('create_attachment', { ...facts, content: '<svg><!ENTITY>' }));

  const plain = { ...facts, mime: 'text/plain', content: SVG };
  const plainText = (await ok('create_attachment', plain)).json;
  expect(await stored(plainText.attachmentId)).toBe(SVG);
  const renamed = { attachmentId: plainText.attachmentId, mode: 'metadata', mime: 'image/svg+xml' };
  errorOf(await call('write_attachment', renamed));
  expect((await attachment(plainText.attachmentId)).mime).toBe('text/plain');

  await ok('write_note', { noteId: 'draw1', mode: 'replace', content: SVG });
  expect(await text('draw1')).toBe(CLEAN_SVG);
  const image = { parentNoteId: 'root', title: 'I', type: 'image', mime: 'image/svg+xml', content: SVG };
  expect(await text((await ok('create_note', image)).json.note.noteId)).toBe(CLEAN_SVG);
});

test('an SVG is read as text, never as a picture that could run', async () => {
  const { ok, edit, attach } = await served();
  await edit('draw1', SVG);
  const { content } = await ok('get_note', { noteId: 'draw1' });
  expect(content.map(({ type }) => type)).toEqual(['text', 'text']);
  const attachmentId = await attach(
    { ownerId: 'text1', role: 'image', mime: 'image/svg+xml', title: 's.svg' },
    SVG,
  );
  const read = await ok('get_attachment', { attachmentId });
  expect(read.content).toEqual([{ type: 'text', text: SVG }]);
  const note = await ok('get_note', { noteId: 'text1' });
  expect(note.content.map(({ type }) => type)).toEqual(['text', 'text']);
});

test('a page that is no text is a blob that no client opens by mistake', async () => {
  const { ok, attach } = await served();
  const bytes = Buffer.from('\ufeff<svg onload="alert(1)"/>', 'utf16le');
  const mime = 'application/xhtml+xml';
  const attachmentId = await attach({ ownerId: 'text1', role: 'file', mime, title: 'f' }, bytes);
  const { content } = await ok('get_attachment', { attachmentId });
  expect(content).toMatchObject([
    {
      type: 'resource',
      resource: { mimeType: 'application/octet-stream', blob: bytes.toString('base64') },
    },
  ]);
});

test('of an SVG in UTF-16 Trilium makes a text, which is read as one', async () => {
  const { ok, attach } = await served();
  const bytes = Buffer.from('\ufeff<svg onload="alert(1)"/>', 'utf16le');
  for (const mime of ['image/svg+xml', 'text/html']) {
    const attachmentId = await attach({ ownerId: 'text1', role: 'file', mime, title: 'f' }, bytes);
    const { content } = await ok('get_attachment', { attachmentId });
    expect(content).toEqual([{ type: 'text', text: bytes.toString() }]);
  }
});
