import { expect, test } from 'vitest';
import { withTrilium } from './support.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const NOTES = [
  {
    id: 'abcd',
    title: 'Alpha plan',
    content: '<p>0123456789</p>',
    labels: { status: 'open', archived: '' },
    inherited: { area: 'work' },
    relations: { next: 'efgh' },
    children: [
      {
        id: 'efgh',
        title: 'Beta plan',
        labels: { status: 'done' },
        children: [{ id: 'ijkl', title: 'Gamma plan' }],
      },
      { id: 'mnop', title: 'Delta', type: 'code', mime: 'text/x-python', content: 'print(1)' },
    ],
  },
];

const ids = (rows: { noteId: string }[]) => rows.map(({ noteId }) => noteId).sort();

test('search_notes: slim rows, by words, labels, id, title and either', async () => {
  const { ok } = await withTrilium(NOTES);
  const find = async (args: object) => (await ok('search_notes', args as Record<string, unknown>)).json;
  const { results, ...rest } = await find({ query: 'beta' });
  // "Delta" is two letters away: Trilium tolerates that, and the better hit comes first.
  expect(rest).toEqual({ total: 2 });
  expect(results).toMatchObject([{ noteId: 'efgh' }, { noteId: 'mnop' }]);
  expect(results.slice(0, 1)).toEqual([
    {
      noteId: 'efgh',
      title: 'Beta plan',
      type: 'text',
      dateModified: expect.any(String),
      parentNoteIds: ['abcd'],
      childCount: 1,
      attributes: [{ type: 'label', name: 'status', value: 'done' }],
    },
  ]);
  expect(ids((await find({ query: '#status = done' })).results)).toEqual(['efgh']);
  expect((await find({ query: 'id:ijkl' })).results).toMatchObject([{ noteId: 'ijkl' }]);
  expect(ids((await find({ query: 'title:gamma plan' })).results)).toEqual(['ijkl']);
  expect(ids((await find({ query: 'gamma or delta' })).results)).toEqual(['ijkl', 'mnop']);
});

test('search_notes: every parameter does what it says', async () => {
  const { ok } = await withTrilium(NOTES);
  const find = async (args: object) => (await ok('search_notes', { query: 'plan', ...args })).json;
  expect(ids((await find({})).results)).toEqual(['efgh', 'ijkl']);
  expect(ids((await find({ includeArchivedNotes: true })).results)).toEqual(['abcd', 'efgh', 'ijkl']);
  expect(ids((await find({ ancestorNoteId: 'efgh' })).results)).toContain('ijkl');
  expect(ids((await find({ ancestorNoteId: 'abcd', ancestorDepth: 'eq1' })).results)).toEqual(['efgh']);
  expect(ids((await find({ query: 'print', fastSearch: true, fuzzy: 'off' })).results)).toEqual([]);
  expect(ids((await find({ query: 'print' })).results)).toEqual(['mnop']);
  const first = await find({ limit: 1, orderBy: 'title' });
  expect(first).toMatchObject({ results: [{ noteId: 'efgh' }], total: 2, nextOffset: 1 });
  const second = await find({ limit: 1, orderBy: 'title', offset: first.nextOffset });
  expect(second.results).toMatchObject([{ noteId: 'ijkl' }]);
  expect(second.nextOffset).toBeUndefined();
  expect((await find({ orderBy: 'title', orderDirection: 'desc' })).results[0].noteId).toBe('ijkl');
  expect((await find({ debug: true })).debugInfo).toBeDefined();
});

test('search_notes: fuzzy tells that it guessed', async () => {
  const { ok } = await withTrilium(NOTES);
  const find = async (args: object) => (await ok('search_notes', args as Record<string, unknown>)).json;
  expect(await find({ query: 'gamma unheardof' })).toMatchObject({
    results: [{ noteId: 'ijkl' }],
    searchMode: 'fuzzy',
    fuzzyTerms: ['gamma', 'unheardof'],
    totalCandidates: 1,
    termsMatchedInTitleOrAttributes: { gamma: 1, unheardof: 0 },
    note: expect.stringContaining('any of them counts'),
  });
  expect((await find({ query: 'gamma unheardof', fuzzy: 'off' })).results).toEqual([]);
  expect((await find({ query: 'gamma', fuzzy: 'force' })).searchMode).toBe('fuzzy');
  expect(await find({ query: '#status', fuzzy: 'force' })).toMatchObject({
    searchMode: 'exact',
    note: expect.stringContaining('search syntax'),
  });
});

