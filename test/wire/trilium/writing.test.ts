import { expect, test } from 'vitest';
import { errorOf, stateOf, WEB, withTrilium, writesOf } from './support.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const DATA = PNG.toString('base64');
const NOTES = [
  {
    id: 'abcd',
    title: 'A',
    content: '<p>text</p>',
    children: [
      { id: 'efgh', title: 'B' },
      { id: 'ijkl', title: 'C' },
    ],
  },
  { id: 'pict', title: 'P', type: 'image', mime: 'image/png', content: PNG },
];

test('create_note: every property arrives, and the answer has the note, its place and its address', async () => {
  const { ok, text } = await withTrilium(NOTES);
  const { json } = await ok('create_note', {
    parentNoteId: 'abcd',
    title: 'N',
    type: 'code',
    mime: 'text/x-python',
    content: 'print(1)',
    notePosition: 15,
    prefix: 'pre',
    isExpanded: true,
    noteId: 'chosen1',
    dateCreated: '2020-02-03 04:05:06.007+0100',
    utcDateCreated: '2020-02-03 03:05:06.007Z',
  });
  expect(json).toMatchObject({
    note: {
      noteId: 'chosen1',
      title: 'N',
      type: 'code',
      mime: 'text/x-python',
      dateCreated: '2020-02-03 04:05:06.007+0100',
      utcDateCreated: '2020-02-03 03:05:06.007Z',
    },
    branch: { branchId: 'abcd_chosen1', prefix: 'pre', notePosition: 15, isExpanded: true },
    url: `${WEB}/#root/abcd/chosen1`,
  });
  expect(await text('chosen1')).toBe('print(1)');
});

test('create_note: files and images from base64 and data URLs, text files as text', async () => {
  const { ok, call, note, bytes, state } = await withTrilium(NOTES);
  const make = async (args: object) => {
    const { json } = await ok('create_note', { parentNoteId: 'root', title: 'N', ...args });
    const { noteId } = json.note;
    return { mime: (await note(noteId))?.mime, bytes: await bytes(noteId) };
  };
  expect(await make({ type: 'image', mime: 'image/png', content: DATA })).toEqual({
    mime: 'image/png',
    bytes: PNG,
  });
  const url = `data:image/gif;base64,${DATA}`;
  expect(await make({ type: 'image', mime: 'image/png', content: url })).toEqual({
    mime: 'image/gif',
    bytes: PNG,
  });
  expect(await make({ type: 'file', mime: 'text/csv', content: 'a,b' })).toEqual({
    mime: 'text/csv',
    bytes: Buffer.from('a,b'),
  });
  const before = await state();
  errorOf(await call('create_note', { parentNoteId: 'root', title: 'N', type: 'image', content: DATA }));
  errorOf(
    await call('create_note', {
      parentNoteId: 'root',
      title: 'N',
      type: 'file',
      mime: 'application/pdf',
      content: 'no base64!',
    }),
  );
  const images = [{ data: DATA, mime: 'image/png', filename: 'p.png' }];
  errorOf(await call('create_note', { parentNoteId: 'root', title: 'N', type: 'code', content: '', images }));
  errorOf(await call('create_note', { parentNoteId: 'nobody', title: 'N', type: 'text', content: '' }));
  expect(await state()).toBe(before);
});

test('create_note: placeholders in HTML and markdown are filled, the others are appended', async () => {
  const { ok, text, attachment } = await withTrilium(NOTES);
  const images = ['a.png', 'b.png'].map((filename) => ({
    data: `data:image/png;base64,${DATA}`,
    mime: 'ignored',
    filename,
  }));
  const { json } = await ok('create_note', {
    parentNoteId: 'root',
    title: 'N',
    type: 'text',
    format: 'markdown',
    content: '![x](image:1)',
    images,
  });
  const [a, b] = json.attachmentIds;
  expect(await text(json.note.noteId)).toBe(
    `<md><img src="api/attachments/${b}/image/b.png"></md><p><img src="api/attachments/${a}/image/a.png"></p>`,
  );
  expect((await attachment(a)).mime).toBe('image/png');
});

test('write_note metadata: title, type and mime, after a revision', async () => {
  const { ok, revisions } = await withTrilium(NOTES);
  const { json } = await ok('write_note', {
    noteId: 'abcd',
    mode: 'metadata',
    title: 'T',
    type: 'code',
    mime: 'text/plain',
  });
  expect(json).toMatchObject({
    noteId: 'abcd',
    title: 'T',
    type: 'code',
    mime: 'text/plain',
    url: `${WEB}/#root/abcd`,
  });
  expect(await revisions('abcd')).toHaveLength(1);
  await ok('write_note', { noteId: 'abcd', mode: 'metadata', title: 'T' });
  expect(await revisions('abcd')).toHaveLength(1);
});

