import { expect, test } from 'vitest';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { SEED } from './support.ts';

test('get_links shows links in both directions, each with its line and the text of it', async () => {
  const { call } = await withSetsInFolder(['links'], SEED);
  const { json } = await call('get_links', { path: 'Erste' });
  expect(json).toEqual({
    path: 'Spoke One.md',
    total_backlinks: 1,
    total_outgoing: 2,
    backlinks: [
      { path: 'hub.md', link: 'Spoke One', line: 3, text: 'See [[Spoke One]] and [two](sub/two.md).' },
    ],
    outgoing: [
      { path: 'hub.md', link: 'hub', line: 4, text: 'Back to [[hub]], on to [[sub/two|the second]].' },
      {
        path: 'sub/two.md',
        link: 'sub/two',
        line: 4,
        text: 'Back to [[hub]], on to [[sub/two|the second]].',
      },
    ],
  });
  const broken = (await call('get_links', { path: 'lost', direction: 'outgoing', limit: 1 })).json;
  expect(broken).toMatchObject({ backlinks: [], outgoing: [{ link: 'Spoke Onne', broken: true, line: 1 }] });
  expect(broken.note).toContain('1 to 1 of 2');
  const rest = (await call('get_links', { path: 'lost', direction: 'outgoing', cursor: broken.next_cursor }))
    .json;
  expect(rest.outgoing.map(({ link }: { link: string }) => link)).toEqual(['zzzzqqqq']);
  expect(rest.next_cursor).toBeUndefined();
  const files = (await call('get_links', { path: 'sub/two.md', direction: 'outgoing' })).json;
  expect(files.outgoing[1]).toEqual({
    link: 'picture.png',
    line: 1,
    text: 'On to [[three]]. ![[picture.png]]',
  });
});

test('a long line is shown around its link', async () => {
  const long = `${'words and '.repeat(60)}[[target]]${' more words'.repeat(60)}`;
  const { call } = await withSetsInFolder(['links'], { 'a.md': long, 'target.md': 'x' });
  const { backlinks } = (await call('get_links', { path: 'target' })).json;
  expect(backlinks[0].text).toMatch(/^….*\[\[target\]\].*…$/);
  expect(backlinks[0].text.length).toBeLessThan(180);
});

test('find_broken_links names the nearest note, and none where none is near', async () => {
  const { call } = await withSetsInFolder(['links'], {
    ...SEED,
    'titles.md': '[[Great Hall]] [[sub/Thre]] [[ERSTE!]] [[#here]]\n',
    'x1.md': '# The Great Hall\n',
    'x2.md': '---\ntitle: Great-Hall\n---\n',
  });
  const { json } = await call('find_broken_links');
  const links = json.broken.map(({ path, line, link, nearest }: Record<string, unknown>) => [
    path,
    line,
    link,
    nearest,
  ]);
  expect(links).toEqual([
    ['sub/lost.md', 1, 'Spoke Onne', 'Spoke One.md'],
    ['sub/lost.md', 1, 'zzzzqqqq', undefined],
    ['titles.md', 1, 'Great Hall', 'x2.md'],
    ['titles.md', 1, 'sub/Thre', 'sub/three.md'],
    ['titles.md', 1, 'ERSTE!', 'Spoke One.md'],
  ]);
  expect(json.total).toBe(5);
  expect((await call('find_broken_links', { folder: 'sub' })).json.total).toBe(2);
  const first = (await call('find_broken_links', { limit: 3 })).json;
  const second = (await call('find_broken_links', { limit: 3, cursor: first.next_cursor })).json;
  expect([...first.broken, ...second.broken]).toEqual(json.broken);
});

test('find_orphans lists what nothing links to', async () => {
  const { call } = await withSetsInFolder(['links'], SEED);
  expect((await call('find_orphans')).json).toEqual({
    total: 2,
    orphans: [
      { path: 'alone.md', outgoing: 0 },
      { path: 'sub/lost.md', outgoing: 0 },
    ],
  });
  expect((await call('find_orphans', { folder: 'sub' })).json.total).toBe(1);
  const linked = await withSetsInFolder(['links'], { 'a.md': '[[b]]', 'b.md': 'x', 'c.md': 'x' });
  expect((await linked.call('find_orphans', { isolated: true })).json.orphans).toEqual([
    { path: 'c.md', outgoing: 0 },
  ]);
});

