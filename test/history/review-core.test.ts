/** Changes that wait for a person: who sees them, what is decided, and what becomes of the notes. */
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { historyPlaceOf } from '../../src/app/change-tracking.ts';
import { configSchema } from '../../src/config/schema.ts';
import { FolderProposals } from '../../src/history/folder-proposals.ts';
import type { Proposals } from '../../src/history/proposals.ts';
import { silentLog } from '../../src/shared/log.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';
import { bytes } from './kit.ts';
import { reviewed, reviewedFolder } from './review-kit.ts';

const PLAN = '# Plan\n\none\n\ntwo\n\nthree\n\nfour\n';

test('a proposal built on another one is accepted after it, and not before', async () => {
  const notes = await reviewedFolder({ 'plan.md': PLAN });
  const { call } = await notes.assistant();
  await call('patch_note', { path: 'plan.md', oldString: 'two', newString: 'II' });
  const second = await call('patch_note', { path: 'plan.md', oldString: 'II', newString: '2' });
  expect(second.json.success).toBe(true);
  expect((await call('read_note', { path: 'plan.md' })).text).toContain(
    'This is plan.md as you proposed it; it waits for review.',
  );
  const [newer, older] = await notes.waiting();
  const early = await notes.decide({}, newer!.id);
  expect(early.conflicts).toMatchObject([
    { path: 'plan.md', reason: 'It was changed since, in the same lines.' },
  ]);
  expect(await notes.text('plan.md')).toBe(PLAN);
  await notes.decide({}, older!.id);
  await notes.decide({}, newer!.id);
  expect(await notes.text('plan.md')).toBe(PLAN.replace('two', '2'));
});

test('review: destructive lets through what destroys nothing, unless it is built on a proposal', async () => {
  const notes = await reviewedFolder({ 'plan.md': PLAN, 'b.md': 'b\n' }, { review: 'destructive' });
  const { call } = await notes.assistant();
  await call('write_note', { path: 'new.md', content: 'new\n' });
  await call('patch_note', { path: 'plan.md', oldString: 'one', newString: '1' });
  expect(await notes.waiting()).toEqual([]);
  expect(await notes.text('plan.md')).toBe(PLAN.replace('one', '1'));
  await call('delete_note', { path: 'b.md', confirmPath: 'b.md' });
  await call('read_note', { path: 'plan.md' });
  await call('write_note', { path: 'plan.md', content: 'all new\n' });
  await call('patch_note', { path: 'plan.md', oldString: 'all', newString: 'everything' });
  expect((await notes.waiting()).map(({ tool }) => tool)).toEqual([
    'patch_note',
    'write_note',
    'delete_note',
  ]);
  expect(await notes.text('b.md')).toBe('b\n');
  for (const { id } of (await notes.waiting()).reverse()) await notes.decide({}, id);
  expect(await notes.text('plan.md')).toBe('everything new\n');
  await expect(notes.text('b.md')).rejects.toThrow();
});

test('review: destructive holds back a page that goes to the trash, and lets one be renamed', async () => {
  const notes = await reviewedFolder(
    { 'a.md': 'a\n', 'b.md': 'b\n' },
    { review: 'destructive', tools: 'pages' },
  );
  const { call } = await notes.assistant();
  await call('move_page', { from: 'a', to: 'c' });
  expect(await notes.text('c.md')).toBe('a\n');
  expect((await call('delete_page', { page: 'b' })).text).toContain('waits for review');
  expect(await notes.text('b.md')).toBe('b\n');
  expect((await call('read_page', { page: 'b' })).text).not.toContain('"content":"b');
  expect((await notes.decide()).conflicts).toEqual([]);
  await expect(notes.text('b.md')).rejects.toThrow();
});

