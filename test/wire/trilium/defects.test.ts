/** The defects measured on the server this one stands in for, by their numbers: none of them is here. */
import { expect, test } from 'vitest';
import { errorOf, stateOf, withTrilium, writesOf } from './support.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const TREE = [
  {
    id: 'folder',
    title: 'Folder',
    children: [
      {
        id: 'child',
        title: 'Child',
        content: '<p>text</p>',
        children: [{ id: 'grandchild', title: 'Grandchild' }],
      },
    ],
  },
  { id: 'other', title: 'Other' },
];

test('1: a move to the present parent changes nothing', async () => {
  const { ok, note, state } = await withTrilium(TREE);
  const before = await state();
  const { json } = await ok('organize_note', { action: 'move', noteId: 'child', newParentNoteId: 'folder' });
  expect(json).toMatchObject({ success: true, outcome: 'unchanged', branch: { branchId: 'folder_child' } });
  expect(await state()).toBe(before);
  const renamed = { action: 'move', noteId: 'child', newParentNoteId: 'folder', prefix: 'P' };
  expect((await ok('organize_note', renamed)).json).toMatchObject({
    outcome: 'updated',
    branch: { prefix: 'P' },
  });
  expect(await note('child')).toBeDefined();
});

test.each(['move', 'clone'])(
  '2: no %s makes a loop or touches the root and the hidden part',
  async (action) => {
    const { call, state } = await withTrilium(TREE);
    const before = await state();
    const to = (noteId: string, parent: string) =>
      call('organize_note', { action, noteId, newParentNoteId: parent, parentNoteId: parent });
    for (const [noteId, parent] of [
      ['folder', 'folder'],
      ['folder', 'child'],
      ['folder', 'grandchild'],
      ['root', 'folder'],
      ['folder', '_hidden'],
      ['_hidden', 'folder'],
      ['_options', 'folder'],
    ] as const)
      expect(errorOf(await to(noteId, parent)).status, `${noteId} below ${parent}`).toMatch(/^(409|403)/);
    expect(await state()).toBe(before);
  },
);

test('3: embedded files and images stay, and attachments without a reference come with a warning', async () => {
  const { ok, fake } = await withTrilium(TREE);
  const embed = (filename: string, mime: string) => ({ data: PNG.toString('base64'), mime, filename });
  const { json } = await ok('create_note', {
    parentNoteId: 'root',
    title: 'N',
    type: 'text',
    content: '<p><a href="file:0">report</a></p>',
    files: [embed('r.pdf', 'application/pdf'), embed('s.pdf', 'application/pdf')],
    images: [embed('p.png', 'image/png')],
  });
  await ok('write_note', {
    noteId: 'child',
    mode: 'append',
    content: '',
    files: [embed('r.pdf', 'application/pdf')],
  });
  await fake.settled();
  const schedules = [...fake.db.attachments.values()].map(({ title, scheduledSince }) => [
    title,
    scheduledSince,
  ]);
  expect(schedules).toEqual([
    ['p.png', null],
    ['r.pdf', null],
    ['s.pdf', null],
    ['r.pdf', null],
  ]);
  expect(fake.text(json.note.noteId)).toContain('<a href="#root/');
  const added = await ok('create_attachment', {
    ownerId: 'child',
    role: 'file',
    mime: 'text/plain',
    title: 'x & y',
    content: 'z',
  });
  expect(added.json.warning).toMatch(/erase/);
  await ok('write_note', { noteId: 'child', mode: 'append', content: added.json.reference });
  await fake.settled();
  expect(fake.db.attachments.get(added.json.attachmentId)?.scheduledSince).toBeNull();
});

test('4: an id that is taken is not overwritten', async () => {
  const { call, state } = await withTrilium(TREE);
  const before = await state();
  const args = { parentNoteId: 'root', title: 'New', type: 'text', content: 'new', noteId: 'child' };
  expect(errorOf(await call('create_note', args)).status).toBe('409 (ALREADY_EXISTS)');
  expect(await state()).toBe(before);
});

test('5: setting an attribute leaves the one that is inherited alone', async () => {
  const { ok, note } = await withTrilium([
    { id: 'parent', title: 'P', inherited: { status: 'old' }, children: [{ id: 'heir', title: 'H' }] },
  ]);
  const { json } = await ok('set_attribute', { noteId: 'heir', type: 'label', name: 'status', value: 'new' });
  expect(json).toMatchObject({ noteId: 'heir', value: 'new', outcome: 'created' });
  expect((await note('parent'))?.attributes).toMatchObject([{ name: 'status', value: 'old' }]);
});

