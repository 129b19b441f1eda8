import { describe, expect, it } from 'vitest';
import { at, searchIn } from './kit.ts';

describe('what is found', () => {
  it('takes curly quotes and long dashes for those on a keyboard, and the other way round', async () => {
    const { paths } = await searchIn({
      'a.md': 'We don’t say “never” – or—do we?',
      'b.md': 'plain don\'t "never" -',
    });
    expect((await paths("don't")).sort()).toEqual(['a.md', 'b.md']);
    expect((await paths('don’t')).sort()).toEqual(['a.md', 'b.md']);
    expect(await paths('or-do')).toEqual(['a.md']);
    expect((await paths('don’t', { caseSensitive: true }))[0]).toBe('a.md');
  });

  it('finds a note by any part of its text, in any script', async () => {
    const { paths } = await searchIn({
      'cpp.md': 'Written in C++ and C#.',
      'snake.md': 'call foo_bar(baz)',
      'ja.md': '今日は日本語のノートです',
      'emoji.md': 'Launch 🚀 now → there',
      'accent.md': 'Ein Café in Zürich',
      'nfd.md': 'Re\u0301sume\u0301',
      'long.md': `x${'abcdef0123456789'.repeat(40)}needle${'9'.repeat(300)}`,
      'two.md': 'first line\r\nsecond line',
    });
    const cases: [string, string][] = [
      ['c++', 'cpp.md'],
      ['C#', 'cpp.md'],
      ['foo_bar', 'snake.md'],
      ['oo_ba', 'snake.md'],
      ['bar(b', 'snake.md'],
      ['日本', 'ja.md'],
      ['本語の', 'ja.md'],
      ['🚀', 'emoji.md'],
      ['→', 'emoji.md'],
      ['cafe', 'accent.md'],
      ['zurich', 'accent.md'],
      ['ZÜRICH', 'accent.md'],
      ['Résumé', 'nfd.md'],
      ['resume', 'nfd.md'],
      ['needle', 'long.md'],
      ['line\nsecond', 'two.md'],
      ['t line', 'two.md'],
    ];
    for (const [query, path] of cases)
      expect([query, await paths(query)]).toEqual([query, expect.arrayContaining([path])]);
  });

  it('finds signs that are no words in any of many notes', async () => {
    const { searcher, paths } = await searchIn({
      ...Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`many/${n}.md`, `The bird ${n}.`])),
      'z.md': 'As in §§ 3 and 4, a && b: the bees.',
    });
    await searcher.settled();
    expect(await paths('§§')).toEqual(['z.md']);
    expect(await paths('&&')).toEqual(['z.md']);
    expect(await paths(': The b')).toEqual(['z.md']);
  });

  it('finds inflections, and words that contain the word', async () => {
    const { paths } = await searchIn({
      'a.md': 'The tests were running',
      'b.md': 'A protest',
      'c.md': 'unrelated',
    });
    expect(await paths('test')).toEqual(['a.md', 'b.md']);
    expect(await paths('run')).toEqual(['a.md']);
  });

  it('finds what was probably meant when little matches as typed', async () => {
    const { paths } = await searchIn({ 'a.md': 'Kubernetes cluster', 'b.md': 'nothing' });
    expect(await paths('kubernets')).toEqual(['a.md']);
    expect(await paths('kubrenetes')).toEqual(['a.md']);
    expect(await paths('kubern')).toEqual(['a.md']);
    expect(await paths('zzzzzz')).toEqual([]);
  });

  it('takes quoted words together', async () => {
    const { paths } = await searchIn({
      'a.md': 'amber lighthouse keeper',
      'b.md': 'the keeper of the amber lighthouse',
    });
    expect(await paths('"amber lighthouse keeper"')).toEqual(['a.md']);
    expect(await paths('amber lighthouse keeper')).toEqual(['a.md', 'b.md']);
  });

  it('puts names and titles above text, all words above some, newer above older', async () => {
    const { paths, store } = await searchIn({
      'body.md': 'a word about gardening here and there',
      'Gardening.md': 'something else',
      'title.md': '---\ntitle: Gardening\n---\ntext',
      'tagged.md': '---\ntags: [gardening]\n---\ntext with more words than usual so that it is longer',
    });
    const order = await paths('gardening');
    expect(order.slice(0, 2).sort()).toEqual(['Gardening.md', 'title.md']);
    expect(order).toHaveLength(4);
    expect(order.at(-1)).toBe('body.md');
    await store.write(at('x/one.md'), 'alpha beta gamma');
    await store.write(at('x/two.md'), 'alpha alpha alpha alpha');
    expect((await paths('alpha gamma'))[0]).toBe('x/one.md');
  });

  it('respects case and accents when asked', async () => {
    const { paths } = await searchIn({ 'a.md': 'Rust', 'b.md': 'rust', 'c.md': 'Rüst' });
    expect(await paths('Rust', { caseSensitive: true })).toEqual(['a.md']);
    expect((await paths('rust')).sort()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('searches text or frontmatter alone when asked', async () => {
    const { paths } = await searchIn({
      'a.md': '---\nauthor: Kim\n---\ntext',
      'b.md': '---\nx: 1\n---\nKim was here',
    });
    expect(await paths('kim', { inFrontmatter: false })).toEqual(['b.md']);
    expect(await paths('kim', { inText: false })).toEqual(['a.md']);
  });

  it('narrows by folder, tag, field, time and pattern', async () => {
    const { paths, searcher } = await searchIn({
      'a/one.md': '---\nstatus: done\ntags: [work/plan]\n---\nkey 2024-05-01',
      'a/two.md': '---\nstatus: open\n---\nkey #work',
      'b/three.md': 'key',
    });
    expect((await paths('key', { filter: { under: at('a') } })).sort()).toEqual(['a/one.md', 'a/two.md']);
    expect((await paths('key', { filter: { tags: ['#Work'] } })).sort()).toEqual(['a/one.md', 'a/two.md']);
    expect(await paths('key', { filter: { fields: { status: 'done' } } })).toEqual(['a/one.md']);
    expect(await paths('key', { filter: { pattern: '\\d{4}-\\d\\d' } })).toEqual(['a/one.md']);
    expect(await paths('', { filter: { tags: ['work'] } })).toHaveLength(2);
    expect(await paths('key', { filter: { modifiedAfter: Date.now() + 60_000 } })).toEqual([]);
    await expect(searcher.search({ query: 'key', limit: 5, filter: { pattern: '(' } })).rejects.toMatchObject(
      { code: 'invalid_input' },
    );
  });

  it.each([
    ['Work/Plan-2', ['work', 'WORK/plan-2', '#work/Plan-2'], ['plan', 'work/plan', 'wor']],
    ['Ελλάδα/ΟΔΟΣ', ['ελλάδα', 'ελλάδα/οδος'], ['οδος']],
    ['日本/旅行', ['日本', '日本/旅行'], ['日', '旅行']],
    ['🎉', ['🎉'], ['🎈']],
    ['a_b', ['A_b'], ['a', 'b']],
    ['Straße', ['straße'], ['strasse']],
  ])('finds the tag %s by itself and those above it, and by no other', async (tag, names, others) => {
    const { paths } = await searchIn({
      'listed.md': `---\ntags: ["${tag}"]\n---\nsome key\n`,
      'inline.md': `key #${tag}\n\n${'x'.repeat(5_000)}\n`,
      'other.md': `key ${tag}\n`,
    });
    for (const query of ['key', ''])
      for (const [tags, found] of [
        [names, ['inline.md', 'listed.md']],
        [others, []],
      ] as const)
        for (const name of tags)
          expect((await paths(query, { filter: { tags: [name] } })).sort(), `${name} ${query}`).toEqual(
            found,
          );
    expect((await paths('', { filter: { tags: names } })).sort()).toEqual(['inline.md', 'listed.md']);
  });

  it('finds Greek words in capitals and in small letters', async () => {
    const { paths } = await searchIn({ 'a.md': 'Η ΟΔΟΣ ΜΟΥ', 'b.md': 'ο δρόμος και η οδός' });
    for (const query of ['οδος', 'ΟΔΟΣ', 'οδός'])
      expect((await paths(query)).sort()).toEqual(['a.md', 'b.md']);
  });

  it('stops a pattern that would take for ever', async () => {
    const { searcher } = await searchIn({ 'a.md': `key ${'a'.repeat(40)}!` });
    const endless = searcher.search({ query: 'key', limit: 5, filter: { pattern: '(a+)+$' } });
    await expect(endless).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('sorts by name, time and kind, and pages without repeating', async () => {
    const seed = Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [`n${String(i).padStart(2, '0')}.md`, `word ${i}`]),
    );
    const { paths, searcher } = await searchIn({
      ...seed,
      'word.md': 'x',
      'tag.md': '---\ntags: word\n---\n',
    });
    expect((await paths('word', { sort: 'name' }))[0]).toBe('n00.md');
    expect((await paths('word', { sort: 'kind' })).slice(0, 2)).toEqual(['word.md', 'tag.md']);
    const pages = [];
    for (let offset = 0; offset < 30; offset += 10)
      pages.push(...(await paths('word', { offset, limit: 10 })));
    expect(new Set(pages).size).toBe(27);
    expect((await searcher.search({ query: 'word', limit: 5 })).total).toBe(27);
  });

  it('explains each hit by field, line, excerpt and count', async () => {
    const { searcher } = await searchIn({
      'a.md': '---\ntitle: Plan\ntags: [boat]\n---\n\n# Plan\n\nThe boat leaves.\nNo other boat.\n',
      'b.md': '## About a canoe\n\ntext',
    });
    const [hit] = (await searcher.search({ query: 'leaves', limit: 5 })).hits;
    expect(hit).toMatchObject({ path: 'a.md', title: 'Plan', field: 'text', line: 8, count: 1 });
    expect(hit?.excerpt.slice(hit.match?.start, hit.match?.end)).toBe('leaves');
    expect((await searcher.search({ query: 'boat', limit: 5 })).hits[0]).toMatchObject({
      field: 'tag',
      line: 3,
      count: 3,
    });
    expect((await searcher.search({ query: 'canoe', limit: 5 })).hits[0]).toMatchObject({
      field: 'heading',
      line: 1,
    });
  });
});

describe('what else a hit says', () => {
  it('by an underlined title as by another one', async () => {
    const { searcher } = await searchIn({ 'a.md': 'Harbour walk\n====\n\nA walk\nharbour' });
    const { hits } = await searcher.search({ query: 'harbour walk', limit: 1 });
    expect(hits[0]).toMatchObject({ title: 'Harbour walk', field: 'title', line: 1 });
  });

  it('how well it matches, and under which heading', async () => {
    const { searcher } = await searchIn({
      'Needle.md': '# Top\n\n## Needle box\n\nthe needle is here\n',
      'other.md': 'a needle without any heading\n',
    });
    const { hits } = await searcher.search({ query: 'needle', limit: 10, withHeadings: true });
    expect(hits.map(({ path, heading }) => [path, heading])).toEqual([
      ['Needle.md', 'Needle box'],
      ['other.md', undefined],
    ]);
    expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score);
  });

  it('notes below a folder can be left out', async () => {
    const { paths } = await searchIn({ 'a.md': 'needle', 'bin/b.md': 'needle', 'bins.md': 'needle' });
    expect((await paths('needle', { filter: { notUnder: at('bin') } })).sort()).toEqual(['a.md', 'bins.md']);
  });
});
