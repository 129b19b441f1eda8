import { describe, expect, it } from 'vitest';
import { backlinks } from '../../src/notes/ops/links.ts';
import { at, searchIn } from './kit.ts';

describe('links', () => {
  const seed = {
    'a.md': '# A\n\nSee [[b]] and [c](dir/c.md#h).\n[[nowhere]]',
    'b.md': 'Back to [[a|the first]].',
    'dir/c.md': '`[[a]]` is code',
    'lonely.md': '[[lonely]]',
  };

  it('lead both ways, with their lines', async () => {
    const { searcher } = await searchIn(seed);
    const { incoming, outgoing } = await backlinks(searcher, at('a.md'));
    expect(incoming).toEqual([{ from: 'b.md', target: 'a', line: 1, to: 'a.md' }]);
    expect(outgoing.map(({ to, line }) => [to, line])).toEqual([
      ['b.md', 3],
      ['dir/c.md', 3],
      [undefined, 4],
    ]);
  });

  it('that lead nowhere, and notes nothing leads to, are known', async () => {
    const { searcher } = await searchIn(seed);
    const graph = await searcher.links();
    expect([...graph.unresolved()]).toEqual([{ from: 'a.md', target: 'nowhere', line: 4 }]);
    expect([...graph.orphans()]).toEqual(['lonely.md']);
  });

  it('follow changes', async () => {
    const { searcher, store } = await searchIn(seed);
    await store.write(at('nowhere.md'), 'now it is here');
    expect([...(await searcher.links()).unresolved()]).toEqual([]);
    await store.write(at('b.md'), 'no link');
    expect((await backlinks(searcher, at('a.md'))).incoming).toEqual([]);
  });
});