test('6: a relation can be pointed elsewhere, and whether it is inherited can change', async () => {
  const { ok, fake } = await withTrilium([
    ...TREE,
    { id: 'rel', title: 'R', relations: { to: 'folder' }, labels: { l: 'v' } },
  ]);
  const [relation, label] = ['relation', 'label'].map((type) =>
    fake.db.ownAttributes('rel').find((one) => one.type === type),
  );
  const set = (args: object) => ok('set_attribute', { noteId: 'rel', ...args });
  expect((await set({ type: 'relation', name: 'to', value: 'other' })).json).toMatchObject({
    value: 'other',
    outcome: 'replaced',
    replacedAttributeId: relation?.attributeId,
  });
  expect((await set({ type: 'label', name: 'l', value: 'v', isInheritable: true })).json).toMatchObject({
    isInheritable: true,
    replacedAttributeId: label?.attributeId,
  });
  expect(fake.db.ownAttributes('rel')).toHaveLength(2);
});

test('7: an SVG attachment is text, by itself and beside its note', async () => {
  const { ok, attach } = await withTrilium(TREE);
  const row = { ownerId: 'child', role: 'image', mime: 'image/svg+xml', title: 'a.svg' };
  const attachmentId = await attach(row, SVG);
  expect((await ok('get_attachment', { attachmentId })).content).toEqual([{ type: 'text', text: SVG }]);
  const { content } = await ok('get_note', { noteId: 'child' });
  expect(content.map(({ type }) => type)).toEqual(['text', 'text']);
  expect(content[1]?.text).toContain(`**a.svg** (image/svg+xml) - ID: \`${attachmentId}\``);
});

test('8: a PDF comes as a blob, byte for byte', async () => {
  const { ok, attach } = await withTrilium(TREE);
  const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x00, 0x80]);
  const row = { ownerId: 'child', role: 'file', mime: 'application/pdf', title: 'a.pdf' };
  const attachmentId = await attach(row, bytes);
  expect((await ok('get_attachment', { attachmentId })).content).toEqual([
    {
      type: 'resource',
      resource: {
        uri: `trilium:///attachments/${attachmentId}`,
        mimeType: 'application/pdf',
        blob: bytes.toString('base64'),
      },
    },
  ]);
});

test('9: an embedded text file is stored decoded', async () => {
  const { ok, attachment } = await withTrilium(TREE);
  const files = [{ data: Buffer.from('a,b\n').toString('base64'), mime: 'text/csv', filename: 'a.csv' }];
  const { json } = await ok('write_note', { noteId: 'child', mode: 'append', content: '<p>see</p>', files });
  expect(String((await attachment(json.attachmentIds[0])).bytes)).toBe('a,b\n');
});

test('10: the name of a file breaks no tag', async () => {
  const { ok, text } = await withTrilium(TREE);
  const one = (filename: string, mime: string) => [{ data: PNG.toString('base64'), mime, filename }];
  await ok('write_note', {
    noteId: 'child',
    mode: 'replace',
    content: '<p>x</p>',
    images: one('a b"c.png', 'image/png'),
    files: one('<b>"&.pdf', 'application/pdf'),
  });
  const html = await text('child');
  expect(html).toContain('/image/a%20b%22c.png">');
  expect(html).toContain('>&lt;b&gt;&quot;&amp;.pdf</a>');
});

test('11: a placeholder that names nothing is refused before anything is written', async () => {
  const { call, fake } = await withTrilium(TREE);
  const before = stateOf(fake);
  const args = { parentNoteId: 'root', title: 'N', type: 'text', content: '<img src="image:3">' };
  expect(errorOf(await call('create_note', args)).error).toContain('image:3');
  const images = [{ data: PNG.toString('base64'), mime: 'image/png', filename: 'p.png' }];
  expect(errorOf(await call('create_note', { ...args, images })).suggestion).toContain('Nothing was written');
  const broken = [{ data: 'not base64!', mime: 'image/png', filename: 'p.png' }];
  errorOf(await call('create_note', { ...args, content: '', images: broken }));
  errorOf(
    await call('write_note', { noteId: 'child', mode: 'replace', content: '<img src="image:1">', images }),
  );
  expect(stateOf(fake)).toBe(before);
  expect(writesOf(fake)).toEqual([]);
});

