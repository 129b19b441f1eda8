/** Files that are no UTF-8 text: every byte stays, or nothing is written. */
import { expect, test } from 'vitest';
import { REAL, withTrilium } from './support.ts';

const LATIN = Buffer.from('gr\xfc\xdfe;1\n', 'latin1');
const WIDE = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('größe\n', 'utf16le')]);
const MARKED = Buffer.from('\ufeffa;b\n');
const KINDS = [
  ['Latin-1', LATIN],
  ['UTF-16', WIDE],
  ['UTF-8 with a byte order mark', MARKED],
] as const;
const ANY = 'application/octet-stream';
const url = (mime: string, bytes: Uint8Array) =>
  `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`;
const served = () =>
  withTrilium(
    [
      { id: 'text1', title: 'T', content: '<p>t</p>' },
      { id: 'file1', title: 'f.txt', type: 'file', mime: 'text/plain', content: 'before' },
      { id: 'code1', title: 'c', type: 'code', mime: 'text/x-python', content: 'before' },
      { id: 'draw1', title: 'd.svg', type: 'image', mime: 'image/svg+xml', content: '<svg/>' },
    ],
    { conversion: REAL },
  );

test.each(KINDS)('an attachment in %s keeps every byte', async (_, bytes) => {
  const { ok, attachment } = await served();
  const { json } = await ok('create_attachment', {
    ownerId: 'text1',
    role: 'file',
    mime: 'text/csv',
    title: 'a.csv',
    content: url('text/csv', bytes),
  });
  expect(json).toMatchObject({ mime: ANY, info: expect.stringContaining('byte for byte') });
  const { bytes: stored, mime } = await attachment(json.attachmentId);
  expect([stored.toString('hex'), mime]).toEqual([bytes.toString('hex'), ANY]);
});

test.each(KINDS)('an attachment replaced by %s keeps every byte', async (_, bytes) => {
  const { ok, attach, attachment } = await served();
  const attachmentId = await attach(
    { ownerId: 'text1', role: 'file', mime: 'text/plain', title: 'a.txt' },
    'before',
  );
  const { json } = await ok('write_attachment', {
    attachmentId,
    mode: 'replace',
    content: url('text/plain', bytes),
  });
  expect(json).toMatchObject({ success: true, info: expect.stringContaining(ANY) });
  expect((await attachment(attachmentId)).bytes.toString('hex')).toBe(bytes.toString('hex'));
});

test('an attachment of text becomes a picture, byte for byte', async () => {
  const { ok, attach, attachment } = await served();
  const attachmentId = await attach(
    { ownerId: 'text1', role: 'x', mime: 'text/plain', title: 'a' },
    'before',
  );
  const png = Buffer.of(0x89, 0x50, 0xff, 0xfe, 0);
  const { json } = await ok('write_attachment', {
    attachmentId,
    mode: 'replace',
    content: url('image/png', png),
  });
  expect(json.info).toBeUndefined();
  const { bytes, mime } = await attachment(attachmentId);
  expect([bytes.toString('hex'), mime]).toEqual([png.toString('hex'), 'image/png']);
});

test.each(KINDS)(
  'embedded files in %s keep every byte, in a new note and in one that is there',
  async (_, bytes) => {
    const { ok, attachment } = await served();
    const files = [
      { data: bytes.toString('base64'), mime: 'text/plain', filename: 'odd.txt' },
      { data: Buffer.from('grün').toString('base64'), mime: 'text/plain', filename: 'plain.txt' },
    ];
    for (const { json } of [
      await ok('create_note', { parentNoteId: 'root', title: 'N', type: 'text', content: '<p>n</p>', files }),
      await ok('write_note', { noteId: 'text1', mode: 'append', content: '<p>m</p>', files }),
    ]) {
      expect(json.info).toContain('odd.txt');
      expect(json.info).not.toContain('plain.txt');
      const [odd, plain] = await Promise.all(json.attachmentIds.map((id: string) => attachment(id)));
      expect([odd.bytes.toString('hex'), odd.mime]).toEqual([bytes.toString('hex'), ANY]);
      expect([plain.bytes.toString(), plain.mime]).toEqual(['grün', 'text/plain']);
    }
  },
);

