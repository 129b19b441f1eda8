/** The requests of each tool to Trilium: a request that is not needed makes the caller wait. */
import { expect, test, vi } from 'vitest';
import { asked } from '../../trilium/kit.ts';
import { withTrilium } from './support.ts';

/** root › top1 › mid1 › leaf; beside it a folder with two notes. */
const TREE = [
  {
    id: 'top1',
    title: 'Top',
    children: [
      {
        id: 'mid1',
        title: 'Mid',
        labels: { kind: 'x' },
        children: [{ id: 'leaf', title: 'Leaf', content: '<p>text</p>' }],
      },
      { id: 'pair', title: 'Pair', children: ['one1', 'two2'].map((id) => ({ id, title: id })) },
    ],
  },
];

type Trilium = Awaited<ReturnType<typeof withTrilium>>;

/** The requests of one call, each group of those that go side by side in order of their names. */
async function requestsOf(
  { ok, fake }: Trilium,
  tool: string,
  args: Record<string, unknown>,
): Promise<string[]> {
  fake.requests.length = 0;
  await ok(tool, args);
  await fake.settled();
  return asked(fake);
}

const NOTE = 'GET /notes/leaf';
const CONTENT = 'GET /notes/leaf/content';
const LIST = 'GET /notes/leaf/attachments';
const REVISION = 'POST /notes/leaf/revision';
const PUT = 'PUT /notes/leaf/content';

test('reads ask for what they show, and for nothing twice', async () => {
  const trilium = await withTrilium(TREE);
  const reads = (tool: string, args: Record<string, unknown>) => requestsOf(trilium, tool, args);
  expect(await reads('get_note', { noteId: 'leaf', include_content: false })).toEqual([NOTE]);
  expect((await reads('get_note', { noteId: 'leaf', includeImages: false })).sort()).toEqual([NOTE, CONTENT]);
  expect(await reads('get_attributes', { noteId: 'leaf' })).toEqual([NOTE]);
  expect(await reads('search_notes', { query: 'text' })).toEqual(['GET /notes']);
  expect(await reads('get_note_tree', { noteId: 'pair' })).toEqual(['GET /notes/pair', 'GET /notes']);
  expect(await reads('get_note_tree', { noteId: 'mid1' })).toEqual(['GET /notes/mid1', NOTE]);
  expect(await reads('get_revisions', { noteId: 'leaf' })).toEqual(['GET /notes/leaf/revisions']);
  expect((await reads('get_attachment', { noteId: 'leaf' })).sort()).toEqual([NOTE, LIST]);
});

test('the attachments of a note are listed once, and again when they may be others', async () => {
  const trilium = await withTrilium(TREE);
  const { ok, fake } = trilium;
  const read = async () => (await requestsOf(trilium, 'get_note', { noteId: 'leaf' })).sort();
  expect(await read()).toEqual([NOTE, LIST, CONTENT]);
  expect(await read()).toEqual([NOTE, CONTENT]);
  fake.edit('leaf', '<p>other</p>');
  expect(await read()).toEqual([NOTE, LIST, CONTENT]);
  expect(await read()).toEqual([NOTE, CONTENT]);
  const facts = { ownerId: 'leaf', role: 'data', mime: 'text/csv', title: 'a.csv', content: 'a' };
  const { json } = await ok('create_attachment', facts);
  expect(await read()).toEqual([NOTE, LIST, CONTENT]);
  expect((await ok('get_note', { noteId: 'leaf' })).content[1]?.text).toContain(json.attachmentId);
  await ok('delete_attachment', { attachmentId: json.attachmentId });
  expect(await read()).toEqual([NOTE, LIST, CONTENT]);
  expect(await read()).toEqual([NOTE, CONTENT]);
});

test('a text that refers to an attachment always has its attachments listed', async () => {
  const trilium = await withTrilium(TREE);
  const { fake } = trilium;
  const refer = ['<img src="api/attachments/x/image/a">', '<a href="#root/leaf?attachmentId=x">a</a>'];
  for (const content of refer) {
    fake.edit('leaf', content);
    for (let time = 0; time < 2; time++)
      expect(await requestsOf(trilium, 'get_note', { noteId: 'leaf' })).toContain(LIST);
  }
});