test('11: a note whose images cannot be uploaded does not stay', async () => {
  const { call, fake } = await withTrilium(TREE);
  fake.faults.fate = ({ path }) =>
    path.startsWith('/etapi/attachments') ? { kind: 'status', status: 503, applies: false } : undefined;
  const images = [{ data: PNG.toString('base64'), mime: 'image/png', filename: 'p.png' }];
  const args = { parentNoteId: 'other', title: 'N', type: 'text', content: 'x', images };
  expect(errorOf(await call('create_note', args)).suggestion).toContain('nothing was kept');
  expect(fake.db.childBranches('other')).toEqual([]);
});

test('12: an edit in which a later change rewrites an earlier one is a success', async () => {
  const { ok, text } = await withTrilium(TREE);
  const changes = [
    { old_string: 'text', new_string: 'draft' },
    { old_string: 'draft', new_string: 'final' },
  ];
  const { json } = await ok('write_note', { noteId: 'child', mode: 'edit', changes });
  expect(json).toMatchObject({ success: true, changed: true });
  expect(await text('child')).toBe('<p>final</p>');
});

test('13: a patch without hunks is refused, and an edit says whether it changed anything', async () => {
  const { call, ok, fake } = await withTrilium(TREE);
  const answer = errorOf(await call('write_note', { noteId: 'child', mode: 'edit', patch: 'garbage' }));
  expect(answer.code).toBe('DIFF_APPLICATION_FAILED');
  const changes = [{ old_string: 'text', new_string: 'text' }];
  const same = await ok('write_note', { noteId: 'child', mode: 'edit', changes });
  expect(same.json).toMatchObject({ success: true, changed: false });
  expect(writesOf(fake)).toEqual([]);
});

test('14: only text notes are converted from and to markdown', async () => {
  const { ok, text } = await withTrilium([
    { id: 'code', title: 'C', type: 'code', mime: 'text/x-python', content: '# comment' },
    { id: 'text', title: 'T', content: '<p>x</p>' },
  ]);
  const read = async (noteId: string) =>
    (await ok('get_note', { noteId, format: 'markdown' })).content[1]?.text;
  expect(await read('code')).toBe('# comment');
  expect(await read('text')).toBe('md(<p>x</p>)');
  const write = (noteId: string) =>
    ok('write_note', { noteId, mode: 'replace', content: '# x', format: 'markdown' });
  await write('code');
  await write('text');
  expect(await text('code')).toBe('# x');
  expect(await text('text')).toBe('<md># x</md>');
  const made = await ok('create_note', {
    parentNoteId: 'root',
    title: 'M',
    type: 'code',
    content: '# y',
    format: 'markdown',
  });
  expect(await text(made.json.note.noteId)).toBe('# y');
});

test('15: image and file notes are not appended to nor edited, and come as what they are', async () => {
  const { call, ok, state } = await withTrilium([
    { id: 'image', title: 'I', type: 'image', mime: 'image/png', content: PNG },
    { id: 'file', title: 'F', type: 'file', mime: 'application/pdf', content: Buffer.from([1, 255]) },
  ]);
  const before = await state();
  for (const noteId of ['image', 'file']) {
    errorOf(await call('write_note', { noteId, mode: 'append', content: 'x' }));
    const changes = [{ old_string: '', new_string: 'x' }];
    errorOf(await call('write_note', { noteId, mode: 'edit', changes }));
  }
  expect(await state()).toBe(before);
  expect((await ok('get_note', { noteId: 'image' })).content[1]).toEqual({
    type: 'image',
    data: PNG.toString('base64'),
    mimeType: 'image/png',
  });
  expect((await ok('get_note', { noteId: 'file' })).content[1]).toMatchObject({
    type: 'resource',
    resource: { mimeType: 'application/pdf', blob: Buffer.from([1, 255]).toString('base64') },
  });
});

test('16: a branchId is explained, and the types are those of Trilium', async () => {
  const { call, ok } = await withTrilium(TREE);
  const note = (args: object) => ({ parentNoteId: 'root', title: 'N', type: 'text', content: '', ...args });
  const { json } = await ok('create_note', note({ branchId: 'abcd1234' }));
  expect(json.info).toContain(json.branch.branchId);
  for (const type of ['spreadsheet', 'llmChat']) await ok('create_note', note({ type }));
  for (const type of ['geoMap', 'shortcut'])
    expect(errorOf(await call('create_note', note({ type }))).suggestion).toContain(
      '  - type: Invalid value. Allowed values: text, ',
    );
});