test('get_note_tree: levels, counts, pages and the hidden part', async () => {
  const { ok, fake } = await withTrilium(NOTES);
  const tree = async (args: object) => (await ok('get_note_tree', args as Record<string, unknown>)).json;
  expect(await tree({ noteId: 'root' })).toEqual({
    noteId: 'root',
    title: 'root',
    type: 'text',
    childCount: 1,
    childBranchIds: ['root_abcd'],
    systemChildrenSkipped: 1,
    children: [
      { noteId: 'abcd', title: 'Alpha plan', type: 'text', childCount: 2, childNoteIds: ['efgh', 'mnop'] },
    ],
  });
  fake.requests.length = 0;
  const deep = await tree({ noteId: 'abcd', depth: 2 });
  expect(deep.children[0].children).toMatchObject([{ noteId: 'ijkl', childCount: 0 }]);
  expect(fake.requests.length).toBeLessThanOrEqual(3);
  const page = await tree({ noteId: 'abcd', limit: 1 });
  expect(page).toMatchObject({ childCount: 2, nextOffset: 1, note: 'Children 1 to 1 of 2.' });
  expect((await tree({ noteId: 'abcd', limit: 1, offset: 1 })).children).toMatchObject([{ noteId: 'mnop' }]);
  expect((await tree({ noteId: '_hidden' })).children).toMatchObject([{ noteId: '_options' }]);
});

test('get_note_tree: a hundred children take two requests', async () => {
  const children = Array.from({ length: 100 }, (_, at) => ({ title: `n${at}` }));
  const { ok, fake } = await withTrilium([{ id: 'many', title: 'M', children }]);
  expect((await ok('get_note_tree', { noteId: 'many' })).json.children).toHaveLength(100);
  expect(fake.requests).toHaveLength(2);
});

test('get_note: metadata, text, pages, formats and pictures', async () => {
  const { ok, fake } = await withTrilium(NOTES);
  const picture = fake.db.addAttachment(
    { ownerId: 'abcd', role: 'image', mime: 'image/jpg', title: 'p.jpg' },
    PNG,
  );
  const file = fake.db.addAttachment(
    { ownerId: 'abcd', role: 'file', mime: 'application/pdf', title: 'f.pdf' },
    PNG,
  );
  const bare = await ok('get_note', { noteId: 'abcd', include_content: false });
  expect(bare.content).toHaveLength(1);
  expect(bare.json).toMatchObject({
    noteId: 'abcd',
    blobId: expect.any(String),
    childNoteIds: ['efgh', 'mnop'],
  });
  expect(bare.json.contentInfo).toBeUndefined();
  const whole = await ok('get_note', { noteId: 'abcd' });
  expect(whole.json.contentInfo).toEqual({
    format: 'html',
    totalChars: 17,
    returnedStart: 0,
    returnedEnd: 17,
    truncated: false,
  });
  expect(whole.content[1]?.text).toBe(
    `<p>0123456789</p>\n\n---\n**Attachments:** This note has 1 attachment(s) not shown here; read them with get_attachment.\n- **f.pdf** (application/pdf) - ID: \`${file.attachmentId}\``,
  );
  expect(whole.content[2]).toEqual({ type: 'image', data: PNG.toString('base64'), mimeType: 'image/jpeg' });
  const plain = await ok('get_note', { noteId: 'abcd', includeImages: false });
  expect(plain.content.slice(1)).toEqual([{ type: 'text', text: '<p>0123456789</p>' }]);
  const piece = await ok('get_note', {
    noteId: 'abcd',
    includeImages: false,
    content_start: 3,
    content_max_chars: 4,
  });
  expect(piece.json.contentInfo).toMatchObject({ returnedStart: 3, returnedEnd: 7, truncated: true });
  expect(piece.content[1]?.text).toBe(
    '0123\n\n---\n**Content truncated:** showing characters 3-7 of 17. Call get_note again with content_start=7 to continue.',
  );
  const markdown = await ok('get_note', { noteId: 'abcd', format: 'markdown', includeImages: false });
  expect(markdown.json.contentInfo.format).toBe('markdown');
  expect(markdown.content[1]?.text).toBe('md(<p>0123456789</p>)');
  fake.faults.fate = ({ path }) =>
    path.includes(picture.attachmentId) ? { kind: 'status', status: 500, applies: false } : undefined;
  expect((await ok('get_note', { noteId: 'abcd' })).content[1]?.text).toContain(
    'could not be loaded:\n- p.jpg',
  );
});

test('get_note: a picture too large is named instead of sent', async () => {
  const { ok, fake } = await withTrilium(NOTES);
  fake.db.addAttachment(
    { ownerId: 'abcd', role: 'image', mime: 'image/png', title: 'big.png' },
    Buffer.alloc(4_000_000),
  );
  const { content } = await ok('get_note', { noteId: 'abcd' });
  expect(content.map(({ type }) => type)).toEqual(['text', 'text']);
  expect(content[1]?.text).toContain('**big.png**');
});

test('get_note_history: rows, pages and a subtree', async () => {
  const { ok, fake } = await withTrilium(NOTES);
  await ok('delete_note', { noteId: 'mnop', action: 'delete' });
  const all = await ok('get_note_history', {});
  expect(all.json[0]).toEqual({
    noteId: 'mnop',
    title: 'Delta',
    current_isDeleted: 1,
    utcDate: expect.any(String),
    canBeUndeleted: true,
  });
  const below = await ok('get_note_history', { ancestorNoteId: 'efgh' });
  expect([...new Set(ids(below.json))]).toEqual(['efgh', 'ijkl']);
  const page = await ok('get_note_history', { limit: 2, offset: 1 });
  expect(page.json).toEqual(all.json.slice(1, 3));
  expect(page.content[1]?.text).toContain('offset=3');
  expect(fake.requests.length).toBeGreaterThan(0);
});

