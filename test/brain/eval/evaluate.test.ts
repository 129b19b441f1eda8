import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { evaluateBrain } from '../../../src/app/brain-eval.ts';
import type { BrainConfig } from '../../../src/config/schema.ts';
import { silentLog } from '../../../src/shared/log.ts';
import { type Behaviour, startOpenAi } from '../../kit/openai-server.ts';
import { sourceOf } from '../kit.ts';

const COUNT = 40;

/** The text of a note has no word of its title, so that words alone cannot find it. */
function strangeNotes(): Record<string, string> {
  const text = (n: number) =>
    `Kiln${n} and oven${n} stand in the yard and are lit in the morning. `.repeat(3);
  return Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`Pottery${n} glaze${n}.md`, text(n)]));
}

/** Knows by its number what a text is about. */
const understands: Behaviour = ({ body }, response: ServerResponse) => {
  const { input } = body as unknown as { input: string[] };
  const data = input.map((text, index) => {
    const about = Number(/(?:pottery|kiln)(\d+)/i.exec(text)?.[1] ?? COUNT);
    return { index, embedding: Array.from({ length: COUNT + 1 }, (_, n) => Number(n === about)) };
  });
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
};

async function evaluate(notes: Readonly<Record<string, string>>, embeddings?: BrainConfig['embeddings']) {
  const { notebook } = await sourceOf(notes);
  const announced: string[] = [];
  const served = new Map([['notes', { notebook: async () => notebook }]]);
  const brain = embeddings && ({ embeddings } as BrainConfig);
  const services = { log: silentLog, announce: (work: string) => void announced.push(work) };
  return { ...(await evaluateBrain({ brain }, served, services)), announced };
}

test('a model that understands what words cannot find is recommended', async () => {
  const { baseUrl } = await startOpenAi(understands);
  const found = await evaluate(strangeNotes(), { base_url: baseUrl, model: 'wise', api_key: '' });
  expect(found).toMatchObject({
    notes: COUNT,
    measured: COUNT,
    questions: { link: 0, heading: 0, title: COUNT },
    ways: [
      { name: 'words alone', hit1: 0 },
      { name: 'words and meaning', hit1: 0 },
      { name: 'meaning alone' },
      { name: 'wise', ndcg10: 1, hit1: 1, hit5: 1 },
    ],
    announced: ['embedding 40 notes with wise, which may take minutes'],
  });
  expect(found.failure).toBeUndefined();
  expect(found.recommendation).toMatch(/^Keep the embedding model: wise/);
});

test('with enough notes to learn from, meaning is measured too', async () => {
  const plain = (n: number) =>
    `The kiln bakes glaze${n} at night, and the potters sweep the yard of clay${n}. `.repeat(3);
  const notes = Array.from({ length: 100 }, (_, n) => [`Pottery${n} glaze${n}.md`, plain(n)]);
  const { ways, recommendation } = await evaluate(Object.fromEntries(notes));
  expect(ways.map(({ name }) => name)).toEqual(['words alone', 'words and meaning', 'meaning alone']);
  expect(ways[1]?.ndcg10).toBeGreaterThanOrEqual(ways[0]?.ndcg10 ?? 1);
  expect(recommendation).toMatch(/^Keep the default/);
});

test('words are measured although the embedding server is down, and the failure says what to check', async () => {
  const server = { base_url: 'http://127.0.0.1:1/v1', model: 'wise', api_key: '' };
  const { ways, failure } = await evaluate(strangeNotes(), server);
  expect(ways.map(({ name }) => name)).toEqual(['words alone', 'words and meaning', 'meaning alone']);
  expect(failure).toMatchObject({
    code: 'upstream_failed',
    message: 'The embedding model could not be measured: wise',
    hint: expect.stringContaining(
      'Check that its server runs, and base_url, model and api_key of brain.embeddings.',
    ),
  });
});

test('without notes, or without anything to ask, it says what is needed', async () => {
  await expect(evaluate({ 'a.png': 'x' })).rejects.toMatchObject({
    code: 'not_found',
    message: 'There are no notes to measure with',
  });
  await expect(evaluate({ 'a.md': 'x', 'b.md': 'y' })).rejects.toMatchObject({
    code: 'unsupported',
    message: 'No question can be made from these notes: 2 notes',
  });
});
