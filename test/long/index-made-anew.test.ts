import { expect, it } from 'vitest';
import { at, searchIn } from '../search/kit.ts';

it('an index is made anew when it has become mostly the memory of old texts', async () => {
  const { paths, store, searcher } = await searchIn({ 'a.md': 'constant', 'b.md': 'x' });
  for (let round = 0; round < 5_100; round++) {
    await store.write(at('b.md'), `round ${round}`);
    await searcher.settled();
  }
  expect(await paths('constant')).toEqual(['a.md']);
  expect(await paths('round 5099')).toEqual(['b.md']);
  expect(await paths('"12"')).toEqual([]);
});
