/** The excerpt of a hit shows the places that answer, not the first place with any word of the question. */
import { expect, test } from 'vitest';
import { excerptOf, excerptShapes } from '../../src/search/query/excerpt.ts';
import { searchIn } from './kit.ts';

const filler = 'We got together to talk about the week and what to eat. '.repeat(12);

async function firstHit(text: string, query: string) {
  const { searcher } = await searchIn({
    'a.md': text,
    'b.md': 'Caroline went to work. We talk about the week.',
    'c.md': 'Caroline likes the week.',
  });
  await searcher.settled();
  const { hits } = await searcher.search({ query, limit: 5 });
  const hit = hits.find(({ path }) => path === 'a.md');
  expect(hit).toBeDefined();
  return hit!;
}

test('rare words decide where it is, and stop words inside other words do not', async () => {
  const text = `${filler}\n\nCaroline joined the LGBTQ support group in May.\n\n${filler}`;
  const { excerpt, match, line } = await firstHit(text, 'When did Caroline go to the LGBTQ support group?');
  expect(excerpt).toContain('Caroline joined the LGBTQ support group in May.');
  expect(excerpt.slice(match?.start, match?.end)).toBe('Caroline');
  expect(line).toBe(3);
});

test('words that stand in two places are shown in both, with whole words at the edges', async () => {
  const text = `${filler}\n\nThe anemometer was repaired.\n\n${filler}${filler}\n\nA barometer hung beside it.\n\n${filler}`;
  const { excerpt } = await firstHit(text, 'Caroline anemometer barometer');
  expect(excerpt).toContain('The anemometer was repaired.');
  expect(excerpt).toContain('A barometer hung beside it.');
  expect(excerpt).toMatch(/^\.\.\.\S.* \.\.\. .*\S\.\.\.$/);
  const words = new Set(text.split(/\s+/));
  for (const word of excerpt.split(/\s+|\.\.\./).filter((each) => each !== '')) expect(words).toContain(word);
});

test('words among signs are whole, too, in code and addresses and where there is no place to show', async () => {
  const address = `https://example.org/${'configuration/of/the/archive/'.repeat(9)}`;
  const { excerpt } = await firstHit(
    `${address}anemometer/${'barometer/of/the/harbour/'.repeat(9)}`,
    'anemometer',
  );
  const known = /^(?:https|example|org|configuration|of|the|archive|anemometer|barometer|harbour)$/;
  const parts = excerpt.match(/[a-z]+/g) ?? [];
  expect(parts).toContain('anemometer');
  expect(parts.filter((part) => !known.test(part))).toEqual([]);
  const opening = await firstHit(`Caroline ${'harbour/'.repeat(60)}`, 'carolinne');
  expect(
    opening.excerpt.match(/[a-z]+/g)?.filter((part) => part !== 'aroline' && part !== 'harbour'),
  ).toEqual([]);
});

test('an inflection is shown, and the query as it stands comes before its words', async () => {
  const inflected = await firstHit(
    `${filler} She was repairing barometers. ${filler}`,
    'repair of a barometer',
  );
  expect(inflected.excerpt).toContain('She was repairing barometers.');
  const literal = await firstHit(
    `A barometer for repair. ${filler} The barometer repair shop. ${filler}`,
    'barometer repair',
  );
  expect(literal.excerpt).toContain('The barometer repair shop');
});

test('scripts without spaces and texts of one long run have an excerpt too', async () => {
  const japanese = await firstHit(`${'これは別の話です。'.repeat(60)}東京の人口は多い。`, '東京の人口');
  expect(japanese.excerpt).toContain('東京の人口');
  const run = await firstHit(
    `${'x'.repeat(5_000)} anemometer ${'y'.repeat(5_000)} barometer`,
    'anemometer barometer scale',
  );
  expect(run.excerpt).toContain('anemometer');
  expect(run.excerpt.length).toBeLessThan(500);
});

test('the room of an answer is spread by rank, and fewer hits have more of it', () => {
  const charactersOf = (hits: number, room: number) =>
    excerptShapes(hits, room).map(({ most, length }) => most * length);
  expect(charactersOf(10, 1_056)).toEqual([264, 198, 132, 66, 66, 66, 66, 66, 66, 66]);
  expect(charactersOf(3, 1_700)).toEqual([600, 450, 300]);
  // Long paths leave little: then each hit has one place, and never less than a few words.
  expect(charactersOf(10, 590)).toEqual(new Array(10).fill(59));
  expect(charactersOf(10, -500)).toEqual(new Array(10).fill(45));
  expect(excerptShapes(0, 100)).toEqual([]);
});

