import { expect, test } from 'vitest';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { snapshot } from '../notebook/support.ts';
import { SEED } from './support.ts';

test('list_tags counts tags of frontmatter and text, nested or not', async () => {
  const { call } = await withSetsInFolder(['tags'], SEED);
  expect((await call('list_tags', { sort: 'name' })).json).toEqual({
    total: 6,
    tags: [
      { tag: 'idea', notes: 1, inline: 1 },
      { tag: 'idea/small', notes: 1, inline: 1 },
      { tag: 'project', notes: 1 },
      { tag: 'project/home', notes: 1 },
      { tag: 'project/work', notes: 1, inline: 1 },
      { tag: 'Urgent', notes: 2, inline: 1 },
    ],
  });
  const total = (await call('list_tags', { nested: 'total', prefix: '#PROJ' })).json.tags;
  expect(total[0]).toEqual({ tag: 'project', notes: 3, inline: 1 });
  const tree = (await call('list_tags', { nested: 'tree', folder: 'sub' })).json;
  expect(tree).toEqual({
    total: 1,
    tags: [{ tag: 'project', notes: 1, inline: 1, below: [{ tag: 'project/work', notes: 1, inline: 1 }] }],
  });
  const first = (await call('list_tags', { limit: 4 })).json;
  const second = (await call('list_tags', { limit: 4, cursor: first.next_cursor })).json;
  expect(first.tags[0].notes).toBe(2);
  expect([...first.tags, ...second.tags]).toHaveLength(6);
});

test('find_by_tags answers expressions', async () => {
  const { call } = await withSetsInFolder(['tags'], SEED);
  const find = async (expression: string, more = {}) =>
    (await call('find_by_tags', { expression, ...more })).json.notes.map(
      ({ path }: { path: string }) => path,
    );
  expect(await find('project')).toEqual(['a.md', 'b.md', 'sub/c.md']);
  expect(await find('project AND NOT urgent')).toEqual(['sub/c.md']);
  expect(await find('project/home OR idea/small')).toEqual(['a.md', 'b.md']);
  expect(await find('NOT project')).toEqual(['sub/d.md']);
  expect(await find('project', { folder: 'sub' })).toEqual(['sub/c.md']);
  const { json } = await call('find_by_tags', { expression: '#urgent and idea', limit: 1 });
  expect(json).toMatchObject({
    total: 2,
    notes: [{ path: 'a.md', title: 'a', tags: ['project/home', 'Urgent', 'idea'] }],
  });
  const wrong = await call('find_by_tags', { expression: 'a AND (b OR' });
  expect(wrong.text).toMatch(/^Error: expression: lacks a tag, at its end/);
});

test('rename_tag shows first, then changes all notes as one change that is undone as one', async () => {
  const { call, folder } = await withSetsInFolder(['tags'], SEED);
  const before = await snapshot(folder);
  const preview = (await call('rename_tag', { from: 'project', to: 'work', dry_run: true })).json;
  expect(preview).toMatchObject({ dry_run: true, notes: 3, occurrences: 3 });
  expect(preview.changes[0]).toEqual({
    path: 'a.md',
    frontmatter: 1,
    line: 2,
    before: 'tags: [project/home, Urgent]',
    after: 'tags: [work/home, Urgent]',
  });
  expect(await snapshot(folder)).toEqual(before);

  expect((await call('rename_tag', { from: 'project', to: 'work' })).json).toMatchObject({ notes: 3 });
  expect(await snapshot(folder)).toEqual({
    ...before,
    'a.md': '---\ntags: [work/home, Urgent]\n---\ntext #idea\n',
    'b.md': '---\ntags:\n  - work\n---\n#urgent and #idea/small\n',
    'sub/c.md': 'only #work/work here, `#nothing`\n',
  });
  expect((await call('list_tags', { prefix: 'project' })).json.total).toBe(0);

  const { changes } = (await call('list_changes')).json;
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({ tool: 'rename_tag' });
  expect(changes[0].notes).toHaveLength(3);
  expect((await call('undo_changes', { id: changes[0].id })).isError).toBe(false);
  expect(await snapshot(folder)).toEqual(before);
});

test('rename_tag merges into a tag that is there, and says so', async () => {
  const { call } = await withSetsInFolder(['tags'], SEED);
  const { json } = await call('rename_tag', { from: 'idea', to: 'urgent' });
  expect(json).toMatchObject({ notes: 2, merged_into: 2 });
  expect((await call('find_by_tags', { expression: 'urgent' })).json.total).toBe(2);
  expect((await call('rename_tag', { from: 'idea', to: 'x' })).text).toContain('No note has this tag');
});

test('a note that cannot be changed is named, and the others are changed', async () => {
  const { call } = await withSetsInFolder(['tags'], SEED, { writable: ['sub'] });
  const { json } = await call('rename_tag', { from: 'project', to: 'work' });
  expect(json.changes.map(({ path }: { path: string }) => path)).toEqual(['sub/c.md']);
  expect(json.failed.map(({ path }: { path: string }) => path)).toEqual(['a.md', 'b.md']);
});

test('the notes of a review wait for a decision', async () => {
  const { call, folder } = await withSetsInFolder(['tags'], SEED, { review: 'all' });
  const before = await snapshot(folder);
  const answer = await call('rename_tag', { from: 'project', to: 'work' });
  expect(answer.text).toMatch(/proposal/i);
  expect(await snapshot(folder)).toEqual(before);
});

test('the tags of a space', async () => {
  const { call, disk } = await withSetsInSpace(['tags'], SEED);
  expect((await call('list_tags', { prefix: 'urgent' })).json.tags).toEqual([
    { tag: 'Urgent', notes: 2, inline: 1 },
  ]);
  expect((await call('find_by_tags', { expression: 'project AND idea' })).json.total).toBe(2);
  expect((await call('rename_tag', { from: 'idea', to: 'thought' })).json.notes).toBe(2);
  expect(disk.text('b.md')).toBe('---\ntags:\n  - project\n---\n#urgent and #thought/small\n');
  const [{ id }] = (await call('list_changes')).json.changes;
  await call('undo_changes', { id });
  expect(disk.text('b.md')).toBe(SEED['b.md']);
});

test('the tags of a Trilium', async () => {
  const { call, fake } = await withSetsInTrilium(
    ['tags'],
    [
      { id: 'one1', title: 'One', content: '<p>about #idea</p>' },
      { id: 'two2', title: 'Two', content: '<p>about #idea/small and #other</p>' },
    ],
  );
  expect((await call('list_tags', { nested: 'total', prefix: 'idea' })).json.tags[0].notes).toBe(2);
  expect((await call('find_by_tags', { expression: 'idea AND NOT other' })).json.notes).toMatchObject([
    { path: 'One.md' },
  ]);
  expect((await call('rename_tag', { from: 'idea', to: 'thought' })).json.notes).toBe(2);
  expect(fake.text('two2')).toBe('<p>about #thought/small and #other</p>');
});
