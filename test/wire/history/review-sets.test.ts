/** Changes by the tools of sets, where a person decides on them: proposed, accepted as one change, undone as one. */
import { expect, test } from 'vitest';
import { withSetsInFolder } from '../../kit/note-sets.ts';
import { snapshot } from '../notebook/support.ts';
import { person } from './reviewer.ts';

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

test('nothing is written until it is accepted; then it is one change, and undone as one', async () => {
  const served = await withSetsInFolder(SETS, SEED, { review: 'all' });
  const { call, folder } = served;
  const { accept, undo, recorded } = person(served);
  const before = await notesIn(folder);
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
