import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { withFolder, withMemory } from '../../kit/server.ts';
import { checked, expectError } from './support.ts';

const SEED = {
  'notes/auth.md':
    '---\ntitle: Authentication\nowner: Zoe\n---\n# Heading\n\nToken one.\nAnother Token here.\ntoken\n',
  'plan.md': '# The Plan\n\nNothing of note.\n',
  'other.txt': 'plain zoe text\n',
};
const paths = (hits: { p: string }[]) => hits.map(({ p }) => p);

test('a hit has path, title, excerpt, match count and line, and the text block is the list itself', async () => {
  const { call } = await checked(withMemory(SEED));
  const { json, content } = await call('search_notes', { query: 'token' });
  expect(json).toHaveLength(1);
  expect(Object.keys(json[0])).toEqual(['p', 't', 'ex', 'mc', 'ln']);
  expect(json[0]).toMatchObject({ p: 'notes/auth.md', t: 'Authentication', mc: 3, ln: 7 });
  expect(json[0].ex).toContain('Token one.');
  expect(content).toHaveLength(1);
});

test('an excerpt begins with the heading it stands under, unless it is the title', async () => {
  const { call } = await checked(
    withMemory({ 'a.md': '# Boats\n\nA ferry.\n\n## Winter\n\nThe hinge of the ramp froze.\n' }),
  );
  const [under] = (await call('search_notes', { query: 'hinge' })).json;
  expect(under.ex).toBe('# Winter ...The hinge of the ramp froze.');
  const [top] = (await call('search_notes', { query: 'ferry' })).json;
  expect(top.ex).toMatch(/^\.\.\.A ferry\./);
});

test('title comes from frontmatter, else the first heading, else the file name', async () => {
  const { call } = await checked(
    withMemory({ 'a.md': '---\ntitle: T\n---\n# H\nword', 'b.md': '# Head Line #\nword', 'c d.md': 'word' }),
  );
  const { json } = await call('search_notes', { query: 'word' });
  expect(Object.fromEntries(json.map((hit: { p: string; t: string }) => [hit.p, hit.t]))).toEqual({
    'a.md': 'T',
    'b.md': 'Head Line',
    'c d.md': 'c d',
  });
});

test('no hit is an empty list, not an error', async () => {
  const { call } = await checked(withMemory(SEED));
  const { json } = await call('search_notes', { query: 'nowhere' });
  expect(json).toEqual([]);
});

test('text and frontmatter are searched by default, and each can be left out', async () => {
  const { call } = await checked(withMemory(SEED));
  const search = async (query: string, options: object = {}) =>
    paths((await call('search_notes', { query, ...options })).json).sort();
  expect(await search('zoe')).toEqual(['notes/auth.md', 'other.txt']);
  expect(await search('zoe', { searchFrontmatter: false })).toEqual(['other.txt']);
  expect(await search('zoe', { searchContent: false })).toEqual(['notes/auth.md']);
  expect(await search('token', { searchContent: false })).toEqual([]);
  expectError(
    await call('search_notes', { query: 'x', searchContent: false, searchFrontmatter: false }),
    /searchContent and searchFrontmatter are both false/,
  );
});

test('a line found in frontmatter is counted from the top of the file', async () => {
  const { call } = await checked(withMemory(SEED));
  const { json } = await call('search_notes', { query: 'zoe', searchContent: false });
  expect(json[0]).toMatchObject({ p: 'notes/auth.md', ln: 3, mc: 1 });
});

test('case and accents do not matter unless caseSensitive is true', async () => {
  const { call } = await checked(withMemory({ ...SEED, 'fr.md': 'Une ÉTUDE', 'nfd.md': 'une e\u0301tude' }));
  const search = async (query: string, caseSensitive?: boolean) =>
    paths(
      (await call('search_notes', { query, ...(caseSensitive !== undefined && { caseSensitive }) })).json,
    ).sort();
  expect(await search('TOKEN')).toEqual(['notes/auth.md']);
  expect(await search('TOKEN', true)).toEqual([]);
  expect(await search('Token', true)).toEqual(['notes/auth.md']);
  expect(await search('etude')).toEqual(['fr.md', 'nfd.md']);
  expect(await search('étude')).toEqual(['fr.md', 'nfd.md']);
  expect(await search('étude', true)).toEqual(['nfd.md']);
});

