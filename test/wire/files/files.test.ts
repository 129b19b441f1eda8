import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { fileText } from '../../kit/temp.ts';
import { snapshot } from '../notebook/support.ts';

const SETS = ['files'];
const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');

const SEED = {
  'a.md': '![[pic.png]] [doc](docs/My%20paper.pdf)\n',
  'docs/My paper.pdf': Buffer.from('%PDF-1.4\0'),
  'docs/sound.mp3': Buffer.from('ID3\0'),
  'img/pic.png': PNG,
  'img/lost.png': PNG,
  'data.csv': 'a,b\n1,2\n',
  'map.canvas':
    '{"nodes":[{"id":"s","type":"file","file":"docs/sound.mp3","x":0,"y":0,"width":1,"height":1}]}',
};

test('list_files shows what is no note, and whether a note or canvas links to it', async () => {
  const { call } = await withSetsInFolder(SETS, SEED);
  const { json } = await call('list_files');
  expect(json).toEqual({
    total: 6,
    bytes: expect.any(Number),
    files: [
      { path: 'data.csv', type: 'text/csv', size: 8, linked: false },
      { path: 'docs/My paper.pdf', type: 'application/pdf', size: 9, linked: true },
      { path: 'docs/sound.mp3', type: 'audio/mpeg', size: 4, linked: true },
      { path: 'img/lost.png', type: 'image/png', size: 10, linked: false },
      { path: 'img/pic.png', type: 'image/png', size: 10, linked: true },
      { path: 'map.canvas', type: 'application/json', size: expect.any(Number), linked: false },
    ],
  });
  const images = await call('list_files', { folder: 'img', kind: 'image', unlinked: true });
  expect(images.json).toMatchObject({ total: 1, files: [{ path: 'img/lost.png' }] });
  const first = (await call('list_files', { limit: 4 })).json;
  const second = (await call('list_files', { limit: 4, cursor: first.next_cursor })).json;
  expect(second.files.map(({ path }: { path: string }) => path)).toEqual(['img/pic.png', 'map.canvas']);
  await call('write_note', { path: 'b.md', content: '![](img/lost.png)' });
  expect((await call('list_files', { kind: 'image', unlinked: true })).json.total).toBe(0);
});

test('read_file answers with blocks of the right kind', async () => {
  const { call } = await withSetsInFolder(SETS, { ...SEED, 'large.csv': 'x'.repeat(300_000) });
  const image = await call('read_file', { path: 'pic.png' });
  expect(image.json).toEqual({ path: 'img/pic.png', size: 10, type: 'image/png' });
  expect(image.content[1]).toMatchObject({
    type: 'image',
    mimeType: 'image/png',
    data: PNG.toString('base64'),
  });
  expect((await call('read_file', { path: '[[sound.mp3]]' })).content[1]).toMatchObject({ type: 'audio' });
  const pdf = await call('read_file', { path: 'docs/my paper' });
  expect(pdf.content[1]).toMatchObject({ type: 'resource' });
  expect(pdf.json.note).toContain('its text is not extracted');
  expect((await call('read_file', { path: 'data.csv' })).content[1]).toMatchObject({ text: 'a,b\n1,2\n' });
  expect((await call('read_file', { path: 'large.csv' })).text).toMatch(/File too large/);
  expect((await call('read_file', { path: 'none.png' })).text).toMatch(/File not found/);
  expect((await call('read_file', { path: '../x.png' })).text).toMatch(/traversal/);
});

const BOARD = `{
\t"nodes":[
\t\t{"id":"g","type":"group","x":-20,"y":-20,"width":400,"height":300,"label":"Ideas"},
\t\t{"id":"t","type":"text","text":"Hi [[a]]","x":0,"y":0,"width":100,"height":50,"mine":{"k":1}},
\t\t{"id":"f","type":"file","file":"gone.md","x":500,"y":0,"width":100,"height":50}
\t],
\t"edges":[
\t\t{"id":"e","fromNode":"t","fromSide":"right","toNode":"f","label":"to"}
\t],
\t"metadata":{"version":"1.0-1.0"}
}`;

