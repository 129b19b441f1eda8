/** The pair of tools for ChatGPT's connectors: names, fields, and one text block of JSON. */
import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder, withSetsInSpace, withSetsInTrilium } from '../../kit/note-sets.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import type { ToolClient } from '../../kit/server.ts';

const SEED = {
  'projects/plan.md': '---\naliases: [the heating]\n---\n# Heating plan\n\nA controller for the boiler.\n',
  'other.md': 'Nothing of the kind.\n',
};

/** What ChatGPT does: it searches, takes an id, fetches it. */
async function asked({ client }: ToolClient, query: string) {
  const found = await client.callTool({ name: 'search', arguments: { query } });
  expect(found.content).toHaveLength(1);
  const { results } = onlyJson(found.content);
  expect(found.structuredContent).toEqual({ results });
  const fetched = await client.callTool({ name: 'fetch', arguments: { id: results[0].id } });
  expect(fetched.content).toHaveLength(1);
  return { results, note: onlyJson(fetched.content) };
}

// biome-ignore lint/suspicious/noExplicitAny: the two tools have answers of different shapes
function onlyJson(content: unknown): any {
  const [{ type, text }] = content as [{ type: string; text: string }];
  expect(type).toBe('text');
  return JSON.parse(text);
}

test('a note in a folder is found and fetched', async () => {
  const tools = await withSetsInFolder(['chatgpt'], SEED);
  const { results, note } = await asked(tools, 'boiler controller');
  expect(results).toEqual([
    {
      id: 'projects/plan.md',
      title: 'Heating plan',
      text: expect.stringContaining('controller for the boiler'),
      url: 'note:///projects/plan.md',
    },
  ]);
  expect(note).toEqual({
    id: 'projects/plan.md',
    title: 'Heating plan',
    text: SEED['projects/plan.md'],
    url: 'note:///projects/plan.md',
    metadata: { modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
  });
});

test('the first search after a start answers as later ones do', async () => {
  const topics = ['boiler', 'pump', 'valve', 'pipe', 'tank'];
  const notes = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => {
      const words = topics.filter((_word, n) => (at >> n) % 3 === 0).join(' and the ');
      return [`n${at}.md`, `# Note ${at}\n\nAbout the ${words}. ${'More of it. '.repeat(at % 17)}`];
    }),
  );
  const { client } = await withSetsInFolder(['chatgpt'], notes);
  const found = async () =>
    onlyJson((await client.callTool({ name: 'search', arguments: { query: 'valve pump tank' } })).content);
  const first = await found();
  expect(first.results).toHaveLength(10);
  await client.callTool({ name: 'fetch', arguments: { id: 'n1.md' } });
  expect(await found()).toEqual(first);
});

test('the same in a SilverBullet and in a Trilium', async () => {
  const space = await asked(await withSetsInSpace(['chatgpt'], SEED), 'boiler');
  expect(space.note).toMatchObject({ id: 'projects/plan.md', title: 'Heating plan' });
  const notes = [{ id: 'plan1', title: 'Heating plan', content: '<p>A controller for the boiler.</p>' }];
  const tree = await asked(await withSetsInTrilium(['chatgpt'], notes), 'boiler');
  expect(tree.note).toMatchObject({ title: 'Heating plan', text: expect.stringContaining('boiler') });
});

test('nothing found is an empty list; a long note is cut, and says so', async () => {
  const { client } = await withSetsInFolder(['chatgpt'], { 'long.md': 'word '.repeat(40_000) });
  const none = await client.callTool({ name: 'search', arguments: { query: 'zebra' } });
  expect(onlyJson(none.content)).toEqual({ results: [] });
  const { text, metadata } = onlyJson(
    (await client.callTool({ name: 'fetch', arguments: { id: 'long' } })).content,
  );
  expect(text).toHaveLength(100_000);
  expect(metadata.cut).toBe('the first 100000 of 200000 characters');
});

test('every bad value is refused by the name of its parameter', async () => {
  const subjects: Record<string, Subject> = {
    search: { good: { query: 'boiler' }, parameters: { query: 'query' }, required: ['query'] },
    fetch: { good: { id: 'other.md' }, parameters: { id: 'notePath' }, required: ['id'] },
  };
  const { call } = await withSetsInFolder(['chatgpt'], SEED);
  expect(Object.keys(subjects)).toEqual(pinnedNames('chatgpt'));
  for (const tool of Object.keys(subjects))
    expect(
      await badlyRefused(tool, subjects, call, ({ isError, text }) =>
        isError && !/Internal error/.test(text) ? { words: text } : { wrong: 'accepted' },
      ),
    ).toEqual([]);
});
