import { expect, test } from 'vitest';
import { pinnedTools } from '../../kit/pinned-tools.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import type { SeedNote } from '../../kit/trilium/seed.ts';
import { clientFor } from '../../trilium/kit.ts';
import { errorOf, stateOf, type WithTrilium, withTrilium, writesOf } from './support.ts';

/** Tools that both read and write, and keep what reads. */
const MIXED = ['get_special_note', 'manage_system'];
const READERS = pinnedTools('trilium')
  .filter(({ name, annotations }) => annotations?.readOnlyHint || MIXED.includes(name))
  .map(({ name }) => name);

test('read-only: the tools that change something are not offered, and say so', async () => {
  const { client, call, state } = await withTrilium([{ id: 'aaaa', title: 'A' }], { readOnly: true });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(READERS);
  const before = await state();
  const refused = errorOf(await call('write_note', { noteId: 'aaaa', mode: 'replace', content: 'x' }));
  expect(refused).toMatchObject({ error: 'write_note is not offered', status: '403 (READ_ONLY)' });
  expect(await state()).toBe(before);
});

test('no-delete: nothing that deletes is offered, and unlinking never takes the last place', async () => {
  const { client, call, fake } = await withTrilium([{ id: 'aaaa', title: 'A' }], { noDelete: true });
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toHaveLength(TOOL_COUNT.triliumWithoutDelete);
  expect(names.filter((name) => name.startsWith('delete_'))).toEqual([]);
  errorOf(await call('delete_note', { noteId: 'aaaa', action: 'delete' }));
  errorOf(await call('organize_note', { action: 'unlink', branchId: 'root_aaaa' }));
  expect(fake.db.note('aaaa')).toBeDefined();
});

test('read-only: of the system one can export and see versions', async () => {
  const { client, call, ok, fake } = await withTrilium([{ id: 'aaaa', title: 'A' }], { readOnly: true });
  const { tools } = await client.listTools();
  const listed = tools.find(({ name }) => name === 'manage_system');
  expect(listed).toMatchObject({
    annotations: { readOnlyHint: true },
    inputSchema: { properties: { action: { enum: ['export', 'app_info'] } } },
  });
  expect(Object.keys(listed?.inputSchema.properties ?? {})).toEqual(['action', 'noteId', 'format']);
  const before = stateOf(fake);
  expect((await ok('manage_system', { action: 'app_info' })).json.appVersion).toBe('0.105.0');
  expect((await ok('manage_system', { action: 'export', noteId: 'aaaa' })).json.sizeBytes).toBeGreaterThan(0);
  for (const args of [
    { action: 'backup', backupName: 'x' },
    { action: 'backup' },
    { action: 'import', noteId: 'aaaa', data: 'UEs=' },
  ]) {
    const refused = errorOf(await call('manage_system', args));
    expect(refused).toMatchObject({ status: '403 (READ_ONLY)' });
    expect(refused.error).toBe(`manage_system, action "${args.action}", is not offered`);
    expect(refused.suggestion).toContain('--read-only');
  }
  errorOf(await call('manage_system', { action: 'export' }));
  errorOf(await call('manage_system', { action: 'reboot' }));
  expect(stateOf(fake)).toBe(before);
  expect(writesOf(fake)).toEqual([]);
});

const PERIODS = [
  ['day', '2026-02-28'],
  ['week', '2026-W09'],
  ['month', '2026-02'],
  ['year', '2026'],
] as const;

test('read-only: journal notes that are there are found, and none is made', async () => {
  const { call, ok, fake } = await withTrilium([], { readOnly: true });
  const before = stateOf(fake);
  for (const [kind, date] of [...PERIODS, ['inbox', '2026-02-28'] as const]) {
    const missing = errorOf(await call('get_special_note', { kind, date }));
    expect(missing).toMatchObject({
      error: `There is no ${kind} note yet: ${date}`,
      status: '404 (NOT_FOUND)',
    });
    expect(missing.suggestion).toContain('--read-only');
  }
  errorOf(await call('get_special_note', { kind: 'day', date: '2026-02-30' }));
  expect(stateOf(fake)).toBe(before);

  const writer = clientFor(fake.url);
  await writer.calendar.day('2026-02-28');
  const root = (await writer.search({ search: '#calendarRoot' })).results[0]!;
  fake.db.addLabel(root.noteId, 'enableWeekNote', '');
  const there = [];
  for (const [kind, date] of PERIODS) there.push({ kind, date, note: await writer.calendar[kind](date) });
  const made = stateOf(fake);
  for (const { kind, date, note } of there) {
    const { json } = await ok('get_special_note', { kind, date });
    expect(json).toMatchObject({ noteId: note.noteId, title: note.title });
  }
  const inbox = await ok('get_special_note', { kind: 'inbox', date: '2026-02-28' });
  expect(inbox.json.noteId).toBe(there[0]?.note.noteId);
  errorOf(await call('get_special_note', { kind: 'day', date: '2026-03-01' }));
  expect(stateOf(fake)).toBe(made);
});