test('read_canvas shows nodes, groups, edges and broken files', async () => {
  const { call } = await withSetsInFolder(SETS, {
    'sub/board.canvas': BOARD,
    'bad.canvas': '{"nodes":[',
    'e.canvas': '',
  });
  const { json } = await call('read_canvas', { path: 'board' });
  expect(json).toMatchObject({
    path: 'sub/board.canvas',
    total_nodes: 3,
    nodes: [
      { id: 'g', label: 'Ideas' },
      { id: 't', text: 'Hi [[a]]', in: 'g' },
      { id: 'f', file: 'gone.md', broken: true },
    ],
    edges: [{ id: 'e', edge: 't -> f (to)' }],
  });
  expect((await call('read_canvas', { path: 'board', node: 'f' })).json.edges).toHaveLength(1);
  expect((await call('read_canvas', { path: 'bad.canvas' })).text).toMatch(
    /Not a canvas: bad\.canvas[\s\S]*not valid JSON/,
  );
  expect((await call('read_canvas', { path: 'e.canvas' })).json).toMatchObject({ total_nodes: 0 });
});

test('edit_canvas changes only what it is told, in one change that can be undone', async () => {
  const { call, folder } = await withSetsInFolder(SETS, { 'board.canvas': BOARD, 'a.md': 'a' });
  const { version } = (await call('read_canvas', { path: 'board' })).json;
  const edited = await call('edit_canvas', {
    path: 'board',
    expected_version: version,
    remove: ['f'],
    nodes: [
      { id: 't', text: 'Ho', color: '4' },
      { id: 'n', type: 'file', file: 'a.md' },
    ],
    edges: [{ id: 'x', fromNode: 't', toNode: 'n' }],
  });
  expect(edited.json).toMatchObject({ added: ['n', 'x'], changed: ['t'], removed: ['e', 'f'] });
  expect(await fileText(folder, 'board.canvas')).toBe(`{
\t"nodes":[
\t\t{"id":"g","type":"group","x":-20,"y":-20,"width":400,"height":300,"label":"Ideas"},
\t\t{"id":"t","type":"text","text":"Ho","x":0,"y":0,"width":100,"height":50,"mine":{"k":1},"color":"4"},
\t\t{"id":"n","type":"file","x":-20,"y":320,"width":400,"height":400,"file":"a.md"}
\t],
\t"edges":[
\t\t{"id":"x","fromNode":"t","toNode":"n"}
\t],
\t"metadata":{"version":"1.0-1.0"}
}`);
  const stale = await call('edit_canvas', { path: 'board', expected_version: version, remove: ['n'] });
  expect(stale.text).toMatch(/changed since you read it/);
  const { changes } = (await call('list_changes')).json;
  expect(changes).toHaveLength(1);
  await call('undo_changes', { id: changes[0].id });
  expect(await fileText(folder, 'board.canvas')).toBe(BOARD);
});

test.each([
  [{ nodes: [{ id: 'zz', text: 'x' }] }, /No node or edge of this id: zz/],
  [{ nodes: [{ type: 'text' }] }, /text is missing/],
  [{ nodes: [{ id: 't', url: 'https://a.example' }] }, /url does not belong/],
  [{ nodes: [{ id: 't', width: 1.5 }] }, /width must be a whole number/],
  [{ nodes: [{ id: 't', color: 'red' }] }, /color must be/],
  [{ nodes: [{ id: 'e', type: 'text', text: '' }] }, /that of an edge/],
  [{ edges: [{ fromNode: 't', toNode: 'zz' }] }, /toNode "zz" is no node/],
  [{ edges: [{ id: 'e', fromSide: 'north' }] }, /fromSide must be one of/],
  [{ remove: ['zz'] }, /No node or edge of this id: zz/],
  [{}, /Nothing to change/],
])('edit_canvas refuses what the specification does not allow: %j', async (change, words) => {
  const { call, folder } = await withSetsInFolder(SETS, { 'board.canvas': BOARD });
  const answer = await call('edit_canvas', { path: 'board', ...change });
  expect(answer.isError).toBe(true);
  expect(answer.text).toMatch(words);
  expect(await fileText(folder, 'board.canvas')).toBe(BOARD);
});

const VAULT = {
  'top.md': '[[work/plan]] [p](work/plan.md) [[plan]] ![[work/img/p.png]]\n',
  'work/plan.md': '[up](../top.md) [[work/deep/x]] ![](img/p.png)\n',
  'work/deep/x.md': '[[plan]]\n',
  'work/img/p.png': PNG,
  'm.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"work/plan.md","x":0,"y":0,"width":9,"height":9}],"edges":[]}',
};