test.each(KINDS)('file notes in %s keep every byte', async (_, bytes) => {
  const { ok, bytes: held, note } = await served();
  const made = await ok('create_note', {
    parentNoteId: 'root',
    title: 'x.txt',
    type: 'file',
    mime: 'text/plain',
    content: url('text/plain', bytes),
  });
  const { noteId } = made.json.note;
  expect(made.json.info).toContain(ANY);
  expect((await held(noteId)).toString('hex')).toBe(bytes.toString('hex'));
  const replaced = await ok('write_note', {
    noteId: 'file1',
    mode: 'replace',
    content: url('text/plain', bytes),
  });
  expect(replaced.json.info).toContain(ANY);
  expect((await held('file1')).toString('hex')).toBe(bytes.toString('hex'));
  expect((await note('file1'))?.mime).toBe(ANY);
});

test('what cannot be kept is refused before anything is written', async () => {
  const { call, attach, state } = await served();
  const attachmentId = await attach({ ownerId: 'text1', role: 'x', mime: ANY, title: 'a' }, LATIN);
  const before = await state();
  const drawing = { ownerId: 'text1', role: 'image', mime: 'image/svg+xml', title: 'd.svg' };
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><text>ü</text></svg>', 'utf16le');
  const marked = Buffer.from('\ufeff<svg xmlns="http://www.w3.org/2000/svg"/>');
  for (const [tool, args] of [
    ['create_attachment', { ...drawing, content: url('image/svg+xml', svg) }],
    ['create_attachment', { ...drawing, content: url('image/svg+xml', marked) }],
    ['write_note', { noteId: 'draw1', mode: 'replace', content: url('image/svg+xml', svg) }],
    ['write_note', { noteId: 'code1', mode: 'replace', content: '\ufeffprint()' }],
    ['write_note', { noteId: 'code1', mode: 'append', content: 'half \ud800' }],
    ['create_note', { parentNoteId: 'root', title: 'N', type: 'code', content: '\ufeffx' }],
    [
      'create_note',
      {
        parentNoteId: 'root',
        title: 'N',
        type: 'text',
        content: 'x',
        images: [{ data: svg.toString('base64'), mime: 'image/svg+xml', filename: 'u16.svg' }],
      },
    ],
    ['write_attachment', { attachmentId, mode: 'metadata', mime: 'text/plain' }],
  ] as const) {
    const { isError, text } = await call(tool, args);
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/Nothing was (?:written|changed)|unpaired surrogate/),
    ]);
  }
  expect(await state()).toBe(before);
});

test('a Trilium that keeps something else than was sent is found out, and nothing stays', async () => {
  const { fake, call, state } = await served();
  const before = await state();
  fake.faults.after = ({ method, path }) => {
    if (method !== 'PUT') return;
    for (const row of fake.db.attachments.values())
      if (path.includes(row.attachmentId)) row.blobId = fake.db.store('mangled');
  };
  const { isError, text } = await call('create_attachment', {
    ownerId: 'text1',
    role: 'x',
    mime: ANY,
    title: 'a.bin',
    content: LATIN.toString('base64'),
  });
  expect([isError, text]).toEqual([true, expect.stringContaining('something else than was sent')]);
  expect([...fake.db.attachments.values()].every(({ deleteId }) => deleteId !== undefined)).toBe(true);
  expect(JSON.parse(before).notes ?? before).toEqual(JSON.parse(await state()).notes ?? before);
});

test('plain UTF-8 stays under its own type, without another request', async () => {
  const { ok, asked, attachment } = await served();
  const from = asked().length;
  const { json } = await ok('create_attachment', {
    ownerId: 'text1',
    role: 'x',
    mime: 'text/plain',
    title: 'a',
    content: 'grün',
  });
  expect(asked().length - from).toBeLessThanOrEqual(2);
  expect(json.info).toBeUndefined();
  expect((await attachment(json.attachmentId)).bytes.toString()).toBe('grün');
});