test('read-only: the inbox is the note that is labelled so', async () => {
  const { ok, fake } = await withTrilium([{ id: 'aaaa', title: 'In', labels: { inbox: '' } }], {
    readOnly: true,
  });
  const before = stateOf(fake);
  expect((await ok('get_special_note', { kind: 'inbox' })).json.noteId).toBe('aaaa');
  expect(stateOf(fake)).toBe(before);
});

test('read-only: a note with the label elsewhere is not the journal’s', async () => {
  const elsewhere = { id: 'aaaa', title: 'Other', labels: { dateNote: '2026-02-28' } };
  const { call, ok, fake } = await withTrilium([elsewhere], { readOnly: true });
  await clientFor(fake.url).calendar.day('2026-02-27');
  errorOf(await call('get_special_note', { kind: 'day', date: '2026-02-28' }));
  expect((await ok('get_special_note', { kind: 'day', date: '2026-02-27' })).json.noteId).not.toBe('aaaa');
});

test('read-only: a journal outside of the subtree is out of reach', async () => {
  const notes = [{ id: 'inside', title: 'Inside' }];
  const { call, fake } = await withTrilium(notes, { readOnly: true, subtree: 'inside' });
  await clientFor(fake.url).calendar.day('2026-02-28');
  const before = stateOf(fake);
  for (const [kind, date] of PERIODS) errorOf(await call('get_special_note', { kind, date }));
  expect(stateOf(fake)).toBe(before);
});

test('no-delete: all but deleting goes on', async () => {
  const { call, ok, fake } = await withTrilium(
    [
      { id: 'aaaa', title: 'A', content: '<p>a</p>' },
      { id: 'bbbb', title: 'B' },
    ],
    { noDelete: true },
  );
  await ok('write_note', { noteId: 'aaaa', mode: 'append', content: '<p>b</p>' });
  await ok('set_attribute', { noteId: 'aaaa', type: 'label', name: 'x', value: '1' });
  await ok('organize_note', { action: 'clone', noteId: 'aaaa', parentNoteId: 'bbbb' });
  await ok('organize_note', { action: 'unlink', branchId: 'bbbb_aaaa' });
  errorOf(await call('organize_note', { action: 'unlink', branchId: 'root_aaaa' }));
  await ok('get_special_note', { kind: 'day', date: '2026-02-28' });
  await ok('manage_system', { action: 'backup', backupName: 'x' });
  const attributeId = fake.db.ownAttributes('aaaa')[0]!.attributeId;
  for (const [tool, args] of [
    ['delete_note', { noteId: 'aaaa', action: 'delete' }],
    ['delete_attribute', { attributeId }],
  ] as const)
    expect(errorOf(await call(tool, args)).suggestion).toContain('--no-delete');
  expect(fake.db.note('aaaa')).toBeDefined();
  expect(fake.db.ownAttributes('aaaa')).toHaveLength(1);
});

const SECRET = 'zebrafish';
const NOTES: readonly SeedNote[] = [
  {
    id: 'outside',
    title: `Outside ${SECRET}`,
    content: `<p>${SECRET}</p>`,
    labels: { secret: SECRET },
    children: [
      { id: 'sibling', title: `Sibling ${SECRET}`, content: SECRET },
      {
        id: 'inside',
        title: 'Inside',
        content: '<p>in</p>',
        children: [{ id: 'leaf', title: 'Leaf', content: '<p>leaf</p>', labels: { own: 'x' } }],
      },
    ],
  },
];