test('explore_links walks to the depth asked for, and finds the shortest way', async () => {
  const { call } = await withSetsInFolder(['links'], SEED);
  expect((await call('explore_links', { path: 'sub/three.md', depth: 1 })).json.notes).toEqual([
    { path: 'sub/two.md', distance: 1, through: 'sub/three.md', direction: 'incoming' },
  ]);
  const { notes, total } = (await call('explore_links', { path: 'sub/three.md', depth: 2 })).json;
  expect(total).toBe(3);
  expect(notes.slice(1).map(({ path }: { path: string }) => path)).toEqual(['Spoke One.md', 'hub.md']);
  const { way, links, connected } = (await call('explore_links', { path: 'three', to: '[[Hub]]' })).json;
  expect(connected).toBe(true);
  expect(way).toEqual(['sub/three.md', 'sub/two.md', 'hub.md']);
  expect(links).toEqual([
    { path: 'sub/two.md', to: 'sub/three.md', line: 1, link: 'three' },
    { path: 'hub.md', to: 'sub/two.md', line: 3, link: 'sub/two.md' },
  ]);
  expect((await call('explore_links', { path: 'hub', to: 'alone' })).json).toEqual({
    path: 'hub.md',
    to: 'alone.md',
    connected: false,
  });
  expect((await call('explore_links', { path: 'hub', to: 'hub.md' })).json.way).toEqual(['hub.md']);
  const first = (await call('explore_links', { path: 'hub', limit: 1 })).json;
  const second = (await call('explore_links', { path: 'hub', cursor: first.next_cursor })).json;
  expect([...first.notes, ...second.notes]).toHaveLength(first.total);
});

test('what changes is known at once', async () => {
  const { call } = await withSetsInFolder(['links'], SEED);
  expect((await call('find_orphans')).json.total).toBe(2);
  await call('write_note', { path: 'new.md', content: '[[alone]] [[lost]]' });
  expect((await call('find_orphans')).json.orphans).toEqual([{ path: 'new.md', outgoing: 2 }]);
});

test('the links of a space', async () => {
  const { call } = await withSetsInSpace(['links'], SEED);
  const { json } = await call('get_links', { path: 'hub' });
  expect(json.backlinks).toEqual([
    {
      path: 'Spoke One.md',
      link: 'hub',
      line: 4,
      text: 'Back to [[hub]], on to [[sub/two|the second]].',
    },
  ]);
  expect((await call('find_broken_links')).json.broken[0]).toMatchObject({ nearest: 'Spoke One.md' });
  expect((await call('explore_links', { path: 'three', to: 'hub' })).json.way).toHaveLength(3);
  expect((await call('find_orphans')).json.total).toBe(2);
});

test('the links of a Trilium', async () => {
  const { call } = await withSetsInTrilium(
    ['links'],
    [
      { id: 'hub1', title: 'Hub', content: '<p>See [[Two]]</p>' },
      { id: 'two2', title: 'Two', content: '<p>end</p>' },
      { id: 'one3', title: 'Alone', content: '<p>nothing</p>' },
    ],
  );
  const { json } = await call('get_links', { path: 'Two' });
  expect(json.backlinks).toEqual([{ path: 'Hub.md', link: 'Two', line: 1, text: 'See [[Two]]' }]);
  expect((await call('explore_links', { path: 'Hub', to: 'Two' })).json.way).toEqual(['Hub.md', 'Two.md']);
  expect((await call('find_orphans')).json.orphans.map(({ path }: { path: string }) => path)).toContain(
    'Alone.md',
  );
  expect((await call('find_broken_links')).json).toMatchObject({ total: 0, broken: [] });
  expect(json.warning).toContain('are not followed');
});