test('the query is literal text', async () => {
  const { call } = await checked(withMemory({ 'a.md': 'costs $5 (a+b)*[c] \\d', 'b.md': '55 aab c' }));
  for (const query of ['$5', '(a+b)*', '[c]', '\\d', '.*'])
    expect(paths((await call('search_notes', { query })).json), query).toEqual(
      query === '.*' ? [] : ['a.md'],
    );
});

test('limit defaults to 10, caps the hits, and the answer says how to continue', async () => {
  const seed = Object.fromEntries(
    Array.from({ length: 25 }, (_, i) => [`n${String(i).padStart(2, '0')}.md`, 'word']),
  );
  const { call } = await checked(withMemory(seed));
  // Pages fit together once every note is indexed; until then, notes that are not are ranked by an estimate.
  await vi.waitFor(
    async () => {
      const first = await call('search_notes', { query: 'word' });
      expect(first.json).toHaveLength(10);
      expect(first.content).toHaveLength(2);
      expect(first.content[1]?.text).toBe(
        '25 notes match; hits 1 to 10 shown. Call again with offset=10 for more.',
      );
      const rest = await call('search_notes', { query: 'word', limit: 20, offset: 10 });
      expect(rest.json).toHaveLength(15);
      expect(new Set([...paths(first.json), ...paths(rest.json)]).size).toBe(25);
      expect(rest.content).toHaveLength(1);
    },
    { timeout: 20_000, interval: 50 },
  );
  expect((await call('search_notes', { query: 'word', limit: 3 })).json).toHaveLength(3);
  expect((await call('search_notes', { query: 'word', offset: 99 })).json).toEqual([]);
});

test('prettyPrint indents the list', async () => {
  const { call } = await checked(withMemory({ 'a.md': 'word' }));
  expect((await call('search_notes', { query: 'word' })).text).not.toContain('\n');
  expect((await call('search_notes', { query: 'word', prettyPrint: true })).text).toMatch(
    /^\[\n {2}\{\n {4}"p"/,
  );
});

test('a note named like the query is found and the whole phrase comes before scattered words', async () => {
  const { call } = await checked(
    withMemory({
      'Road map.md': 'nothing else',
      'a.md': 'the map of a road',
      'b.md': 'our road map is here',
      'c.md': 'a road',
    }),
  );
  const { json } = await call('search_notes', { query: 'road map' });
  expect(paths(json)).toEqual(expect.arrayContaining(['Road map.md', 'a.md', 'b.md', 'c.md']));
  expect(paths(json).indexOf('b.md')).toBeLessThan(paths(json).indexOf('a.md'));
  expect(paths(json).at(-1)).toBe('c.md');
});

test('a match in a name alone has no line', async () => {
  const { call } = await checked(withMemory({ 'Roadmap.md': 'text' }));
  const { json } = await call('search_notes', { query: 'roadmap' });
  expect(json).toEqual([{ p: 'Roadmap.md', t: 'Roadmap', ex: 'text', mc: 1 }]);
});

test('hidden, ignored and foreign files are never searched, and unreadable ones do not stop it', async () => {
  const { call } = await checked(
    withFolder(
      {
        'a.md': 'word',
        '.git/x.md': 'word',
        'node_modules/x.md': 'word',
        '.trash/t.md': 'word',
        'drafts/d.md': 'word',
        'p.json': 'word',
        'bad.md': Uint8Array.of(0xff, 0xfe, 0x77),
      },
      { ignore: ['drafts/**'] },
    ),
  );
  expect(paths((await call('search_notes', { query: 'word' })).json)).toEqual(['a.md']);
});

test('an excerpt is short, in one line, and cuts no character in two', async () => {
  const { call } = await checked(
    withMemory({ 'a.md': `${'😀'.repeat(300)}\n\n\nneedle\n${'e\u0301'.repeat(300)}` }),
  );
  const { ex } = (await call('search_notes', { query: 'needle' })).json[0];
  expect(ex).toContain('needle');
  expect(ex.length).toBeLessThan(300);
  expect(ex.isWellFormed()).toBe(true);
  expect(ex).not.toContain('\n');
  expect(ex).toMatch(/^\.\.\..*\.\.\.$/s);
});

test('a thousand notes are searched at once', async () => {
  const seed = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, i) => [
      `f${i % 20}/n${i}.md`,
      `# Note ${i}\n${'filler text '.repeat(40)}\nid${i}x\n`,
    ]),
  );
  const { call } = await checked(withMemory(seed));
  expect(paths((await call('search_notes', { query: 'id777x' })).json)).toEqual(['f17/n777.md']);
});