test('the attachments of a note that is a file are not listed again', async () => {
  const file = { id: 'file1', title: 'F', type: 'file', mime: 'application/pdf', content: '%PDF' };
  const trilium = await withTrilium([file]);
  const read = () => requestsOf(trilium, 'get_note', { noteId: 'file1' });
  await read();
  // The list of a file is asked for in the background.
  await expect.poll(() => trilium.fake.requests).toHaveLength(3);
  expect((await read()).sort()).toEqual(['GET /notes/file1', 'GET /notes/file1/content']);
});

test('writes take what safety asks for; the way up is looked at once', async () => {
  const trilium = await withTrilium(TREE);
  const write = (args: Record<string, unknown>) =>
    requestsOf(trilium, 'write_note', { noteId: 'leaf', ...args });
  const WAY = ['GET /notes/mid1', 'GET /notes/top1'];
  const first = await write({ mode: 'append', content: '<p>1</p>' });
  expect(first.slice(0, 2).sort()).toEqual([NOTE, CONTENT]);
  expect(first.slice(2).filter((one) => !WAY.includes(one))).toEqual([REVISION, NOTE, PUT, NOTE]);
  expect(first.filter((one) => WAY.includes(one))).toEqual(WAY);
  const second = await write({ mode: 'append', content: '<p>2</p>' });
  expect(second.slice(0, 2).sort()).toEqual([NOTE, CONTENT]);
  expect(second.slice(2)).toEqual([NOTE, PUT, NOTE]);
  const edited = await write({ mode: 'edit', changes: [{ old_string: '1', new_string: 'one' }] });
  expect(edited.slice(2)).toEqual([REVISION, NOTE, PUT, NOTE]);
  expect(await write({ mode: 'replace', content: '<p>all new</p>' })).toEqual([
    NOTE,
    REVISION,
    NOTE,
    PUT,
    NOTE,
  ]);
  expect(await write({ mode: 'metadata', title: 'New' })).toEqual([
    NOTE,
    REVISION,
    NOTE,
    'PATCH /notes/leaf',
  ]);
});

test('the way up is looked at while a note is written', async () => {
  const { ok, fake } = await withTrilium(TREE);
  const until = () => vi.waitFor(() => expect(asked(fake)).toContain('GET /notes/top1'));
  fake.faults.fate = ({ path }) =>
    path.endsWith('/create-note') ? { kind: 'frozen', until: until() } : undefined;
  const { json } = await ok('create_note', { parentNoteId: 'leaf', title: 'N', type: 'text', content: '' });
  expect(json.url).toMatch(new RegExp(`#root/top1/mid1/leaf/${json.note.noteId}$`));
  expect(asked(fake)).toHaveLength(4);
});

test('what was read anyway is not asked for again for the address', async () => {
  const trilium = await withTrilium(TREE);
  const { ok } = trilium;
  for (const noteId of ['mid1', 'top1']) await ok('get_note', { noteId, include_content: false });
  const requests = await requestsOf(trilium, 'write_note', {
    noteId: 'leaf',
    mode: 'append',
    content: 'x',
  });
  expect(requests).toHaveLength(6);
});

test('moving a note looks at its new place once', async () => {
  const trilium = await withTrilium(TREE);
  const move = { action: 'move', noteId: 'leaf', newParentNoteId: 'pair' };
  const requests = await requestsOf(trilium, 'organize_note', move);
  const after = ['POST /branches', NOTE, 'DELETE /branches/mid1_leaf'];
  expect(requests[0]).toBe(NOTE);
  expect(requests.slice(1, -3).sort()).toEqual([
    'GET /branches/mid1_leaf',
    'GET /notes/pair',
    'GET /notes/top1',
  ]);
  expect(requests.slice(-3)).toEqual(after);
});

