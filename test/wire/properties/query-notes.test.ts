import { expect, test } from 'vitest';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { SEED } from './support.ts';

test('query_notes filters, sorts and shows columns', async () => {
  const { call } = await withSetsInFolder(['properties'], SEED);
  const query = async (args: Record<string, unknown>) => (await call('query_notes', args)).json;
  expect(await query({ where: { status: 'open', due: { '<': '2026-12-01' } } })).toEqual({
    total: 1,
    notes: [{ path: 'a.md', status: 'open', due: '2026-05-01' }],
  });
  const paths = async (args: Record<string, unknown>) =>
    (await query(args)).notes.map(({ path }: { path: string }) => path);
  expect(await paths({ sort: ['-prio'] })).toEqual(['sub/c.md', 'a.md', 'b.md', 'sub/d.md']);
  expect(await paths({ sort: ['due', 'file.name'] })).toEqual(['a.md', 'sub/c.md', 'b.md', 'sub/d.md']);
  expect(await paths({ folder: 'sub' })).toEqual(['sub/c.md', 'sub/d.md']);
  expect(await paths({ tags: ['#work'] })).toEqual(['a.md', 'sub/c.md']);
  expect(await paths({ where: { or: [{ prio: { '<': 2 } }, { prio: { missing: true } }] } })).toEqual([
    'b.md',
    'sub/d.md',
  ]);
  expect(await paths({ where: { 'file.links': 'b.md' } })).toEqual(['a.md']);
  expect((await query({ where: { owner: 'bo' }, columns: ['owner', 'file.tags'] })).notes).toEqual([
    { path: 'a.md', owner: ['Ann', 'Bo'], 'file.tags': ['work'] },
  ]);
  const first = await query({ limit: 3, sort: ['status'] });
  const second = await query({ limit: 3, sort: ['status'], cursor: first.next_cursor });
  expect([...first.notes, ...second.notes]).toHaveLength(4);
});

test('query_notes counts by the values of a field', async () => {
  const { call } = await withSetsInFolder(['properties'], SEED);
  expect((await call('query_notes', { group_by: 'status' })).json).toEqual({
    total: 4,
    groups: [{ value: 'open', notes: 2 }, { value: 'done', notes: 1 }, { notes: 1 }],
  });
  const { groups } = (await call('query_notes', { group_by: 'owner', where: { owner: { exists: true } } }))
    .json;
  expect(groups).toEqual([
    { value: 'Ann', notes: 1 },
    { value: 'Bo', notes: 1 },
  ]);
});

test('a property that no note has is said, with the one that was probably meant', async () => {
  const { call } = await withSetsInFolder(['properties'], SEED);
  const { json } = await call('query_notes', { where: { staus: 'open' } });
  expect(json).toEqual({
    total: 0,
    notes: [],
    warning: 'No note has the property "staus"; did you mean "status"?',
  });
  const wrong = await call('query_notes', { where: { due: { before: '2026' } } });
  expect(wrong.text).toMatch(/^Error: where\.due: has the unknown operator "before"; use one of =, !=,/);
});

test('the notes of a space and of a Trilium', async () => {
  const space = await withSetsInSpace(['properties'], SEED);
  expect((await space.call('query_notes', { where: { status: 'open' } })).json.total).toBe(2);
  const { call } = await withSetsInTrilium(
    ['properties'],
    [
      { id: 'one1', title: 'One', content: '<p>x</p>' },
      { id: 'two2', title: 'Two', content: '<p>x</p>' },
    ],
  );
  await call('update_frontmatter', { path: 'One.md', frontmatter: { status: 'open' } });
  expect((await call('query_notes', { where: { status: 'open' } })).json).toEqual({
    total: 1,
    notes: [{ path: 'One.md', status: 'open' }],
  });
});
