/** Changes by the tools of sets, of notes that another server keeps, where a person decides on them. */
import { expect, test } from 'vitest';
import { withSetsInSpace, withSetsInTrilium } from '../kit/note-sets.ts';
import { person } from '../wire/history/reviewer.ts';

test('changes by sets of a SilverBullet space and a Trilium are proposed, accepted and undone', async () => {
  const space = await withSetsInSpace(['tasks'], { 'Inbox.md': '* [ ] call\n' }, { review: 'all' });
  const proposed = await space.call('check_task', { path: 'Inbox.md', text: 'call' });
  expect(space.disk.text('Inbox.md')).toBe('* [ ] call\n');
  await person(space).accept(proposed.text);
  expect(space.disk.text('Inbox.md')).toBe('* [x] call\n');
  await person(space).undo();
  expect(space.disk.text('Inbox.md')).toBe('* [ ] call\n');

  const notes = [{ id: 'abcd', title: 'A', content: '<h2>Plan</h2><p>text</p>' }];
  const trilium = await withSetsInTrilium(['sections', 'trash'], notes, { review: 'all' });
  const before = trilium.fake.text('abcd');
  const edit = { path: 'A', heading: 'Plan', mode: 'append', content: 'more' };
  const { text } = await trilium.call('edit_section', edit);
  expect(trilium.fake.text('abcd')).toBe(before);
  await person(trilium).accept(text);
  expect(trilium.fake.text('abcd')).toContain('<p>more</p>');
  await person(trilium).undo();
  expect(trilium.fake.text('abcd')).toBe(before);

  const removed = await trilium.call('delete_note', { path: 'A.md', confirmPath: 'A.md' });
  expect((await trilium.call('list_trash')).json.total).toBe(0);
  await person(trilium).accept(removed.text);
  expect((await trilium.call('list_trash')).json.notes).toMatchObject([{ path: 'abcd', original: 'A' }]);
  expect((await trilium.call('restore_note', { path: 'A' })).text).toContain('cannot be brought back here');
});
