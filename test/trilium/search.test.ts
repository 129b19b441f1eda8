/** Searching: what Trilium swallows, guesses and cuts wrongly does not reach the reader unsaid. */
import { describe, expect, test } from 'vitest';
import { type SearchInput, searchNotes } from '../../src/stores/trilium/search/find.ts';
import { asked, caught, start } from './kit.ts';

const NOTES = [
  { id: 'alpha0000001', title: 'alpha roadmap 95', content: '<p>bananas</p>', labels: { rank: '10' } },
  {
    id: 'beta00000001',
    title: 'Beta roadmap 9',
    content: '<p>meeting about niagara</p>',
    labels: { rank: '9' },
  },
  {
    id: 'gamma0000001',
    title: 'gamma',
    type: 'code',
    mime: 'text/plain',
    content: 'x',
    children: [{ id: 'niagara00001', title: 'niagara niagara 636', content: '<p>falls</p>' }],
  },
  { id: 'delta0000001', title: 'Delta 2026-01-01', content: '<p>bananas and niagara</p>' },
];

async function begin() {
  const { fake, client } = await start({ notes: NOTES });
  const search = (input: string | (Partial<SearchInput> & { query: string })) =>
    searchNotes(client, typeof input === 'string' ? { query: input } : input);
  const ids = async (input: Parameters<typeof search>[0]) =>
    (await search(input)).results.map(({ noteId }) => noteId.slice(0, 5));
  return { fake, client, search, ids };
}

describe('finding', () => {
  test('words, structure and prefixes', async () => {
    const { ids } = await begin();
    expect(await ids('bananas niagara')).toEqual(['delta']);
    expect(await ids('note.type = code')).toEqual(['gamma']);
    expect(await ids('title:roadmap 9')).toEqual(['beta0', 'alpha']);
    expect(await ids('bananas or meeting')).toEqual(['beta0', 'delta', 'alpha']);
    expect(await ids('bananas or note.type = code')).toEqual(['delta', 'alpha', 'gamma']);
  });

  test('an id, in one request; as text when there is none', async () => {
    const { fake, search } = await begin();
    expect(await search('id:alpha0000001')).toMatchObject({ searchMode: 'id', total: 1 });
    expect(await search('beta00000001')).toMatchObject({ searchMode: 'id', total: 1 });
    expect(asked(fake)).toEqual(['GET /notes/alpha0000001', 'GET /notes/beta00000001']);
    const missed = await search('id:nope00000001');
    expect(missed).toMatchObject({ searchMode: 'exact', total: 0 });
    expect(missed.notes[0]).toContain('There is no note with the id nope00000001');
  });

  test('nothing is sent that Trilium would guess at', async () => {
    const { fake, search } = await begin();
    for (const query of ['note.nonsense = 1', '(#status', '#status =', '#status done'])
      expect(await caught(search(query))).toMatchObject({ code: 'invalid_input' });
    expect(fake.requests).toEqual([]);
  });

  test('brackets, not, and AND beside OR are understood', async () => {
    const { ids } = await begin();
    const found = async (query: string) => (await ids(query)).sort();
    expect(await found('(note.type = code or #rank = 9) note.title *=* a')).toEqual(['beta0', 'gamma']);
    expect(await found('not(#rank) note.type = text note.title *=* delta')).toEqual(['delta']);
    expect(await found('note.title *=* roadmap not #rank = 9')).toEqual(['alpha']);
    expect(await found('#rank = 9 or note.type = code and note.title = gamma')).toEqual(['beta0', 'gamma']);
    expect(await found('bananas (#rank = 10 or note.type = code)')).toEqual(['alpha']);
    expect(await found('C# gamma')).toEqual([]);
  });

  test('below the root the depth is that of the tree', async () => {
    const { ids } = await begin();
    const at = async (ancestorDepth: string) =>
      (await ids({ query: "note.noteId != ''", ancestorNoteId: 'root', ancestorDepth })).sort();
    expect(await at('eq1')).toEqual(['alpha', 'beta0', 'delta', 'gamma']);
    expect(await at('eq2')).toEqual(['niaga']);
    expect(await at('gt1')).toEqual(['niaga']);
    expect(await at('lt2')).toEqual(['alpha', 'beta0', 'delta', 'gamma', 'root']);
  });

  test('the hidden part of the tree is not among the results', async () => {
    const { ids } = await begin();
    expect(await ids('#!nothing')).not.toContain('_hidd');
  });
});