test('17: what is no id goes into no address', async () => {
  const { call, fake } = await withTrilium(TREE);
  for (const bad of ['../app-info', 'x/../child', '..', 'child?x=1', 'child%2f..', 'a b', 'é']) {
    const calls: [string, object][] = [
      ['get_note', { noteId: bad }],
      ['get_note_tree', { noteId: bad }],
      ['delete_note', { noteId: bad, action: 'delete' }],
      ['write_note', { noteId: bad, mode: 'replace', content: '' }],
      ['get_attachment', { attachmentId: bad }],
      ['get_revisions', { revisionId: bad }],
      ['delete_attribute', { attributeId: bad }],
      ['organize_note', { action: 'unlink', branchId: bad }],
      ['search_notes', { query: 'x', ancestorNoteId: bad }],
      ['set_attribute', { noteId: 'child', type: 'relation', name: 'r', value: bad }],
    ];
    for (const [tool, args] of calls) errorOf(await call(tool, args as Record<string, unknown>));
  }
  expect(fake.requests.filter((request) => !request.endsWith('/notes/child'))).toEqual([]);
});

test('18: deleting what is not there is no success', async () => {
  const { call } = await withTrilium(TREE);
  const gone: [string, Record<string, unknown>, string][] = [
    ['delete_note', { noteId: 'nobody', action: 'delete' }, '404 (NOTE_NOT_FOUND)'],
    ['organize_note', { action: 'unlink', branchId: 'root_nobody' }, '404 (BRANCH_NOT_FOUND)'],
    ['delete_attribute', { attributeId: 'nobody' }, '404 (ATTRIBUTE_NOT_FOUND)'],
    ['delete_attachment', { attachmentId: 'nobody' }, '404 (ATTACHMENT_NOT_FOUND)'],
  ];
  for (const [tool, args, status] of gone) expect(errorOf(await call(tool, args)).status, tool).toBe(status);
});

test('19: order, limit and mistakes in a query are what they say', async () => {
  const titles = ['alpha roadmap 95', 'alpha b', 'alpha a', 'alpha 7'];
  const { call, ok } = await withTrilium(titles.map((title, at) => ({ id: `n00${at}`, title })));
  const found = async (args: object) =>
    (await ok('search_notes', { query: 'alpha', orderBy: 'title', ...args })).json.results.map(
      ({ title }: { title: string }) => title,
    );
  expect(await found({ orderDirection: 'asc' })).toEqual([
    'alpha 7',
    'alpha a',
    'alpha b',
    'alpha roadmap 95',
  ]);
  expect(await found({ orderDirection: 'desc', limit: 1 })).toEqual(['alpha roadmap 95']);
  for (const query of ['note.nonsense = 1', '(#status', '#status ='])
    expect(errorOf(await call('search_notes', { query })).error).toContain('would not understand');
});

test('19: a query that finds everything says so', async () => {
  const { ok, fake } = await withTrilium([{ title: 'A' }, { title: 'B' }]);
  const { json } = await ok('search_notes', { query: "note.noteId != ''" });
  expect(json.note).toContain('nearly every note');
  expect(fake.db.notes.size).toBeGreaterThan(2);
});

test('20: days and weeks that do not exist make no notes', async () => {
  const { call, fake } = await withTrilium(TREE);
  for (const [kind, date] of [
    ['day', '2026-02-30'],
    ['inbox', '2025-02-29'],
    ['week', '2026-W99'],
    ['month', '2026-13'],
    ['year', '26'],
  ])
    expect(errorOf(await call('get_special_note', { kind, date })).suggestion).toContain(
      `  - date: Not a valid `,
    );
  expect(fake.requests).toEqual([]);
});

test('25: a call that is given up ends its requests', async () => {
  const { client, fake } = await withTrilium(TREE);
  fake.faults.latencyMs = () => 3_000;
  const leaving = new AbortController();
  let isAnswered = false;
  const answer = setTimeout(() => {
    isAnswered = true;
  }, 3_000);
  setTimeout(() => leaving.abort(), 50);
  await expect(
    client.callTool({ name: 'get_note', arguments: { noteId: 'child' } }, { signal: leaving.signal }),
  ).rejects.toThrow();
  expect(isAnswered, 'given up before an answer could come').toBe(false);
  clearTimeout(answer);
});