test('review: destructive lets a note be moved with all links to it, and holds both back where it replaces one', async () => {
  const texts = { 'plan.md': 'A plan.\n', 'goal.md': 'A goal.\n', 'home.md': 'To [[plan]].\n' };
  const notes = await reviewedFolder(texts, { review: 'destructive' });
  const { call } = await notes.assistant();
  await call('move_note', { oldPath: 'plan.md', newPath: 'way.md' });
  expect(await notes.waiting()).toEqual([]);
  expect(await notes.text('home.md')).toBe('To [[way]].\n');
  await call('move_note', { oldPath: 'way.md', newPath: 'goal.md', overwrite: true });
  expect(await notes.text('home.md')).toBe('To [[way]].\n');
  const [{ edits } = { edits: [] }] = await notes.waiting();
  expect(edits.map(({ kind, path }) => [kind, path])).toEqual([
    ['move', 'way.md'],
    ['write', 'home.md'],
  ]);
  expect((await notes.decide()).conflicts).toEqual([]);
  expect(await notes.text('goal.md')).toBe('A plan.\n');
  expect(await notes.text('home.md')).toBe('To [[goal]].\n');
});

test('review: destructive holds back a move over a note whose name differs in letter case only', async () => {
  const notes = await reviewedFolder(
    { 'plan.md': 'A plan.\n', 'Plan.md': 'Another.\n' },
    { review: 'destructive' },
  );
  const { call } = await notes.assistant();
  const move = { oldPath: 'plan.md', newPath: 'Plan.md', overwrite: true };
  expect((await call('move_note', move)).text).toContain('waits for review');
  expect(await notes.text('Plan.md')).toBe('Another.\n');
  expect((await notes.decide()).conflicts).toEqual([]);
  expect(await notes.text('Plan.md')).toBe('A plan.\n');
  await call('move_note', { oldPath: 'Plan.md', newPath: 'PLAN.md' });
  expect(await notes.waiting()).toEqual([]);
  expect(await notes.text('PLAN.md')).toBe('A plan.\n');
});

test('an accepted move takes the note that was meant: with edits since, but not another one of its name', async () => {
  const notes = await reviewedFolder({ 'a.md': 'first\nsecond\n', 'b.md': 'third\n' });
  const { call } = await notes.assistant();
  await call('move_note', { oldPath: 'a.md', newPath: 'c.md' });
  await call('move_note', { oldPath: 'b.md', newPath: 'd.md' });
  await notes.put('a.md', 'new\nsecond\n');
  await notes.put('b.md', 'something else\n');
  const [ofB, ofA] = await notes.waiting();
  expect((await notes.decide({}, ofA!.id)).conflicts).toEqual([]);
  expect(await notes.text('c.md')).toBe('new\nsecond\n');
  expect((await notes.decide({}, ofB!.id)).conflicts).toMatchObject([
    { path: 'b.md', reason: 'It was rewritten since, or another note has its name now.' },
  ]);
  expect(await notes.text('b.md')).toBe('something else\n');
});

test('parts are accepted one by one, and what does not overlap with an edit of a person is merged', async () => {
  const notes = await reviewedFolder({ 'plan.md': PLAN });
  const { call } = await notes.assistant();
  await call('read_note', { path: 'plan.md' });
  const content = PLAN.replace('one', '1').replace('three', '3').replace('four', '4');
  await call('write_note', { path: 'plan.md', content });
  await notes.put('plan.md', PLAN.replace('two', 'by hand'));
  const { conflicts } = await notes.decide({ accept: new Map([[0, new Set([0])]]) });
  expect(conflicts).toEqual([]);
  expect(await notes.text('plan.md')).toBe(PLAN.replace('two', 'by hand').replace('one', '1'));
  const [decided] = await notes.desk.proposals.list();
  expect(decided!.edits[0]!.state).toBe('accepted in part');
});

test('a change of the same lines by a person is a conflict: the note stays, the proposal waits', async () => {
  const notes = await reviewedFolder({ 'plan.md': PLAN, 'b.md': 'b\n', 'c.md': 'c\n' });
  const { call } = await notes.assistant();
  await call('patch_note', { path: 'plan.md', oldString: 'two', newString: '2' });
  await call('delete_note', { path: 'b.md', confirmPath: 'b.md' });
  await call('move_note', { oldPath: 'c.md', newPath: 'd.md' });
  await call('write_note', { path: 'e.md', content: 'mine\n' });
  await notes.put('plan.md', PLAN.replace('two', 'by hand'));
  await notes.put('b.md', 'changed\n');
  await notes.put('d.md', 'another\n');
  await notes.put('e.md', 'yours\n');
  for (const { id } of await notes.waiting()) {
    const { conflicts } = await notes.decide({}, id);
    expect(conflicts).toHaveLength(1);
  }
  expect(await notes.waiting()).toHaveLength(4);
  const texts = await Promise.all(['plan.md', 'b.md', 'c.md', 'd.md', 'e.md'].map(notes.text));
  expect(texts).toEqual([PLAN.replace('two', 'by hand'), 'changed\n', 'c\n', 'another\n', 'yours\n']);
});