test('write_note replace, append and edit: what was there is in a revision', async () => {
  const { ok, text, note, revisions } = await withTrilium(NOTES);
  const write = async (args: object) => (await ok('write_note', { noteId: 'abcd', ...args })).json;
  const replaced = await write({ mode: 'replace', content: '<p>one</p>' });
  expect(replaced).toEqual({
    success: true,
    noteId: 'abcd',
    mode: 'replace',
    changed: true,
    blobId: (await note('abcd'))?.blobId,
    url: `${WEB}/#root/abcd`,
  });
  await write({ mode: 'append', content: '<p>two</p>' });
  await write({ mode: 'append', content: 'three', format: 'markdown' });
  await write({
    mode: 'edit',
    changes: [
      { old_string: 'one', new_string: '1' },
      { old_string: '', new_string: '<hr>' },
    ],
  });
  const patch = '@@ -1 +1 @@\n-<hr><p>1</p><p>two</p><md>three</md>\n+<p>end</p>\n';
  await write({ mode: 'edit', patch });
  expect(await text('abcd')).toBe('<p>end</p>');
  expect(await revisions('abcd')).toEqual([
    '<p>text</p>',
    // A text that this client only added to a moment ago needs no revision.
    '<p>one</p><p>two</p><md>three</md>',
    '<hr><p>1</p><p>two</p><md>three</md>',
  ]);
});

test('write_note replace: an image note takes new bytes, and the mime of a data URL', async () => {
  const { ok, call, note, bytes } = await withTrilium(NOTES);
  const content = `data:image/gif;base64,${DATA}`;
  await ok('write_note', { noteId: 'pict', mode: 'replace', content });
  expect([(await note('pict'))?.mime, await bytes('pict')]).toEqual(['image/gif', PNG]);
  errorOf(await call('write_note', { noteId: 'pict', mode: 'replace', content: 'words, not bytes' }));
});

test.each(['metadata', 'replace', 'append', 'edit'])(
  'write_note %s: refused when the note is another than the one that was read',
  async (mode) => {
    const { ok, call, note, state, edit } = await withTrilium(NOTES);
    const { blobId } = (await ok('get_note', { noteId: 'abcd', include_content: false })).json;
    await edit('abcd', '<p>other</p>');
    const before = await state();
    const parts: Record<string, object> = {
      metadata: { title: 'x' },
      replace: { content: 'x' },
      append: { content: 'x' },
      edit: { changes: [{ old_string: '', new_string: 'x' }] },
    };
    const args = { noteId: 'abcd', mode, ...parts[mode] };
    const refused = errorOf(await call('write_note', { ...args, expected_blob_id: blobId }));
    expect(refused.status).toBe('409 (CONFLICT)');
    expect(await state()).toBe(before);
    const now = (await note('abcd'))?.blobId;
    await ok('write_note', { ...args, expected_blob_id: now });
  },
);

test.each(['append', 'edit'])(
  'write_note %s: a change of another client in between is not overwritten',
  async (mode) => {
    const { call, fake } = await withTrilium(NOTES);
    let done = false;
    fake.faults.fate = ({ method, path }) => {
      if (!done && method === 'POST' && path.endsWith('/revision')) {
        done = true;
        fake.edit('abcd', '<p>theirs</p>');
      }
      return undefined;
    };
    const part =
      mode === 'append' ? { content: 'x' } : { changes: [{ old_string: 'text', new_string: 'x' }] };
    expect(errorOf(await call('write_note', { noteId: 'abcd', mode, ...part })).status).toBe(
      '409 (CONFLICT)',
    );
    expect(fake.text('abcd')).toBe('<p>theirs</p>');
  },
);

test('write_note: twenty appends at once all arrive', async () => {
  const { ok, text } = await withTrilium(NOTES);
  const words = Array.from({ length: 20 }, (_, at) => `[${at}]`);
  await Promise.all(words.map((content) => ok('write_note', { noteId: 'efgh', mode: 'append', content })));
  for (const word of words) expect(await text('efgh')).toContain(word);
});

test('write_note: embeds of a refused write do not stay', async () => {
  const { call, ok } = await withTrilium(NOTES);
  const images = [{ data: DATA, mime: 'image/png', filename: 'p.png' }];
  const args = { noteId: 'abcd', mode: 'append', content: '', images, expected_blob_id: 'other' };
  errorOf(await call('write_note', args));
  expect((await ok('get_attachment', { noteId: 'abcd' })).json).toEqual([]);
});

