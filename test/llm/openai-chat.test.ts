import { describe, expect, it, vi } from 'vitest';
import { openChatModel } from '../../src/llm/openai-chat.ts';
import type { OpenAiOptions } from '../../src/llm/openai-request.ts';
import { type AppError, isAppError } from '../../src/shared/errors.ts';
import {
  answers,
  type Behaviour,
  breaksOff,
  isHuge,
  neverAnswers,
  redirectsTo,
  refuses,
  says,
  saysRaw,
  startOpenAi,
} from '../kit/openai-server.ts';

const KEY = 'sk-test-0123456789';
const REQUEST = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'the secret prompt' },
  ],
  maxTokens: 50,
} as const;

async function against(behaviours: readonly Behaviour[], more: Partial<OpenAiOptions> = {}) {
  const server = await startOpenAi(...behaviours);
  const waited: number[] = [];
  const model = openChatModel({
    baseUrl: server.baseUrl,
    model: 'small',
    timeoutMs: 20_000,
    wait: async (ms) => {
      waited.push(ms);
    },
    ...more,
  });
  return { model, server, waited };
}

async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isAppError(error)) throw new Error(`no AppError: ${String(error)}`);
  return error;
}

/** All of an error that any edge could show. */
function allOf(error: AppError): string {
  const { message, title, subject, hint, details, upstream, cause, stack } = error;
  return JSON.stringify({ message, title, subject, hint, details, upstream, cause: String(cause), stack });
}

describe('a model that answers', () => {
  it('is asked as the protocol says, and returns the name of the model and token counts', async () => {
    const { model, server } = await against([says(' Hello. ', { model: 'small-v2' })], { apiKey: KEY });
    expect(await model.complete({ ...REQUEST, temperature: 0, stop: ['END'] })).toEqual({
      text: 'Hello.',
      model: 'small-v2',
      stopReason: 'end',
      usage: { input: 11, output: 7 },
    });
    expect(server.asked).toEqual([
      {
        path: '/v1/chat/completions',
        authorization: `Bearer ${KEY}`,
        body: {
          model: 'small',
          messages: REQUEST.messages,
          stream: false,
          max_tokens: 50,
          temperature: 0,
          stop: ['END'],
        },
      },
    ]);
  });

  it('needs no key', async () => {
    const { model, server } = await against([says('Hello.')]);
    await model.complete(REQUEST);
    expect(server.asked[0]?.authorization).toBeUndefined();
  });

  it('says when it was cut off', async () => {
    const { model } = await against([says('Hel', { finish: 'length' })]);
    expect((await model.complete(REQUEST)).stopReason).toBe('length');
  });

  it('may answer in parts, and may think aloud first', async () => {
    const parts = [
      { type: 'text', text: '<think>hm' },
      { type: 'text', text: '</think>\nHello.' },
    ];
    const { model } = await against([says(parts)]);
    expect((await model.complete(REQUEST)).text).toBe('Hello.');
  });

  it('may know the limit by its other name', async () => {
    const { model, server } = await against([refuses(400, 'unsupported_parameter'), says('Hello.')]);
    const request = { ...REQUEST, temperature: 0 };
    await model.complete(request);
    await model.complete(request);
    expect(
      server.asked.map(({ body }) => [body.max_tokens, body.max_completion_tokens, body.temperature]),
    ).toEqual([
      [50, undefined, 0],
      [undefined, 50, undefined],
      [undefined, 50, undefined],
    ]);
  });
});

