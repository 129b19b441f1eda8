/** Nested requests of upstream servers over stdio; nested-http.test.ts has those over HTTP. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Operator } from '../../src/upstream/nested/operator.ts';
import type { NestedServices } from '../../src/upstream/nested/request.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { ABSENT_OPERATOR, nestedFor, odd, operatorWho, said } from './upstream-kit.ts';

const URL_OK = 'https://example.com/consent?x=1';

async function asked(
  services: Partial<NestedServices>,
  operator: Operator,
  [method, params]: readonly [string, unknown],
): Promise<unknown> {
  const server = await odd([], { nested: nestedFor(operator, services) });
  return said(server.call('ask', { method, params }));
}

const FORM = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2 },
      password: { type: 'string' },
      age: { type: 'integer', default: 7 },
    },
    required: ['name'],
  },
};

describe('what is advertised', () => {
  it.each([
    [{}, {}],
    [{ roots: ['/x'] }, { roots: { listChanged: true } }],
    [{ elicitation: { form: true, url: false } }, { elicitation: { form: { applyDefaults: true } } }],
    [{ elicitation: { form: false, url: true } }, { elicitation: { url: {} } }],
    [{ elicitation: { form: false, url: false } }, {}],
    [
      { sampling: { maxTokens: 1, perHour: 1, provider: () => Promise.reject(new Error('unused')) } },
      { sampling: {} },
    ],
  ])('is what can be served (%#)', async (services, expected) => {
    const server = await odd([], { nested: nestedFor(ABSENT_OPERATOR, services) });
    const { server: identity } = await server.connect();
    expect(JSON.parse(identity?.version ?? '')).toEqual(expected);
  });

  it.each(['roots/list', 'sampling/createMessage', 'elicitation/create'])(
    '%s is an unknown method when it is not',
    async (method) => {
      const answer = await asked({}, operatorWho(), [method, { messages: [], maxTokens: 1 }]);
      expect(answer).toEqual({ error: { code: -32601, message: 'Method not found' } });
    },
  );
});

describe('roots', () => {
  it('are the folders that exist', async () => {
    const folder = await temporaryFolder({ 'my notes/x.md': '' });
    const roots = [join(folder, 'my notes'), join(folder, 'gone'), join(folder, 'my notes/x.md')];
    expect(await asked({ roots }, ABSENT_OPERATOR, ['roots/list', {}])).toEqual({
      roots: [{ uri: pathToFileURL(join(folder, 'my notes')).href, name: 'my notes' }],
    });
  });
});

describe('sampling', () => {
  const request = {
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
    systemPrompt: 'Be brief',
    includeContext: 'allServers',
    maxTokens: 99_999,
  };

  it('goes to the model after a yes, with the whole prompt shown, clamped and without our context', async () => {
    const shown: unknown[] = [];
    const given: unknown[] = [];
    const operator = operatorWho({
      askSampling: async (question) => {
        shown.push(question);
        return true;
      },
    });
    const provider = async (wanted: unknown) => {
      given.push(wanted);
      return { model: 'small', text: 'Hi' };
    };
    const sampling = { maxTokens: 100, perHour: 5, provider };
    expect(await asked({ sampling }, operator, ['sampling/createMessage', request])).toEqual({
      role: 'assistant',
      model: 'small',
      stopReason: 'endTurn',
      content: { type: 'text', text: 'Hi' },
    });
    const { messages, systemPrompt } = request;
    expect(shown).toEqual([{ server: 'odd', messages, systemPrompt, maxTokens: 100 }]);
    expect(given).toEqual([{ server: 'odd', messages, systemPrompt, maxTokens: 100 }]);
  });

  it.each([
    ['the operator says no', operatorWho({ askSampling: async () => false })],
    ['there is no operator', ABSENT_OPERATOR],
  ])('is rejected when %s', async (_, operator) => {
    const provider = () => Promise.reject(new Error('reached'));
    const answer = await asked({ sampling: { maxTokens: 1, perHour: 1, provider } }, operator, [
      'sampling/createMessage',
      request,
    ]);
    expect(answer).toEqual({ error: { code: -1, message: 'User rejected sampling request' } });
  });

  it('has an end within an hour', async () => {
    const sampling = { maxTokens: 1, perHour: 1, provider: async () => ({ model: 'm', text: 't' }) };
    const server = await odd([], { nested: nestedFor(operatorWho(), { sampling }) });
    const ask = () => said(server.call('ask', { method: 'sampling/createMessage', params: request }));
    expect(await ask()).toHaveProperty('model', 'm');
    expect(await ask()).toMatchObject({ error: { message: expect.stringContaining('1 an hour') } });
    expect(server.nestedCounts.sampling).toBe(1);
  });
});

describe('forms', () => {
  const elicitation = { form: true, url: true };
  const filled = (content: Record<string, string | number>) => async () =>
    ({ action: 'accept', content }) as const;

  it('are filled in, with what is given beforehand', async () => {
    const operator = operatorWho({ askForm: filled({ name: 'Alex' }) });
    expect(await asked({ elicitation }, operator, ['elicitation/create', FORM])).toEqual({
      action: 'accept',
      content: { name: 'Alex', age: 7 },
    });
  });

  it.each([
    ['too short', { name: 'A' }],
    ['missing', { age: 3 }],
    ['not asked for', { name: 'Alex', home: '/root' }],
  ])('never send a value that is %s', async (_, content) => {
    const answer = await asked({ elicitation }, operatorWho({ askForm: filled(content) }), [
      'elicitation/create',
      FORM,
    ]);
    expect(answer).toMatchObject({ error: { code: -32602 } });
  });

  it('ask a second time before something that looks secret is sent', async () => {
    const asks: unknown[] = [];
    const operator = operatorWho({
      askForm: filled({ name: 'Alex', password: 'hunter2' }),
      confirmSecrets: async ({ fields }) => {
        asks.push(fields);
        return false;
      },
    });
    expect(await asked({ elicitation }, operator, ['elicitation/create', FORM])).toEqual({
      action: 'decline',
    });
    expect(asks).toEqual([['password']]);
  });

  it.each(['decline', 'cancel'] as const)('can be answered with %s', async (action) => {
    const operator = operatorWho({ askForm: async () => ({ action }) });
    expect(await asked({ elicitation }, operator, ['elicitation/create', FORM])).toEqual({ action });
  });

  it('are cancelled when there is no operator', async () => {
    expect(await asked({ elicitation }, ABSENT_OPERATOR, ['elicitation/create', FORM])).toEqual({
      action: 'cancel',
    });
  });

  it('do not run the request out of time while the operator reads them', async () => {
    const operator = operatorWho({
      askForm: async () => {
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        return { action: 'accept', content: { name: 'Alex' } };
      },
    });
    const server = await odd([], { nested: nestedFor(operator, { elicitation }) });
    await server.connect();
    const call = server.call('ask', { method: 'elicitation/create', params: FORM }, { timeoutMs: 2_000 });
    expect(await said(call)).toHaveProperty('action', 'accept');
    expect(server.nestedCounts.elicitation).toEqual({ accept: 1, decline: 0, cancel: 0 });
  });
});

describe('pages to be visited', () => {
  const elicitation = { form: false, url: true };
  const page = (url: string) => ({ mode: 'url', message: 'Please', url, elicitationId: 'e1' });

  it('are shown with their host, names in other scripts spelled out', async () => {
    const shown: unknown[] = [];
    const operator = operatorWho({
      askUrl: async (question) => {
        shown.push(question);
        return 'accept';
      },
    });
    const url = 'https://аррӏе.com:8443/a?b=c';
    expect(await asked({ elicitation }, operator, ['elicitation/create', page(url)])).toEqual({
      action: 'accept',
    });
    expect(shown).toEqual([
      {
        server: 'odd',
        message: 'Please',
        url: new URL(url).href,
        host: new URL(url).host,
      },
    ]);
    expect(new URL(url).host).toMatch(/^xn--/);
  });

  it.each([
    'http://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:pw@example.com/',
  ])('%s is declined without a question', async (url) => {
    const operator = operatorWho({ askUrl: () => Promise.reject(new Error('asked')) });
    expect(await asked({ elicitation }, operator, ['elicitation/create', page(url)])).toEqual({
      action: 'decline',
    });
  });

  it('may be on this machine', async () => {
    expect(
      await asked({ elicitation }, operatorWho(), ['elicitation/create', page('http://127.0.0.1:1/')]),
    ).toEqual({ action: 'accept' });
  });
});

describe('-32042: pages before an answer', () => {
  const elicitation = { form: true, url: true };
  const pages = (parts: Record<string, unknown>) => ({ key: 'k', url: URL_OK, ids: [['a']], ...parts });
  const failing = (reason: string) => ({ reason });
  const serverFor = (operator: Operator, services: Partial<NestedServices> = {}) =>
    odd([], { nested: nestedFor(operator, { elicitation, ...services }) });

  it('are visited, waited for, and the request is made again', async () => {
    const shown: string[] = [];
    const operator = operatorWho({
      askUrl: async ({ url }) => {
        shown.push(url);
        return 'accept';
      },
    });
    const server = await serverFor(operator);
    const call = server.call('pages', pages({ ids: [['a', 'b'], ['c']], complete: 'later' }));
    expect(await said(call)).toEqual({ rounds: 2 });
    expect(shown).toEqual([URL_OK, URL_OK, URL_OK]);
  });

  it.each(['early', 'later'])('may be done before anybody has answered (%s)', async (complete) => {
    const server = await serverFor(
      operatorWho({
        askUrl: async () => {
          // The server's word is there by now; it must not be lost.
          await new Promise((resolve) => setTimeout(resolve, 400));
          return 'accept';
        },
      }),
    );
    expect(await said(server.call('pages', pages({ complete })))).toEqual({ rounds: 1 });
  });

  it.each(['decline', 'cancel'] as const)('end the request with %s', async (answer) => {
    const server = await serverFor(operatorWho({ askUrl: async () => answer }));
    await expect(server.call('pages', pages({}))).rejects.toMatchObject(failing('elicitation_declined'));
  });

  it('are not waited for longer than allowed, and named in the end', async () => {
    const server = await serverFor(operatorWho(), { waitMs: 200 });
    await expect(server.call('pages', pages({}))).rejects.toMatchObject({
      ...failing('elicitation_timeout'),
      hint: expect.stringContaining(URL_OK),
    });
  });

  it.each([
    ['retry', { rounds: 1 }],
    ['cancel', undefined],
  ] as const)('the operator may %s while waiting', async (wish, expected) => {
    const server = await serverFor(operatorWho({ whileWaiting: async () => wish }));
    const call = said(server.call('pages', pages({})));
    if (expected) expect(await call).toEqual(expected);
    else await expect(call).rejects.toMatchObject(failing('elicitation_declined'));
  });

  it('are a loop when the same one comes again', async () => {
    const server = await serverFor(operatorWho());
    const call = server.call('pages', pages({ ids: [['a'], ['a']], complete: 'later' }));
    await expect(call).rejects.toMatchObject(failing('elicitation_loop'));
  });

  it('are a loop after three rounds', async () => {
    const server = await serverFor(operatorWho());
    const ids = [['a'], ['b'], ['c'], ['d'], ['e']];
    await expect(server.call('pages', pages({ ids, complete: 'later' }))).rejects.toMatchObject(
      failing('elicitation_loop'),
    );
  });

  it('are refused at once, and named, when there is no operator', async () => {
    const server = await serverFor(ABSENT_OPERATOR);
    await expect(server.call('pages', pages({}))).rejects.toMatchObject({
      ...failing('elicitation_not_interactive'),
      code: 'approval_required',
      hint: expect.stringContaining(URL_OK),
    });
  });

  it.each([
    ['accept', operatorWho()],
    ['decline', operatorWho({ askUrl: async () => 'decline' })],
    ['cancel', ABSENT_OPERATOR],
  ])('are noted without what their addresses say (%s)', async (outcome, operator) => {
    const noted: unknown[] = [];
    const note = async (asked: unknown) => void noted.push(asked);
    const server = await odd([], { nested: nestedFor(operator, { elicitation, note }) });
    await server.call('pages', pages({ complete: 'early' })).catch(() => undefined);
    expect(noted[0]).toMatchObject({
      asked: 'elicitation',
      outcome,
      wanted: ['https://example.com/consent'],
    });
  });

  it.each([
    ['names nothing to visit', pages({ ids: [[]] })],
    ['sends the operator to an unsafe address', pages({ url: 'http://example.com' })],
  ])('the error is passed on when it %s', async (_, args) => {
    const server = await serverFor(operatorWho());
    await expect(server.call('pages', args)).rejects.toMatchObject({
      reason: 'rpc_error',
      details: { rpc: -32042 },
    });
  });

  it('stop when the caller gives up', async () => {
    const server = await serverFor(operatorWho());
    await server.connect();
    const caller = new AbortController();
    const call = server.call('pages', pages({}), { signal: caller.signal });
    setTimeout(() => caller.abort(), 150);
    await expect(call).rejects.toMatchObject(failing('cancelled'));
  });
});