test('25: a read is tried again when the network fails, a change is not', async () => {
  const { ok, call, fake } = await withTrilium(TREE);
  let left = 1;
  fake.faults.fate = () => (left-- > 0 ? { kind: 'reset', applies: false } : undefined);
  await ok('get_note', { noteId: 'child', include_content: false });
  fake.faults.fate = ({ method }) => (method === 'POST' ? { kind: 'reset', applies: true } : undefined);
  const before = writesOf(fake).length;
  errorOf(await call('create_note', { parentNoteId: 'other', title: 'N', type: 'text', content: 'x' }));
  expect(writesOf(fake).length - before).toBe(1);
});

test('26: a note with several places is moved from the one that is named', async () => {
  const { call, ok, fake } = await withTrilium([...TREE, { id: 'third', title: 'Third' }]);
  fake.db.addBranch('child', 'other');
  const move = { action: 'move', noteId: 'child', newParentNoteId: 'third' };
  const refused = errorOf(await call('organize_note', move));
  expect(refused.status).toBe('409 (CONFLICT)');
  expect(refused.suggestion).toContain('oldParentNoteId: folder (Folder), other (Other)');
  const { json } = await ok('organize_note', { ...move, oldParentNoteId: 'other' });
  expect(json).toMatchObject({ outcome: 'moved', removedBranchId: 'other_child' });
  expect(fake.db.parentBranches('child').map(({ branchId }) => branchId)).toEqual([
    'folder_child',
    'third_child',
  ]);
});

test('27: search, tree and history are sized for a reader, and go on', async () => {
  const children = Array.from({ length: 600 }, (_, at) => ({
    id: `n${at}`,
    title: `niagara ${at}`,
    children: [{ title: `below ${at}` }, { title: `also below ${at}` }],
  }));
  const { ok } = await withTrilium([{ id: 'big', title: 'Big', children }]);
  const search = await ok('search_notes', { query: 'niagara' });
  expect(search.json).toMatchObject({ total: 600, nextOffset: 50 });
  expect(search.text.length).toBeLessThan(12_000);
  const wide = await ok('search_notes', { query: 'niagara', limit: 10_000 });
  expect(wide.text.length).toBeLessThan(110_000);
  const all = [...wide.json.results];
  let next = wide.json.nextOffset;
  while (next !== undefined) {
    const { json } = await ok('search_notes', { query: 'niagara', limit: 10_000, offset: next });
    all.push(...json.results);
    next = json.nextOffset;
  }
  expect(new Set(all.map(({ noteId }) => noteId)).size).toBe(600);
  const tree = await ok('get_note_tree', { noteId: 'big' });
  expect(tree.json).toMatchObject({ childCount: 600, nextOffset: 100 });
  expect(tree.text.length).toBeLessThan(16_000);
  const deep = await ok('get_note_tree', { noteId: 'big', depth: 5, limit: 500 });
  expect(deep.json.truncated).toBe(true);
  expect(deep.text.length).toBeLessThan(100_000);
  const history = await ok('get_note_history');
  expect(history.json).toHaveLength(50);
  expect(history.text.length).toBeLessThan(8_000);
  expect(history.content[1]?.text).toContain('offset=50');
  const root = await ok('get_note', { noteId: 'big', include_content: false });
  expect(root.json).toMatchObject({ childCount: 600 });
  expect(root.json.childNoteIds).toHaveLength(100);
});

test('28: the parameters of a mime do not make bytes of a text', async () => {
  const mime = 'application/javascript;env=backend';
  const { ok, text } = await withTrilium([{ id: 'script', title: 'S', type: 'code', mime, content: 'old' }]);
  await ok('write_note', { noteId: 'script', mode: 'replace', content: 'api.log("abcd")' });
  expect(await text('script')).toBe('api.log("abcd")');
  const made = await ok('create_note', {
    parentNoteId: 'root',
    title: 'T',
    type: 'code',
    mime,
    content: 'abcd',
  });
  expect(await text(made.json.note.noteId)).toBe('abcd');
  const row = { ownerId: 'script', role: 'data', mime, title: 'a.js', content: 'abcd' };
  const { attachmentId } = (await ok('create_attachment', row)).json;
  expect((await ok('get_attachment', { attachmentId })).text).toBe('abcd');
});