test('delete_note: takes a revision, says what it deleted, and brings it back', async () => {
  const { ok, call, note, revisions } = await withTrilium(NOTES);
  const wrong = { noteId: 'abcd', action: 'delete', expected_blob_id: 'other' };
  expect(errorOf(await call('delete_note', wrong)).status).toBe('409 (CONFLICT)');
  expect((await ok('delete_note', { noteId: 'abcd', action: 'delete' })).json).toEqual({
    success: true,
    noteId: 'abcd',
    action: 'delete',
    title: 'A',
    childCount: 2,
    recovery: expect.stringContaining('action "undelete" and noteId abcd'),
  });
  expect(await note('efgh')).toBeUndefined();
  expect((await ok('delete_note', { noteId: 'abcd', action: 'undelete' })).json).toMatchObject({
    success: true,
  });
  expect(await note('efgh')).toBeDefined();
  expect(await revisions('abcd')).toEqual(['<p>text</p>']);
});

test('set_attribute and delete_attribute: every parameter', async () => {
  const { ok, call } = await withTrilium(NOTES);
  const set = async (args: object) =>
    (await ok('set_attribute', { noteId: 'abcd', type: 'label', name: 'l', ...args })).json;
  const first = await set({ value: '1', position: 30, isInheritable: true, attributeId: 'attr1' });
  expect(first).toMatchObject({
    attributeId: 'attr1',
    value: '1',
    position: 30,
    isInheritable: true,
    outcome: 'created',
  });
  expect(await set({ value: '1' })).toMatchObject({ attributeId: 'attr1', outcome: 'unchanged' });
  expect(await set({ value: '2' })).toMatchObject({ attributeId: 'attr1', value: '2', outcome: 'updated' });
  const second = await set({ value: '3', mode: 'add' });
  expect(second).toMatchObject({ outcome: 'created', othersOfThatName: ['attr1'] });
  expect(await set({ type: 'relation', name: 'r', value: 'efgh' })).toMatchObject({
    type: 'relation',
    value: 'efgh',
  });
  const taken = { noteId: 'efgh', type: 'label', name: 'x', value: '', attributeId: 'attr1' };
  expect(errorOf(await call('set_attribute', taken)).status).toBe('409 (ALREADY_EXISTS)');
  expect((await ok('get_attributes', { attributeId: 'attr1' })).json.noteId).toBe('abcd');
  const { json } = await ok('delete_attribute', { attributeId: 'attr1' });
  expect(json).toEqual({
    success: true,
    attributeId: 'attr1',
    noteId: 'abcd',
    type: 'label',
    name: 'l',
    value: '2',
    position: 30,
    isInheritable: true,
  });
});

test('create_attachment and write_attachment: every mode, with revisions and conditions', async () => {
  const { ok, call, attachment, revisions } = await withTrilium(NOTES);
  const made = (
    await ok('create_attachment', {
      ownerId: 'abcd',
      role: 'data',
      mime: 'text/plain',
      title: 't',
      content: 'one',
      position: 20,
    })
  ).json;
  expect(made).toMatchObject({ ownerId: 'abcd', role: 'data', position: 20, contentLength: 3 });
  expect(made.warning).toBeUndefined();
  const { attachmentId } = made;
  const write = async (args: object) => (await ok('write_attachment', { attachmentId, ...args })).json;
  expect(
    await write({ mode: 'metadata', title: 'T', role: 'x', mime: 'text/csv', position: 40 }),
  ).toMatchObject({
    title: 'T',
    role: 'x',
    mime: 'text/csv',
    position: 40,
  });
  const replaced = await write({ mode: 'replace', content: 'two', expected_blob_id: made.blobId });
  expect(replaced).toEqual({
    success: true,
    attachmentId,
    mode: 'replace',
    changed: true,
    blobId: expect.any(String),
  });
  await write({ mode: 'edit', changes: [{ old_string: 'two', new_string: 'three' }] });
  await write({ mode: 'edit', patch: '@@ -1 +1 @@\n-three\n+four\n' });
  expect(String((await attachment(attachmentId)).bytes)).toBe('four');
  expect(await revisions('abcd')).toHaveLength(4);
  for (const part of [
    { mode: 'replace', content: 'x' },
    { mode: 'metadata', title: 'x' },
    { mode: 'edit', patch: 'x' },
  ])
    expect(
      errorOf(await call('write_attachment', { attachmentId, ...part, expected_blob_id: made.blobId }))
        .status,
    ).toBe('409 (CONFLICT)');
  await write({ mode: 'replace', content: `data:image/png;base64,${DATA}` });
  expect((await attachment(attachmentId)).mime).toBe('image/png');
  errorOf(
    await call('write_attachment', {
      attachmentId,
      mode: 'edit',
      changes: [{ old_string: '', new_string: 'x' }],
    }),
  );
  errorOf(await call('delete_attachment', { attachmentId, expected_blob_id: 'other' }));
  expect((await ok('delete_attachment', { attachmentId })).json).toEqual({
    success: true,
    attachmentId,
    ownerId: 'abcd',
    title: 'T',
  });
  expect(await revisions('abcd')).toHaveLength(6);
});

