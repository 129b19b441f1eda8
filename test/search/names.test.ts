import { expect, it } from 'vitest';
import { searchIn } from './kit.ts';

it('knows which notes may be called so by the rarest word of the name, whatever the name is made of', async () => {
  const { searcher, paths } = await searchIn({
    'a/Plan of 2026.md': 'x',
    'b/plan.md': '2026',
    'b/計画.md': 'x',
    'c/++.md': 'x',
    'c/Größe (alt).txt': 'plan',
  });
  const called = async (name: string) => (await searcher.maybeCalled(name)).toSorted();
  expect(await called('Plan of 2026')).toEqual(['a/Plan of 2026.md']);
  expect(await called('b/plan.md')).toContain('b/plan.md');
  expect(await called('計画')).toEqual(['b/計画.md']);
  expect(await called('GRÖSSE (alt)')).toEqual(['c/Größe (alt).txt']);
  expect(await called('++')).toHaveLength(5);
  expect(await called('nothing of the kind')).toEqual([]);
  expect(await paths('', { filter: { under: 'b' as never } })).toEqual(['b/plan.md', 'b/計画.md']);
});