test('a call that fails proposes nothing', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n', 'b.md': 'b\n' });
  const { call } = await notes.assistant();
  for (const [tool, args] of [
    ['patch_note', { path: 'a.md', oldString: 'missing', newString: 'x' }],
    ['move_note', { oldPath: 'a.md', newPath: 'b.md' }],
    ['delete_note', { path: 'a.md', confirmPath: 'b.md' }],
    ['write_note', { path: '../out.md', content: 'x' }],
  ] as const)
    expect((await call(tool, args)).isError || (await call(tool, args)).json?.success === false).toBe(true);
  expect(await notes.waiting()).toEqual([]);
});

test('the session sees the folder as it proposed it; another session sees it as it is', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n', 'sub/b.md': 'b\n' });
  const [own, other] = [await notes.assistant(), await notes.assistant({ session: 'other' })];
  await own.call('write_note', { path: 'deep/er/new.md', content: 'new text\n' });
  await own.call('delete_note', { path: 'a.md', confirmPath: 'a.md' });
  await own.call('move_note', { oldPath: 'sub/b.md', newPath: 'sub/c.md' });
  const list = async ({ call }: typeof own, path: string) => (await call('list_directory', { path })).json;
  expect(await list(own, '/')).toMatchObject({ dirs: ['deep', 'sub'], files: [] });
  expect(await list(own, 'deep/er')).toMatchObject({ files: ['new.md'] });
  expect(await list(own, 'sub')).toMatchObject({ files: ['c.md'] });
  expect(await list(other, '/')).toMatchObject({ dirs: ['sub'], files: ['a.md'] });
  expect(await list(other, 'sub')).toMatchObject({ files: ['b.md'] });
  const info = async ({ call }: typeof own) =>
    (await call('get_notes_info', { paths: ['deep/er/new.md'] })).text;
  expect(await info(own)).toContain('"size":9');
  expect(await info(other)).not.toContain('"size":9');
  expect((await other.call('read_note', { path: 'deep/er/new.md' })).isError).toBe(true);
  expect((await own.call('read_note', { path: 'a.md' })).text).toContain('File not found');
  expect((await other.call('read_note', { path: 'a.md' })).isError).toBe(false);
  expect((await other.call('search_notes', { query: 'new text' })).text).not.toContain('new.md');
  for (const { id } of await notes.waiting()) await notes.decide({ reject: [0] }, id);
  expect(await list(own, '/')).toMatchObject({ dirs: ['sub'], files: ['a.md'] });
});

test('an accepted change is recorded with both names, and only a person undoes it', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n' }, { toolSets: ['history'] });
  const { call } = await notes.assistant();
  await call('patch_note', { path: 'a.md', oldString: 'a', newString: 'b' });
  expect((await call('list_changes')).json.changes).toEqual([]);
  const { proposal } = await notes.decide();
  const { history } = (await notes.served.changes())!.tracking;
  const [change] = await history!.list({}, 10);
  expect(change).toMatchObject({ by: { client: 'test 1' }, acceptedBy: 'alex', tool: 'patch_note' });
  expect(proposal.decisions).toMatchObject([{ by: 'alex', change: change!.id }]);
  const undone = await call('undo_changes', { id: change!.id });
  expect(undone.text).toContain('reviewed by a person, undoing too');
  expect(await notes.text('a.md')).toBe('b\n');
});