async function withSubtree(): Promise<WithTrilium & { readonly ids: Record<string, string> }> {
  const connected = await withTrilium(NOTES, { subtree: 'inside' });
  const { db } = connected.fake;
  db.addLabel('outside', 'handed', SECRET, true);
  const file = { role: 'file', mime: 'text/plain', title: `${SECRET}.txt` };
  const attachment = db.addAttachment({ ownerId: 'sibling', ...file }, SECRET);
  const revisionId = 'outsiderevision';
  const note = db.note('sibling')!;
  db.revisions.set(revisionId, {
    ...{
      revisionId,
      noteId: 'sibling',
      type: 'text',
      mime: 'text/html',
      isProtected: false,
      title: note.title,
    },
    ...{
      description: '',
      source: 'etapi',
      blobId: note.blobId,
      dateLastEdited: db.local(),
      dateCreated: db.local(),
    },
    ...{ utcDateLastEdited: db.utc(), utcDateCreated: db.utc(), utcDateModified: db.utc() },
  });
  const attributeId = db.ownAttributes('outside')[0]!.attributeId;
  return { ...connected, ids: { attachmentId: attachment.attachmentId, revisionId, attributeId } };
}

type Calls = (ids: Record<string, string>) => readonly Record<string, unknown>[];

/** For every tool each way to name something outside. */
const REACHING: Record<string, Calls> = {
  search_notes: () => [
    { query: SECRET },
    { query: 'id:sibling' },
    { query: `title:${SECRET}` },
    { query: SECRET, ancestorNoteId: 'outside' },
    { query: `note.parents.title *=* ${SECRET}` },
    { query: `note.ancestors.title *=* ${SECRET}` },
    { query: `${SECRET} nothing`, fuzzy: 'force', debug: true },
  ],
  get_note_tree: () => [{ noteId: 'outside' }, { noteId: 'root', depth: 3 }],
  get_note: () => [{ noteId: 'sibling' }, { noteId: 'outside', include_content: false }],
  get_note_history: () => [{}, { ancestorNoteId: 'outside' }, { ancestorNoteId: 'root' }],
  create_note: () => [
    { parentNoteId: 'outside', title: 'N', type: 'text', content: '' },
    { parentNoteId: 'inside', title: 'N', type: 'text', content: '', noteId: 'sibling' },
  ],
  write_note: () => [
    { noteId: 'sibling', mode: 'replace', content: '' },
    { noteId: 'sibling', mode: 'append', content: 'x' },
    { noteId: 'sibling', mode: 'metadata', title: 'x' },
    { noteId: 'sibling', mode: 'edit', changes: [{ old_string: '', new_string: 'x' }] },
  ],
  delete_note: () => [
    { noteId: 'sibling', action: 'delete' },
    { noteId: 'sibling', action: 'undelete' },
  ],
  get_revisions: ({ revisionId }) => [
    { noteId: 'sibling' },
    { revisionId },
    { revisionId, include_content: false },
  ],
  get_attributes: ({ attributeId }) => [{ noteId: 'sibling' }, { attributeId }],
  set_attribute: () => [
    { noteId: 'sibling', type: 'label', name: 'x', value: '' },
    { noteId: 'leaf', type: 'relation', name: 'template', value: 'sibling' },
  ],
  delete_attribute: ({ attributeId }) => [{ attributeId }],
  get_attachment: ({ attachmentId }) => [
    { noteId: 'sibling' },
    { attachmentId },
    { attachmentId, include_content: false },
  ],
  create_attachment: () => [
    { ownerId: 'sibling', role: 'file', mime: 'text/plain', title: 't', content: '' },
  ],
  write_attachment: ({ attachmentId }) => [
    { attachmentId, mode: 'replace', content: '' },
    { attachmentId, mode: 'metadata', title: 'x' },
    { attachmentId, mode: 'edit', changes: [{ old_string: SECRET, new_string: 'x' }] },
  ],
  delete_attachment: ({ attachmentId }) => [{ attachmentId }],
  get_special_note: () => ['day', 'week', 'month', 'year', 'inbox'].map((kind) => ({ kind })),
  organize_note: () => [
    { action: 'move', noteId: 'leaf', newParentNoteId: 'outside' },
    { action: 'move', noteId: 'sibling', newParentNoteId: 'inside' },
    { action: 'move', noteId: 'inside', newParentNoteId: 'sibling' },
    { action: 'clone', noteId: 'sibling', parentNoteId: 'inside' },
    { action: 'clone', noteId: 'leaf', parentNoteId: 'sibling' },
    {
      action: 'reorder',
      parentNoteId: 'outside',
      notePositions: [{ branchId: 'outside_sibling', notePosition: 5 }],
    },
    { action: 'unlink', branchId: 'outside_inside' },
    { action: 'unlink', branchId: 'outside_sibling' },
  ],
  create_revision: () => [{ noteId: 'sibling' }],
  manage_system: () => [
    { action: 'backup', backupName: 'x' },
    { action: 'export', noteId: 'outside' },
    { action: 'import', noteId: 'outside', data: Buffer.from('PK\u0003\u0004').toString('base64') },
  ],
};