describe('order and size', () => {
  test.each<[string, 'asc' | 'desc', string[]]>([
    ['title', 'asc', ['alpha', 'beta0', 'delta']],
    ['title', 'desc', ['delta', 'beta0', 'alpha']],
    ['note.title', 'asc', ['alpha', 'beta0', 'delta']],
    ['#rank', 'asc', ['beta0', 'alpha', 'delta']],
    ['#rank', 'desc', ['alpha', 'beta0', 'delta']],
  ])('by %s %s', async (orderBy, orderDirection, expected) => {
    const { ids } = await begin();
    const query = 'note.type = text and note.parents.noteId = root';
    expect(await ids({ query, orderBy, orderDirection })).toEqual(expected);
  });

  test('the best are not cut away: the limit comes after the ranking', async () => {
    const { fake, search, ids } = await begin();
    expect(await ids({ query: 'niagara', limit: 1 })).toEqual(['niaga']);
    expect(fake.requests[0]).not.toContain('limit');
    const first = await search({ query: 'niagara', limit: 2 });
    expect(first).toMatchObject({ total: 3, offset: 0, nextOffset: 2 });
    const second = await search({ query: 'niagara', limit: 2, offset: 2 });
    expect(second.results).toHaveLength(1);
    expect(second.nextOffset).toBeUndefined();
    expect(new Set([...first.results, ...second.results].map(({ noteId }) => noteId)).size).toBe(3);
  });

  test('an order inside the query is kept', async () => {
    const { ids } = await begin();
    const order = (direction: string) => `note.title *=* roadmap orderBy note.title ${direction}`;
    expect(await ids(order('asc'))).toEqual(['alpha', 'beta0']);
    expect(await ids(order('desc'))).toEqual(['beta0', 'alpha']);
    expect(await ids(`${order('desc')} limit 1`)).toEqual(['beta0']);
  });

  test('an unknown order is refused', async () => {
    const { fake, search } = await begin();
    expect(await caught(search({ query: 'x', orderBy: 'colour' }))).toMatchObject({ code: 'invalid_input' });
    expect(fake.requests).toEqual([]);
  });
});

describe('less strictly', () => {
  test('when no note holds all the words', async () => {
    const { search } = await begin();
    const found = await search('roadmap zebra niagara');
    expect(found).toMatchObject({
      searchMode: 'fuzzy',
      fuzzyTerms: ['roadmap', 'zebra', 'niagara'],
      termsMatchedInTitleOrAttributes: { roadmap: 2, zebra: 0, niagara: 1 },
    });
    expect(found.results.map(({ title }) => title)).toHaveLength(4);
    expect(found.notes[0]).toContain('No note holds all of these words');
  });

  test('not for one word, not when fuzzy is off, at once when it is forced', async () => {
    const { search } = await begin();
    expect(await search('zebras')).toMatchObject({ searchMode: 'exact', total: 0 });
    expect(await search({ query: 'roadmap zebras', fuzzy: 'off' })).toMatchObject({
      searchMode: 'exact',
      total: 0,
    });
    expect(await search({ query: 'roadmap', fuzzy: 'force' })).toMatchObject({
      searchMode: 'fuzzy',
      total: 2,
    });
    const structured = await search({ query: 'note.type = code', fuzzy: 'force' });
    expect(structured).toMatchObject({ searchMode: 'exact', total: 1 });
    expect(structured.notes.join()).toContain('searched for exactly');
  });

  test('the best come first, unless another order is asked for', async () => {
    const { ids } = await begin();
    expect((await ids('alpha roadmap zebras'))[0]).toBe('alpha');
    expect(await ids({ query: 'alpha roadmap zebras', orderBy: 'title', orderDirection: 'desc' })).toEqual([
      'beta0',
      'alpha',
    ]);
  });
});

describe('honesty', () => {
  test('a spelling that was guessed is not passed off as a hit', async () => {
    const { search } = await begin();
    const found = await search('gamna');
    expect(found.total).toBe(1);
    expect(found.notes.join()).toContain('guessed at a spelling');
    expect((await search('gamma')).notes).toEqual([]);
  });

  test('a condition that matches nearly everything is said to', async () => {
    const { search } = await begin();
    expect((await search('#!nothing')).notes.join()).toContain('nearly every note');
  });

  test('below a note that does not exist nothing is found, and it is said why', async () => {
    const { search } = await begin();
    expect(await caught(search({ query: 'bananas', ancestorNoteId: 'nope00000001' }))).toMatchObject({
      code: 'not_found',
      upstream: { code: 'NOTE_NOT_FOUND' },
    });
    expect(await search({ query: 'bananas', ancestorNoteId: 'gamma0000001' })).toMatchObject({ total: 0 });
  });

  test('what Trilium says about its own work is passed on when asked for', async () => {
    const { search } = await begin();
    expect(await search({ query: '#rank', debug: true })).toHaveProperty('debugInfo');
    expect(await search('#rank')).not.toHaveProperty('debugInfo');
  });
});