describe('a model that fails', () => {
  const endless = [refuses(500)];
  it.each([
    ['a refused key', [refuses(401)], "The model's server refused the key", 'upstream_failed'],
    ['an unknown model', [refuses(404)], 'Unknown model', 'upstream_failed'],
    [
      'an unknown model said otherwise',
      [refuses(400, 'model_not_found')],
      'Unknown model',
      'upstream_failed',
    ],
    ['a bad request', [refuses(422)], "The model's server refused the request", 'upstream_failed'],
    ['a broken server', endless, "The model's server failed", 'upstream_failed'],
    ['a busy server', [refuses(429)], "Too many requests for the model's server", 'rate_limited'],
    [
      'what is not JSON',
      [saysRaw('<html>hi</html>')],
      "The model's server did not answer with JSON",
      'upstream_failed',
    ],
    ['JSON that is cut', [saysRaw('"')], "The model's server did not answer with JSON", 'upstream_failed'],
    ['no choices', [answers({ choices: [] })], 'The model gave no answer', 'upstream_failed'],
    ['null', [answers(null)], 'The model gave no answer', 'upstream_failed'],
    ['an empty text', [says('  ')], 'The model gave an empty answer', 'upstream_failed'],
    ['no text', [says(null)], 'The model gave an empty answer', 'upstream_failed'],
    [
      'nothing but thoughts',
      [says('<think>hm', { finish: 'length' })],
      'The model gave an empty answer',
      'upstream_failed',
    ],
    ['an answer that breaks off', [breaksOff], 'Cannot reach the model', 'upstream_failed'],
    ['a huge answer', [isHuge(5 * 1024 * 1024)], "The model's answer is too long", 'upstream_failed'],
  ] as const)('has an error for %s, without key or prompt', async (_, behaviours, title, code) => {
    const { model } = await against(behaviours, { apiKey: KEY });
    const error = await failure(model.complete(REQUEST));
    expect([error.title, error.code]).toEqual([title, code]);
    expect(error.hint).toMatch(/\S/);
    expect(allOf(error)).not.toContain(KEY);
    expect(allOf(error)).not.toContain('secret prompt');
  });

  it('asks for a key where none was sent', async () => {
    const { model } = await against([refuses(401)]);
    expect((await failure(model.complete(REQUEST))).hint).toBe('Set llm.api_key.');
  });

  it('cannot be reached where no server listens', async () => {
    const { server } = await against([says('x')]);
    const port = new URL(server.baseUrl).port;
    const model = openChatModel({ baseUrl: `http://127.0.0.2:${port}/v1`, model: 'm', timeoutMs: 5_000 });
    expect((await failure(model.complete(REQUEST))).title).toBe('Cannot reach the model');
  });

  it('does not lead the key elsewhere', async () => {
    const { server: elsewhere } = await against([says('x')]);
    const { model } = await against([redirectsTo(`${elsewhere.baseUrl}/chat/completions`)], { apiKey: KEY });
    expect((await failure(model.complete(REQUEST))).hint).toContain('Redirect refused');
    expect(elsewhere.asked).toEqual([]);
  });
});

describe('time', () => {
  it('ends the wait for a slow model', async () => {
    const { model } = await against([neverAnswers], { timeoutMs: 150 });
    const error = await failure(model.complete(REQUEST));
    expect([error.code, error.title]).toEqual(['timeout', 'The model took too long']);
  });

  it('ends when the caller cancels', async () => {
    const { model, server } = await against([neverAnswers]);
    const controller = new AbortController();
    const answer = model.complete(REQUEST, controller.signal);
    await vi.waitFor(() => expect(server.asked).toHaveLength(1), { timeout: 40_000 });
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
  });

  it('is given to a busy server twice, as long as it asks for', async () => {
    const busy = refuses(429, 'busy', { 'retry-after': '3' });
    const { model, server, waited } = await against([busy, refuses(503), says('Hello.')]);
    expect((await model.complete(REQUEST)).text).toBe('Hello.');
    expect(waited).toEqual([3_000, 2_000]);
    expect(server.asked).toHaveLength(3);
  });

  it('is not given a third time, nor to a request that is wrong', async () => {
    const broken = await against([refuses(500)]);
    await failure(broken.model.complete(REQUEST));
    expect(broken.server.asked).toHaveLength(3);
    const wrong = await against([refuses(401)]);
    await failure(wrong.model.complete(REQUEST));
    expect(wrong.server.asked).toHaveLength(1);
  });

  it('is not waited for when there is not so much of it', async () => {
    const { model, server, waited } = await against([refuses(429, 'busy', { 'retry-after': '60' })]);
    expect((await failure(model.complete(REQUEST))).code).toBe('rate_limited');
    expect([server.asked.length, waited]).toEqual([1, []]);
  });
});

describe('an address', () => {
  it.each(['', 'nonsense', 'ftp://x/v1', 'http://u:p@127.0.0.1/v1', 'http://127.0.0.1/v1?key=1'])(
    'such as %j is refused before anything is sent',
    (baseUrl) => {
      expect(() => openChatModel({ baseUrl, model: 'm', timeoutMs: 1_000 })).toThrow("Not a model's address");
    },
  );

  it('needs a model', () => {
    expect(() => openChatModel({ baseUrl: 'http://127.0.0.1/v1', model: '', timeoutMs: 1 })).toThrow(
      'No model is named',
    );
  });

  it.each([
    ['http://8.8.8.8/v1', []],
    ['http://models.example.com/v1', ['8.8.8.8']],
    ['http://models.example.com/v1', ['127.0.0.1', '8.8.8.8']],
  ])('far away gets no plain http: %s at %j', async (baseUrl, addresses) => {
    const model = openChatModel({ baseUrl, model: 'm', timeoutMs: 5_000, resolve: async () => addresses });
    const error = await failure(model.complete(REQUEST));
    expect([error.code, error.hint]).toEqual(['forbidden', expect.stringContaining('Use https')]);
  });

  it('near by may have a name', async () => {
    const { server } = await against([says('Hello.')]);
    const { port } = new URL(server.baseUrl);
    const model = openChatModel({
      baseUrl: `http://ollama:${port}/v1/`,
      model: 'm',
      timeoutMs: 5_000,
      resolve: async () => ['127.0.0.1'],
    });
    expect((await model.complete(REQUEST)).text).toBe('Hello.');
  });
});