test('organize_note: move, clone, reorder and unlink', async () => {
  const { ok, call, fake } = await withTrilium(NOTES);
  const organize = async (args: object) => (await ok('organize_note', args as Record<string, unknown>)).json;
  const moved = await organize({ action: 'move', noteId: 'efgh', newParentNoteId: 'root', prefix: 'p' });
  expect(moved).toMatchObject({
    success: true,
    action: 'move',
    branch: { branchId: 'root_efgh', prefix: 'p' },
    url: `${WEB}/#root/efgh`,
  });
  const cloned = await organize({ action: 'clone', noteId: 'efgh', parentNoteId: 'abcd' });
  expect(cloned).toMatchObject({
    action: 'clone',
    branch: { branchId: 'abcd_efgh' },
    url: `${WEB}/#root/abcd/efgh`,
  });
  const notePositions = [
    { branchId: 'abcd_efgh', notePosition: 10 },
    { branchId: 'abcd_ijkl', notePosition: 5 },
  ];
  const reordered = await organize({ action: 'reorder', parentNoteId: 'abcd', notePositions });
  expect(reordered.updatedBranches).toMatchObject(notePositions);
  expect(fake.db.childBranches('abcd').map(({ noteId }) => noteId)).toEqual(['ijkl', 'efgh']);
  expect(fake.requests.at(-1)).toBe('POST /etapi/refresh-note-ordering/abcd');
  const before = stateOf(fake);
  errorOf(await call('organize_note', { action: 'reorder', parentNoteId: 'root', notePositions }));
  expect(stateOf(fake)).toBe(before);
  expect(await organize({ action: 'unlink', branchId: 'abcd_efgh' })).toMatchObject({
    success: true,
    action: 'unlink',
    branchId: 'abcd_efgh',
  });
  expect(fake.db.parentBranches('efgh')).toHaveLength(1);
});

test('create_revision and manage_system backup answer in prose', async () => {
  const { ok, call, fake } = await withTrilium(NOTES);
  const revision = await ok('create_revision', { noteId: 'abcd', format: 'markdown', description: 'mine' });
  expect(revision.text).toContain('Revision created for note abcd.');
  expect(revision.text).toContain(`View the note: ${WEB}/#root/abcd`);
  expect([...fake.db.revisions.values()].at(-1)?.description).toBe('mine');
  const backup = await ok('manage_system', { action: 'backup', backupName: 'before-1' });
  expect(backup.text).toContain('Backup created: backup-before-1.db.');
  expect(fake.db.backups).toEqual(['backup-before-1.db']);
  errorOf(await call('create_revision', { noteId: 'nobody' }));
});

test('manage_system: export, import and app_info', async () => {
  const { ok, call, fake } = await withTrilium(NOTES);
  const exported = (await ok('manage_system', { action: 'export', noteId: 'abcd', format: 'markdown' })).json;
  expect(exported).toMatchObject({
    action: 'export',
    noteId: 'abcd',
    format: 'markdown',
    note: expect.any(String),
  });
  const zip = Buffer.from(exported.base64Data, 'base64');
  expect(zip.length).toBe(exported.sizeBytes);
  const imported = (
    await ok('manage_system', { action: 'import', noteId: 'ijkl', data: exported.base64Data })
  ).json;
  expect(imported).toMatchObject({
    action: 'import',
    parentNoteId: 'ijkl',
    branch: { parentNoteId: 'ijkl' },
  });
  expect(imported.url).toBe(`${WEB}/#root/abcd/ijkl/${imported.note.noteId}`);
  const info = (await ok('manage_system', { action: 'app_info' })).json;
  expect(info.appVersion).toBe('0.105.0');
  expect(info.dataDirectory).toBeUndefined();
  fake.requests.length = 0;
  errorOf(await call('manage_system', { action: 'import', noteId: 'ijkl', data: DATA }));
  expect(writesOf(fake)).toEqual([]);
});

test('manage_system: a large export comes as a blob', async () => {
  const { randomBytes } = await import('node:crypto');
  const content = randomBytes(150_000).toString('base64');
  const { ok } = await withTrilium([{ id: 'abcd', title: 'A', content }]);
  const answer = await ok('manage_system', { action: 'export', noteId: 'abcd' });
  expect(answer.json.base64Data).toBeUndefined();
  expect(answer.content[1]).toMatchObject({ type: 'resource', resource: { mimeType: 'application/zip' } });
});