test('a process that dies between the notes and the record of the decision has lost nothing', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n', 'b.md': 'b\n' });
  const { call } = await notes.assistant();
  await call('patch_note', { path: 'a.md', oldString: 'a', newString: 'changed' });
  await call('delete_note', { path: 'b.md', confirmPath: 'b.md' });
  const { proposals } = notes.desk;
  const dying = new Proxy(proposals, {
    get: (target, name) => {
      const value = target[name as 'update'];
      if (name !== 'update') return typeof value === 'function' ? value.bind(target) : value;
      return async (id: string, change: Parameters<Proposals['update']>[1]) => {
        await change((await target.get(id))!);
        throw new Error('killed');
      };
    },
  });
  for (const { id } of await notes.waiting()) {
    const desk = { ...notes.desk, proposals: dying };
    await expect(notes.decide({}, id, desk)).rejects.toThrow('killed');
  }
  expect(await notes.text('a.md')).toBe('changed\n');
  const after = await notes.again();
  expect(await after.waiting()).toHaveLength(2);
  for (const { id } of await after.waiting()) expect((await after.decide({}, id)).conflicts).toEqual([]);
  expect(await after.waiting()).toEqual([]);
  expect(await notes.text('a.md')).toBe('changed\n');
});

test('what a process was writing when it was ended is removed after an hour, and never listed', async () => {
  let now = Date.UTC(2026, 0, 1);
  const folder = await temporaryFolder();
  const proposals = new FolderProposals({ folder, log: silentLog, now: () => now });
  const draft = [{ edit: { kind: 'create', path: 'a.md' } as const, texts: { after: bytes('a\n') } }];
  const add = () => proposals.add({ notebook: 'mine', tool: 'write_note', by: {} }, draft);
  const { id } = await add();
  await rename(join(folder, id), join(folder, `.${id}`));
  expect(await proposals.list()).toEqual([]);
  await add();
  expect(await readdir(folder)).toContain(`.${id}`);
  now += 2 * 3_600_000;
  await add();
  expect(await readdir(folder)).not.toContain(`.${id}`);
});

test('review without a history is refused at the start', () => {
  const notebooks = { mine: { folder: '/nowhere', review: 'all' } };
  for (const without of [{ history: 'off' }, { state: { dir: 'memory' } }])
    expect(() => historyPlaceOf(configSchema.parse({ notebooks, ...without }), '/nowhere')).toThrow(
      'Review needs the history',
    );
});

test('pages of a SilverBullet space wait in the same way', async () => {
  const { url, token, disk } = await startSilverBullet({ files: { 'a.md': 'one\n\ntwo\n\nthree\n' } });
  const notes = await reviewed(await temporaryFolder(), { silverbullet: { url, token }, tools: 'notebook' });
  const { call } = await notes.assistant();
  await call('patch_note', { path: 'a.md', oldString: 'two', newString: '2' });
  await call('write_note', { path: 'new.md', content: 'new\n' });
  expect(disk.text('a.md')).toBe('one\n\ntwo\n\nthree\n');
  expect((await call('read_note', { path: 'new.md' })).text).toContain('as you proposed it');
  for (const { id } of (await notes.waiting()).reverse())
    expect((await notes.decide({}, id)).conflicts).toEqual([]);
  expect(disk.text('a.md')).toBe('one\n\n2\n\nthree\n');
  expect(disk.text('new.md')).toBe('new\n');
});

test('notes of a Trilium wait in the same way', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A', content: '<p>one</p><p>two</p>' }] });
  const trilium = { url: fake.url, token: TOKEN };
  const notes = await reviewed(await temporaryFolder(), { trilium, tools: 'notebook' });
  const { call } = await notes.assistant();
  await call('patch_note', { path: 'A.md', oldString: 'two', newString: '2' });
  expect(fake.text('abcd')).toBe('<p>one</p><p>two</p>');
  expect((await call('read_note', { path: 'A.md' })).text).toContain('as you proposed it');
  expect((await notes.decide()).conflicts).toEqual([]);
  expect(fake.text('abcd')).toContain('<p>2</p>');
  await call('read_note', { path: 'A.md' });
  await call('delete_note', { path: 'A.md', confirmPath: 'A.md' });
  expect(fake.text('abcd')).toContain('<p>2</p>');
  await notes.decide({ reject: [0] });
  expect(fake.text('abcd')).toContain('<p>2</p>');
});