test('get_revisions: the list, one of them, its metadata, and going on in a long one', async () => {
  const { ok, text } = await withTrilium([{ id: 'abcd', title: 'A', content: 'x'.repeat(60_000) }]);
  await ok('create_revision', { noteId: 'abcd', description: 'named' });
  await ok('write_note', { noteId: 'abcd', mode: 'replace', content: 'new' });
  const list = (await ok('get_revisions', { noteId: 'abcd' })).json;
  expect(list.length).toBeGreaterThanOrEqual(2);
  expect(list.at(-1)).toMatchObject({ noteId: 'abcd', description: 'named', contentLength: 60_000 });
  const { revisionId } = list.at(-1);
  expect((await ok('get_revisions', { noteId: 'abcd', limit: 1 })).json).toHaveLength(1);
  const meta = await ok('get_revisions', { revisionId, include_content: false });
  expect(meta.json).toMatchObject({ revisionId });
  const body = await ok('get_revisions', { revisionId });
  expect(body.content).toHaveLength(1);
  expect(body.text).toMatch(/^x{50000}\n\n---\n\*\*Content truncated:\*\* .* content_start=50000 /);
  expect((await ok('get_revisions', { revisionId, content_start: 50_000 })).text).toBe('x'.repeat(10_000));
  expect(await text('abcd')).toBe('new');
});

test('get_attributes: own and inherited ones distinguished', async () => {
  const { ok } = await withTrilium(NOTES);
  const { json } = await ok('get_attributes', { noteId: 'efgh' });
  expect(json).toMatchObject({
    noteId: 'efgh',
    labels: [
      { name: 'status', value: 'done' },
      { name: 'area', noteId: 'abcd', isInherited: true },
    ],
    relations: [],
  });
  expect(json.labels[0].isInherited).toBeUndefined();
  const { attributeId } = json.labels[0];
  expect((await ok('get_attributes', { attributeId })).json).toMatchObject({ attributeId, value: 'done' });
});

test('get_attachment: the list, the metadata, text, pictures, blobs, and what is too large', async () => {
  const { ok, call, fake } = await withTrilium(NOTES);
  const add = (mime: string, content: string | Buffer) =>
    fake.db.addAttachment({ ownerId: 'abcd', role: 'file', mime, title: mime }, content).attachmentId;
  const text = add('text/csv', 'a,b');
  const picture = add('image/webp', PNG);
  const huge = add('application/zip', Buffer.alloc(9_000_000));
  const broken = add('application/toml', Buffer.from([0xff, 0xfe]));
  expect((await ok('get_attachment', { noteId: 'abcd' })).json).toHaveLength(4);
  const meta = await ok('get_attachment', { attachmentId: huge, include_content: false });
  expect(meta.json).toMatchObject({
    attachmentId: huge,
    contentLength: 9_000_000,
    blobId: expect.any(String),
  });
  expect((await ok('get_attachment', { attachmentId: text })).content).toEqual([
    { type: 'text', text: 'a,b' },
  ]);
  expect((await ok('get_attachment', { attachmentId: text, content_start: 2 })).text).toBe('b');
  expect((await ok('get_attachment', { attachmentId: picture })).content).toEqual([
    { type: 'image', data: PNG.toString('base64'), mimeType: 'image/webp' },
  ]);
  expect((await ok('get_attachment', { attachmentId: broken })).content[0]?.type).toBe('resource');
  const before = fake.requests.length;
  expect((await call('get_attachment', { attachmentId: huge })).text).toContain('Too large for one answer');
  expect(fake.requests.slice(before).filter((request) => request.includes('/content'))).toEqual([]);
});

test('get_special_note: each kind, the present one when no date is given', async () => {
  const { ok, fake } = await withTrilium([
    { id: 'cal', title: 'C', labels: { calendarRoot: '', enableWeekNote: '' } },
  ]);
  const title = async (args: object) =>
    (await ok('get_special_note', args as Record<string, unknown>)).json.title;
  expect(await title({ kind: 'day', date: '2026-02-28' })).toBe('28 - Saturday');
  expect(await title({ kind: 'week', date: '2026-W07' })).toBe('Week 7');
  expect(await title({ kind: 'month', date: '2026-02' })).toBe('02 - February');
  expect(await title({ kind: 'year', date: '2026' })).toBe('2026');
  expect(await title({ kind: 'year' })).toBe(String(new Date().getFullYear()));
  expect(await title({ kind: 'inbox', date: '2026-02-28' })).toBe('28 - Saturday');
  fake.db.addLabel('cal', 'inbox');
  expect(await title({ kind: 'inbox' })).toBe('C');
});