/** Tools that answer with the notes inside, and so succeed. */
const ANSWERED = ['search_notes', 'get_note_history'];

test('subtree: every tool has its attempts', async () => {
  const { client } = await withTrilium();
  expect(Object.keys(REACHING)).toEqual((await client.listTools()).tools.map(({ name }) => name));
});

test.each(Object.keys(REACHING))('subtree: %s neither reads nor reaches anything outside', async (tool) => {
  const { call, state, ids } = await withSubtree();
  const before = await state();
  for (const args of REACHING[tool]!(ids)) {
    const answer = await call(tool, args);
    const what = `${tool} ${JSON.stringify(args)}: ${answer.text.slice(0, 300)}`;
    if (!ANSWERED.includes(tool)) expect(answer.isError, what).toBe(true);
    const said = JSON.stringify(answer.content).replaceAll(JSON.stringify(args.query ?? '').slice(1, -1), '');
    const terms = Array.isArray(answer.json?.fuzzyTerms) ? JSON.stringify(answer.json) : '';
    if (terms === '') expect(said, what).not.toContain(SECRET);
    else expect(answer.json.results, what).toEqual([]);
    expect(said, what).not.toContain('sibling_');
  }
  expect(await state()).toBe(before);
});

test('subtree: its top stays', async () => {
  const { call, fake } = await withSubtree();
  errorOf(await call('delete_note', { noteId: 'inside', action: 'delete' }));
  expect(fake.db.note('inside')).toBeDefined();
  expect(fake.db.parentBranches('inside').map(({ branchId }) => branchId)).toEqual(['outside_inside']);
});

test('subtree: a note outside cannot be distinguished from a missing one', async () => {
  const { call } = await withSubtree();
  const answers = await Promise.all(
    ['sibling', 'nowhere'].map(async (noteId) =>
      (await call('get_note', { noteId })).text.replaceAll(noteId, 'X'),
    ),
  );
  expect(answers[0]).toBe(answers[1]);
});

test('subtree: inside everything works, and nothing of the outside shows', async () => {
  const { ok, text } = await withSubtree();
  const leaf = await ok('get_note', { noteId: 'leaf' });
  expect(leaf.json).toMatchObject({ parentNoteIds: ['inside'], attributes: [{ name: 'own' }] });
  const top = await ok('get_note', { noteId: 'inside' });
  expect(top.json).toMatchObject({ parentNoteIds: [], parentBranchIds: [], attributes: [] });
  expect((await ok('get_attributes', { noteId: 'leaf' })).text).not.toContain(SECRET);
  expect((await ok('search_notes', { query: 'leaf' })).json.results).toMatchObject([{ noteId: 'leaf' }]);
  const made = await ok('create_note', { parentNoteId: 'inside', title: 'N', type: 'text', content: 'x' });
  const { noteId } = made.json.note;
  await ok('organize_note', { action: 'move', noteId, newParentNoteId: 'leaf' });
  await ok('write_note', { noteId, mode: 'append', content: 'y' });
  expect(await text(noteId)).toBe('xy');
  await ok('delete_note', { noteId, action: 'delete' });
  await ok('delete_note', { noteId, action: 'undelete' });
  expect((await ok('get_note_tree', { noteId: 'inside', depth: 3 })).text).toContain(noteId);
  expect((await ok('manage_system', { action: 'app_info' })).json.appVersion).toBe('0.105.0');
});
