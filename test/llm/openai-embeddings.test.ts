import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openOpenAiEmbedder } from '../../src/llm/openai-embeddings.ts';
import {
  answers,
  type Behaviour,
  breaksOff,
  neverAnswers,
  refuses,
  saysRaw,
  startOpenAi,
} from '../kit/openai-server.ts';

const KEY = 'sk-very-secret';

/** A vector for each text, last first, as the protocol allows. */
function embeds(vectorOf: (text: string) => readonly unknown[] = (text) => [text.length, 1, 0]): Behaviour {
  return ({ body }, response: ServerResponse) => {
    const { input } = body as unknown as { input: string[] };
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  };
}

async function embedderFor(behaviours: readonly Behaviour[], more = {}) {
  const server = await startOpenAi(...behaviours);
  const embedder = openOpenAiEmbedder({
    baseUrl: server.baseUrl,
    model: 'embed-small',
    apiKey: KEY,
    timeoutMs: 5_000,
    wait: async () => {},
    ...more,
  });
  return { server, embedder };
}

async function failureOf(work: Promise<unknown>): Promise<Error & { code: string; hint?: string }> {
  return work.then(
    () => Promise.reject(new Error('it worked')),
    (error) => error,
  );
}

describe('an embedder behind an OpenAI-compatible server', () => {
  it('gives vectors of length 1, in the order of the texts', async () => {
    const { server, embedder } = await embedderFor([embeds()]);
    const [one, two] = await embedder.embed(['abc', 'abcd']);
    expect([...(one ?? [])].map((number) => number.toFixed(3))).toEqual(['0.949', '0.316', '0.000']);
    expect(two?.[0]).toBeCloseTo(4 / Math.hypot(4, 1));
    expect(server.asked[0]).toMatchObject({
      path: '/v1/embeddings',
      authorization: `Bearer ${KEY}`,
      body: { model: 'embed-small', input: ['abc', 'abcd'], encoding_format: 'float' },
    });
  });

  it('asks for 32 texts at a time', async () => {
    const { server, embedder } = await embedderFor([embeds()]);
    expect(await embedder.embed(Array.from({ length: 70 }, (_, at) => `text ${at}`))).toHaveLength(70);
    expect(server.asked.map(({ body }) => (body as unknown as { input: string[] }).input.length)).toEqual([
      32, 32, 6,
    ]);
  });

  it('needs no key', async () => {
    const { server, embedder } = await embedderFor([embeds()], { apiKey: '' });
    await embedder.embed(['abc']);
    expect(server.asked[0]?.authorization).toBeUndefined();
  });

  it('asks again when the server is busy or fails for a moment', async () => {
    const { server, embedder } = await embedderFor([refuses(429), refuses(503), embeds()]);
    expect(await embedder.embed(['abc'])).toHaveLength(1);
    expect(server.asked).toHaveLength(3);
  });

  it('gives up on a server that stays busy', async () => {
    const { embedder } = await embedderFor([refuses(429)]);
    expect((await failureOf(embedder.embed(['abc']))).code).toBe('rate_limited');
  });

  it('has an end in time', async () => {
    const { embedder } = await embedderFor([neverAnswers], { timeoutMs: 200 });
    expect((await failureOf(embedder.embed(['abc']))).code).toBe('timeout');
    const slow = await embedderFor([neverAnswers]);
    const aborted = slow.embedder.embed(['abc'], AbortSignal.abort(new Error('enough')));
    await expect(aborted).rejects.toThrow('enough');
  });

  it.each([
    ['too few vectors', answers({ data: [] })],
    ['something else', answers({ hello: 1 })],
    ['nothing', answers(null)],
    ['no JSON', saysRaw('<html>')],
    ['half an answer', breaksOff],
    ['no numbers', embeds(() => ['a', 'b'])],
    ['an empty vector', embeds(() => [])],
    ['a vector without direction', embeds(() => [0, 0, 0])],
    ['an error', refuses(500)],
    ['a refusal', refuses(401)],
  ])('says what is wrong with %s, and never the key', async (_, behaviour) => {
    const { embedder } = await embedderFor([behaviour]);
    const error = await failureOf(embedder.embed(['a secret note']));
    expect(error.code).toBe('upstream_failed');
    expect(error.message).toContain('embedding model');
    expect(error.hint).not.toContain('llm.');
    const messages = JSON.stringify([error.message, error.hint, String(error.cause)]);
    expect(messages).not.toContain(KEY);
    expect(messages).not.toContain('a secret note');
  });

  it('refuses vectors of another length than those before', async () => {
    const { embedder } = await embedderFor([embeds(), embeds(() => [1, 2])]);
    await embedder.embed(['abc']);
    const error = await failureOf(embedder.embed(['abc']));
    expect(error.hint).toContain('Its vectors have 3 numbers, and this one has 2.');
    const wanted = await embedderFor([embeds()], { dimensions: 2 });
    expect((await failureOf(wanted.embedder.embed(['abc']))).hint).toContain('have 2 numbers');
  });

  it('is another one for another model, server or length', () => {
    const identity = (more: object) =>
      openOpenAiEmbedder({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm', timeoutMs: 1, ...more }).identity;
    const all = [{}, { model: 'n' }, { baseUrl: 'http://127.0.0.1:2/v1' }, { dimensions: 8 }].map(identity);
    expect(new Set(all).size).toBe(4);
    expect(identity({ apiKey: KEY })).toBe(all[0]);
  });

  it('wants a model and an address', () => {
    expect(() => openOpenAiEmbedder({ baseUrl: 'http://127.0.0.1:1', model: '', timeoutMs: 1 })).toThrow(
      'No model',
    );
    expect(() => openOpenAiEmbedder({ baseUrl: 'nowhere', model: 'm', timeoutMs: 1 })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Set brain.embeddings.base_url to') }),
    );
  });

  it.each([
    ['nothing answers', {}, [breaksOff], 'Check brain.embeddings.base_url.'],
    ['no JSON comes', {}, [saysRaw('<html>')], 'something else answers at brain.embeddings.base_url.'],
    ['a key is wanted', { apiKey: undefined }, [refuses(401)], 'Set brain.embeddings.api_key.'],
    ['the key is wrong', {}, [refuses(401)], 'Check brain.embeddings.api_key.'],
    [
      'the model is unknown',
      {},
      [refuses(404)],
      'Check brain.embeddings.model and brain.embeddings.base_url.',
    ],
    [
      'it takes too long',
      { timeoutMs: 50 },
      [neverAnswers],
      'The limit is 50 ms: see whether its server is busy',
    ],
    ['no vectors come', {}, [answers({})], 'Check that brain.embeddings.model is one for embeddings.'],
  ])('names its own settings when %s', async (_, more, behaviours, hint) => {
    const { embedder } = await embedderFor(behaviours, more);
    expect((await failureOf(embedder.embed(['abc']))).hint).toContain(hint);
  });
});