test('move_folder moves all that is in a folder, keeps links true, and is undone as one', async () => {
  const { call, folder } = await withSetsInFolder(SETS, VAULT);
  const before = await snapshot(folder);
  const dry = await call('move_folder', { folder: 'work', to: 'old/job', dry_run: true });
  expect(dry.json).toMatchObject({ files: 3, dry_run: true });
  expect(await snapshot(folder)).toEqual(before);
  const moved = await call('move_folder', { folder: 'Work', to: 'old/job' });
  expect(moved.json).toMatchObject({
    from: 'work',
    to: 'old/job',
    files: 3,
    links_updated: dry.json.links_updated,
  });
  expect(moved.json.failed).toBeUndefined();
  expect(await fileText(folder, 'top.md')).toBe(
    '[[old/job/plan]] [p](old/job/plan.md) [[plan]] ![[old/job/img/p.png]]\n',
  );
  expect(await fileText(folder, 'old/job/plan.md')).toBe(
    '[up](../../top.md) [[old/job/deep/x]] ![](img/p.png)\n',
  );
  expect(await fileText(folder, 'm.canvas')).toContain('"file":"old/job/plan.md"');
  expect(await readdir(folder)).not.toContain('work');
  const { changes } = (await call('list_changes')).json;
  expect(changes).toHaveLength(1);
  expect((await call('undo_changes', { id: changes[0].id })).json.success).toBe(true);
  expect(await snapshot(folder)).toEqual(before);
});

test('move_folder refuses to go into itself, onto a folder, or nowhere', async () => {
  const { call, folder } = await withSetsInFolder(SETS, { ...VAULT, 'other/a.md': 'a' });
  const before = await snapshot(folder);
  const said = async (args: object) => (await call('move_folder', { folder: 'work', ...args })).text;
  expect(await said({ to: 'work/deep/in' })).toMatch(/into itself/);
  expect(await said({ to: 'OTHER' })).toMatch(/The target exists/);
  expect(await said({ to: 'work' })).toMatch(/there already/);
  expect(await said({ to: 'top.md' })).toMatch(/The target exists/);
  expect(await said({ folder: 'wrk', to: 'x' })).toMatch(/Did you mean work\?/);
  expect(await said({ folder: '/', to: 'x' })).toMatch(/cannot be moved/);
  expect(await said({ to: '.hidden/x' })).toMatch(/denied|hidden/i);
  expect(await snapshot(folder)).toEqual(before);
});

test('what cannot move stays and is named, and the rest moves with its links', async () => {
  const { call, folder } = await withSetsInFolder(SETS, {
    ...VAULT,
    'work/deep/aux.md': 'a device on Windows',
  });
  const { json } = await call('move_folder', { folder: 'work', to: 'job' });
  expect(json).toMatchObject({
    files: 3,
    failed: [{ path: 'work/deep/aux.md', error: expect.stringMatching(/^not moved: /) }],
    note: expect.stringMatching(/work is still there/),
  });
  expect(await fileText(folder, 'work/deep/aux.md')).toBe('a device on Windows');
  expect(await fileText(folder, 'job/plan.md')).toContain('[[job/deep/x]]');
});

test('a SilverBullet can do all of it', async () => {
  const { call, disk } = await withSetsInSpace(SETS, {
    'top.md': '[[work/plan]] ![[work/data.csv]]',
    'work/plan.md': 'plan',
    'work/data.csv': 'a,b',
    'board.canvas': BOARD,
  });
  expect((await call('list_files')).json.files).toMatchObject([
    { path: 'board.canvas', linked: false },
    { path: 'work/data.csv', linked: true },
  ]);
  expect((await call('read_file', { path: 'data.csv' })).content[1]).toMatchObject({ text: 'a,b' });
  expect(
    (await call('edit_canvas', { path: 'board', nodes: [{ id: 't', text: 'Ho' }] })).json.changed,
  ).toEqual(['t']);
  expect(disk.text('board.canvas')).toBe(BOARD.replace('Hi [[a]]', 'Ho'));
  expect((await call('move_folder', { folder: 'work', to: 'job' })).json).toMatchObject({ files: 2 });
  expect(disk.text('top.md')).toBe('[[job/plan]] ![[job/data.csv]]');
  expect(disk.text('job/plan.md')).toBe('plan');
});

test('what a Trilium cannot do is said', async () => {
  const { call } = await withSetsInTrilium(SETS, [
    { id: 'work', title: 'Work', children: [{ id: 'abcd', title: 'A', content: '<p>a</p>' }] },
  ]);
  expect((await call('move_folder', { folder: 'Work', to: 'Job' })).text).toMatch(
    /Folders of a Trilium cannot be moved/,
  );
  expect((await call('list_files')).isError).toBe(false);
  expect((await call('read_canvas', { path: 'x' })).text).toMatch(/File not found/);
});