test('a client that asks for progress gets it while a search waits for similar words', async () => {
  const seed = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`n${i}.md`, `word ${'text '.repeat(200)}`]),
  );
  const { client } = await withMemory(seed);
  const notifications: { progress: number; total?: number | undefined }[] = [];
  await client.callTool(
    { name: 'search_notes', arguments: { query: 'wrod' } },
    { onprogress: (progress) => notifications.push(progress) },
  );
  expect(notifications.length).toBeGreaterThan(0);
  expect(notifications.map(({ progress }) => progress)).toEqual(
    [...new Set(notifications.map(({ progress }) => progress))].sort((a, b) => a - b),
  );
  expect(notifications.every(({ total }) => total === 3000)).toBe(true);
});

test('a mode that is none is refused, and the error names the three', async () => {
  const { call } = await checked(withMemory(SEED));
  expect((await call('search_notes', { query: 'tokens', mode: 'auto' })).json).toHaveLength(1);
  expect((await call('search_notes', { query: 'tokens', mode: 'exact' })).json).toEqual([]);
  const { content } = await call('search_notes', { query: 'token', mode: 'meaning' });
  expect(content[1]?.text).toMatch(/^30 notes or more are needed to learn what words mean/);
  const refused = await call('search_notes', { query: 'token', mode: 'fuzzy' });
  expectError(refused, /mode.*auto.*exact.*meaning/s);
});

test('without a query, a filter finds notes, the newest first', async () => {
  const { call, folder } = await checked(
    withFolder({
      'a/open.md': '---\nstatus: open\ntags: [home]\nrooms: [1, 2]\n---\nOne.\n',
      'a/done.md': '---\nstatus: done\n---\nTwo #home.\n',
      'b/old.md': '---\nstatus: open\n---\nThree.\n',
    }),
  );
  await utimes(join(folder, 'a/open.md'), 2_000_000, 2_000_000);
  await utimes(join(folder, 'a/done.md'), 3_000_000, 3_000_000);
  await utimes(join(folder, 'b/old.md'), 1_000_000, 1_000_000);
  const found = async (filter: object) => paths((await call('search_notes', { ...filter })).json);
  expect(await found({ tag: 'home' })).toEqual(['a/done.md', 'a/open.md']);
  expect(await found({ properties: { status: 'open' } })).toEqual(['a/open.md', 'b/old.md']);
  expect(await found({ properties: { status: 'open', rooms: 2 } })).toEqual(['a/open.md']);
  expect(await found({ query: '*', folder: 'b' })).toEqual(['b/old.md']);
  expect(await found({ modifiedAfter: '1970-01-20', sort: 'name' })).toEqual(['a/done.md', 'a/open.md']);
  expect(await found({ regex: 'T(wo|hree)' })).toEqual(['a/done.md', 'b/old.md']);
  expect(await found({ query: '*' })).toEqual([]);
  expectError(await call('search_notes', {}), 'query: missing, and no filter is given');
});