test('the line after the one with the words of the question is shown before a line with fewer of them', async () => {
  const asked = `Did you go to the support group? ${filler.slice(0, 220)}\n\nThe group was warm.`;
  const text = `${filler}\n\nThe group sang.\n\n${filler}\n\n${asked}\n\n${filler}`;
  const { excerpt } = await firstHit(text, 'a group for support');
  expect(excerpt).toContain('Did you go to the support group');
  expect(excerpt).toContain('The group was warm.');
  expect(excerpt).not.toContain('sang');
});

test('places that touch are shown as one', async () => {
  const { excerpt } = await firstHit('alpha beta gamma delta anemometer barometer', 'anemometer alpha');
  expect(excerpt).toBe('alpha beta gamma delta anemometer barometer');
});

const properties = `---
created: 2026-01-02
due: 2026-12-01
status: open
tags:
  - home
  - wood
owner: "[[Ana Ferreira]]"
summary: ${'long '.repeat(30)} anemometer ${'long '.repeat(30)}
---
`;
const oak = 'The bookshelf of oak stands in the study, with paint and screws. '.repeat(12);

test.each([
  ['bookshelf due', 'due: 2026-12-01'],
  ['when is the bookshelf due', 'due: 2026-12-01'],
  ['bookshelf 2026-12-01', 'due: 2026-12-01'],
  ['the status of the bookshelf', 'status: open'],
  ['bookshelf home', '- home - wood'],
  ['bookshelf owner', 'owner: "[[Ana Ferreira]]"'],
  ['bookshelf anemometer', 'long anemometer long'],
])('for "%s", the property that is asked for is shown beside the text', async (query, property) => {
  const { searcher } = await searchIn({
    'Bookshelf.md': `${properties}# Bookshelf\n\n${oak}It is due one day.`,
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`shelves/${n}.md`, `${properties}# Bookshelf ${n}\n\n${oak}`]),
    ),
    ...Object.fromEntries(
      Array.from({ length: 90 }, (_, n) => [`others/${n}.md`, `${properties}# Other ${n}\n\n${filler}`]),
    ),
  });
  await searcher.settled();
  for (const room of [undefined, 1_500]) {
    const { hits } = await searcher.search({ query, limit: 10, room });
    expect(hits).toHaveLength(10);
    for (const { excerpt } of hits) expect(excerpt).toContain(property);
    const [first] = hits;
    expect(first?.excerpt).toContain('bookshelf of oak');
    expect(first?.excerpt.slice(first.match?.start, first.match?.end)).toMatch(/^\w+$/);
    if (room)
      expect(hits.reduce((sum, { excerpt }) => sum + Buffer.byteLength(excerpt), 0)).toBeLessThan(room);
  }
});

test('no property is shown for words that the name or the body shows', async () => {
  const { searcher } = await searchIn({
    'a.md': `---\ntitle: Oak shelves\ntags: [paint]\n---\n\n${filler}\n\nThe oak wants paint and a barometer.`,
  });
  for (const query of ['oak barometer', 'paint barometer', 'the oak wants paint']) {
    const { hits } = await searcher.search({ query, limit: 1, room: 130 });
    expect(hits[0]?.excerpt).toContain('The oak wants paint');
    expect(hits[0]?.excerpt).not.toMatch(/title:|tags:/);
  }
});

test('a property of which a place shows the beginning is shown once, to its end', () => {
  const text = `alpha: one\nbeta: two three four five\n---\n${filler}`;
  const placeOf = (word: string, whole = word) => {
    const start = text.indexOf(whole);
    return { start, end: start + whole.length, firstEnd: start + word.length };
  };
  const property = placeOf('beta', 'beta: two three four five');
  for (const length of [60, 75, 90]) {
    const { excerpt } = excerptOf(text, { places: [placeOf('alpha')], property }, { length });
    expect(excerpt).toMatch(/^alpha/);
    expect(excerpt.split('beta')).toHaveLength(2);
    expect(excerpt).toContain('beta: two three four five');
  }
});
