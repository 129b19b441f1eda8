/** Changes by the tools of sets, where a person decides on them: proposed, accepted as one change, undone as one. */
import { expect, test } from 'vitest';
import { createUndo } from '../../../src/app/history.ts';
import { acceptAll, decide } from '../../../src/app/review.ts';
import {
  type ServedSets,
  withSetsInFolder,
  withSetsInSpace,
  withSetsInTrilium,
} from '../../kit/note-sets.ts';
import { snapshot } from '../notebook/support.ts';

const SEED = {
  'Inbox.md': '# Inbox\n\n- [ ] call Bo #home\n- [ ] write\n',
  'Home.md': '---\ntags: [home]\nstatus: open\n---\n# Home\n\nSee [[Inbox]].\n',
  'lists/Shopping.md': '# Shopping\n\n[[Home]] #home\n',
  'map.canvas': '{"nodes":[],"edges":[]}',
  '.trash/Old.md': 'old\n',
};
const SETS = ['tasks', 'tags', 'sections', 'properties', 'daily', 'files', 'trash'];

/** The tool, its arguments, and a piece of each text that accepting makes or changes; empty where a file is gone. */
const CHANGES: readonly [string, Record<string, unknown>, Record<string, string>][] = [
  ['add_task', { path: 'Home.md', text: 'sweep' }, { 'Home.md': '- [ ] sweep' }],
  ['check_task', { path: 'Inbox.md', text: 'write' }, { 'Inbox.md': '- [x] write' }],
  ['change_task', { path: 'Inbox.md', text: 'write', due: '2026-12-01' }, { 'Inbox.md': '2026-12-01' }],
  [
    'move_task',
    { path: 'Inbox.md', text: 'write', to: 'Home.md' },
    { 'Inbox.md': 'call Bo', 'Home.md': '- [ ] write' },
  ],
  [
    'rename_tag',
    { from: 'home', to: 'house' },
    { 'Inbox.md': '#house', 'Home.md': 'tags: [house]', 'lists/Shopping.md': '#house' },
  ],
  [
    'edit_section',
    { path: 'Home.md', heading: 'Home', mode: 'append', content: 'more' },
    { 'Home.md': 'more' },
  ],
  ['update_frontmatter', { path: 'Home.md', frontmatter: { status: 'shut' } }, { 'Home.md': 'status: shut' }],
  ['create_periodic_note', { date: '2026-11-18' }, { '2026-11-18.md': '' }],
  ['append_to_periodic_note', { date: '2026-11-18', content: 'x' }, { '2026-11-18.md': 'x' }],
  [
    'edit_canvas',
    { path: 'map.canvas', nodes: [{ id: 'a', type: 'text', text: 'Idea' }] },
    { 'map.canvas': 'Idea' },
  ],
  ['move_folder', { folder: 'lists', to: 'all/lists' }, { 'all/lists/Shopping.md': '[[Home]]' }],
  ['restore_note', { path: 'Old.md' }, { 'Old.md': 'old' }],
];

/** Undoing a creation leaves the note in the trash, and moving back an empty folder. */
async function notesIn(folder: string): Promise<Record<string, string>> {
  const entries = Object.entries(await snapshot(folder));
  const isNote = ([path, text]: [string, string]) => text !== '(not a file)' && !path.startsWith('.trash');
  return Object.fromEntries(entries.filter(isNote));
}

/** What a person can do with the proposal that an answer speaks of. */
function person({ served }: ServedSets) {
  const parts = async () => {
    const changes = (await served.changes())!;
    return { changes, desk: changes.tracking.desk!, history: changes.tracking.history! };
  };
  return {
    async accept(answer: string): Promise<void> {
      const { desk } = await parts();
      const id = /proposal (p\w{16})/.exec(answer)?.[1] ?? answer;
      const proposal = (await desk.proposals.get(id))!;
      const { conflicts } = await decide(desk, id, { accept: acceptAll(proposal), reject: [] }, 'person');
      expect(conflicts).toEqual([]);
    },
    /** Undoes the last change. */
    async undo(): Promise<void> {
      const { changes, history } = await parts();
      const [last] = await history.list({}, 1);
      const { conflicts } = await createUndo({ ...changes, history })(
        [last!],
        {},
        { dryRun: false, copies: false },
      );
      expect(conflicts).toEqual([]);
    },
  };
}

test('nothing is written until it is accepted; then it is one change, and undone as one', async () => {
  const served = await withSetsInFolder(SETS, SEED, { review: 'all' });
  const { call, folder } = served;
  const { accept, undo } = person(served);
  const before = await notesIn(folder);
  const recorded = async () => (await call('list_changes', { limit: 50 })).json.changes.length;
  for (const [tool, args, texts] of CHANGES) {
    await call('read_note', { path: 'Home.md' });
    const count = await recorded();
    const { text, isError } = await call(tool, args);
    expect([tool, isError, text]).toEqual([tool, false, expect.stringMatching(/proposal p\w{16}/)]);
    expect([tool, await notesIn(folder), await recorded()]).toEqual([tool, before, count]);
    await accept(text);
    const after = await notesIn(folder);
    for (const [path, piece] of Object.entries(texts))
      expect([tool, after[path]]).toEqual([tool, expect.stringContaining(piece)]);
    const changed = Object.keys(texts).filter((path) => after[path] !== before[path]);
    expect([tool, changed, await recorded()]).toEqual([tool, Object.keys(texts), count + 1]);
    await undo();
    expect([tool, await notesIn(folder)]).toEqual([tool, before]);
  }
});

test('in a SilverBullet space and a Trilium too', async () => {
  const space = await withSetsInSpace(['tasks'], { 'Inbox.md': '* [ ] call\n' }, { review: 'all' });
  const proposed = await space.call('check_task', { path: 'Inbox.md', text: 'call' });
  expect(space.disk.text('Inbox.md')).toBe('* [ ] call\n');
  await person(space).accept(proposed.text);
  expect(space.disk.text('Inbox.md')).toBe('* [x] call\n');
  await person(space).undo();
  expect(space.disk.text('Inbox.md')).toBe('* [ ] call\n');

  const notes = [{ id: 'abcd', title: 'A', content: '<h2>Plan</h2><p>text</p>' }];
  const trilium = await withSetsInTrilium(['sections'], notes, { review: 'all' });
  const before = trilium.fake.text('abcd');
  const edit = { path: 'A', heading: 'Plan', mode: 'append', content: 'more' };
  const { text } = await trilium.call('edit_section', edit);
  expect(trilium.fake.text('abcd')).toBe(before);
  await person(trilium).accept(text);
  expect(trilium.fake.text('abcd')).toContain('<p>more</p>');
  await person(trilium).undo();
  expect(trilium.fake.text('abcd')).toBe(before);
});