test('the address of a note tells where it is after it was moved', async () => {
  const { ok } = await withTrilium(TREE);
  const address = async () =>
    (await ok('write_note', { noteId: 'leaf', mode: 'append', content: 'x' })).json.url;
  const make = (parentNoteId: string) =>
    ok('create_note', { parentNoteId, title: 'N', type: 'text', content: '' });
  expect(await address()).toMatch(/#root\/top1\/mid1\/leaf$/);
  const { note, url } = (await make('leaf')).json;
  expect(url).toMatch(new RegExp(`#root/top1/mid1/leaf/${note.noteId}$`));
  const moved = await ok('organize_note', { action: 'move', noteId: 'leaf', newParentNoteId: 'pair' });
  expect(moved.json.url).toMatch(/#root\/top1\/pair\/leaf$/);
  expect(await address()).toMatch(/#root\/top1\/pair\/leaf$/);
  expect((await make('leaf')).json.url).toMatch(/#root\/top1\/pair\/leaf\/\w+$/);
  await ok('organize_note', { action: 'clone', noteId: 'leaf', parentNoteId: 'top1' });
  await ok('organize_note', { action: 'unlink', branchId: 'pair_leaf' });
  expect((await make('leaf')).json.url).toMatch(/#root\/top1\/leaf\/\w+$/);
});

test('inside a subtree a call asks once where its notes stand', async () => {
  const trilium = await withTrilium(TREE, { subtree: 'top1' });
  const asks = (tool: string, args: Record<string, unknown>) => requestsOf(trilium, tool, args);
  const MID = 'GET /notes/mid1';
  expect(await asks('get_note', { noteId: 'leaf', include_content: false })).toEqual([NOTE, MID]);
  const read = await asks('get_note', { noteId: 'leaf' });
  expect(read.slice(0, 2)).toEqual([NOTE, MID]);
  expect(read.slice(2).sort()).toEqual([LIST, CONTENT]);
  const appended = await asks('write_note', { noteId: 'leaf', mode: 'append', content: '<p>1</p>' });
  expect(appended).toEqual([NOTE, MID, CONTENT, REVISION, NOTE, PUT, NOTE]);
  expect(await asks('write_note', { noteId: 'leaf', mode: 'replace', content: 'x' })).toEqual([
    NOTE,
    MID,
    REVISION,
    NOTE,
    PUT,
    NOTE,
  ]);
  const made = { parentNoteId: 'leaf', title: 'N', type: 'text', content: '' };
  expect(await asks('create_note', made)).toEqual([NOTE, MID, 'POST /create-note']);
  const label = { noteId: 'leaf', type: 'label', name: 'l', value: 'v' };
  expect(await asks('set_attribute', label)).toEqual([NOTE, MID, 'POST /attributes']);
  expect((await asks('get_attachment', { noteId: 'leaf' })).sort()).toEqual([NOTE, LIST, MID]);
  const { attachmentId } = trilium.fake.db.addAttachment(
    { ownerId: 'leaf', role: 'data', mime: 'text/csv', title: 'a' },
    'a',
  );
  expect(await asks('get_attachment', { attachmentId })).toEqual([
    `GET /attachments/${attachmentId}`,
    NOTE,
    MID,
    `GET /attachments/${attachmentId}/content`,
  ]);
});

test('inside a subtree a note that was moved out is out for the next call, and for a call that waited', async () => {
  const { ok, call, fake } = await withTrilium([...TREE, { id: 'away', title: 'Away' }], { subtree: 'top1' });
  const moveOut = () => {
    fake.db.addBranch('leaf', 'away');
    fake.db.branches.delete('mid1_leaf');
  };
  await ok('get_note', { noteId: 'leaf' });
  moveOut();
  expect((await call('get_note', { noteId: 'leaf' })).isError).toBe(true);
  fake.db.addBranch('leaf', 'mid1');
  fake.db.branches.delete('away_leaf');
  fake.faults.after = ({ path }) => {
    if (path.endsWith('/revision')) moveOut();
  };
  const late = await call('write_note', { noteId: 'leaf', mode: 'append', content: 'x' });
  expect(late.isError).toBe(true);
  expect(fake.text('leaf')).toBe('<p>text</p>');
});
