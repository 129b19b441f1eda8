/** Prompts, resources, completion, messages and questions of governed servers at our own endpoint, in both eras. */
import { createHmac } from 'node:crypto';
import { type Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';
import { writePlane } from '../governance/exposed-kit.ts';
import {
  askedClient,
  EVERYTHING,
  type Mode,
  offering,
  overEverything,
  overHttp,
  overStdio,
} from '../governance/pass-kit.ts';
import { until } from '../governance/upstream-kit.ts';
import { connectHttp, startHttp } from '../kit/http.ts';

const MODES: readonly Mode[] = ['legacy', 'auto'];
/** A server may take its time to start on a busy machine. */
const AUTO = { mcp_permission_mode: 'auto', mcp_limits: { connect_timeout_ms: 60_000 } };
const ASKING = { ask_client: ['elicitation', 'sampling'], allow: { sampling: true } };
const SAMPLING = { mcp_sampling: { enabled: true, max_tokens: 50, per_hour: 1 } };

async function serve(servers: readonly Record<string, unknown>[], plane: Record<string, unknown> = {}) {
  const written = await writePlane(servers, { control_plane: { ...AUTO, ...plane } });
  const { origin, log } = await startHttp(['serve', '--config', written.file]);
  return { written, origin, log };
}

const textOf = (result: { content?: unknown }) => (result.content as { text: string }[])[0]?.text ?? '';

describe.each(MODES)('server-everything as an upstream server, %s', (mode) => {
  it('gives its prompts, resources, templates and completion', async () => {
    const { origin, written } = await serve([EVERYTHING]);
    const { client } = await overEverything(origin, { mode });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain('everything__args-prompt');
    const got = await client.getPrompt({
      name: 'everything__args-prompt',
      arguments: { city: 'Oslo-secret' },
    });
    expect(JSON.stringify(got.messages)).toContain('Oslo-secret');

    const { resources } = await client.listResources();
    const listed = resources.find(({ uri }) => uri.startsWith('demo://'));
    expect((await client.readResource({ uri: listed?.uri ?? '' })).contents).not.toHaveLength(0);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'demo://resource/dynamic/text/{resourceId}',
    );
    const { contents } = await client.readResource({ uri: 'demo://resource/dynamic/text/3' });
    expect(JSON.stringify(contents)).toContain('Resource 3');

    const complete = (argument: string, value: string, known = {}) =>
      client.complete({
        ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
        argument: { name: argument, value },
        context: { arguments: known },
      });
    expect((await complete('department', 'S')).completion.values).toEqual(['Sales', 'Support']);
    expect((await complete('name', '', { department: 'Sales' })).completion.values).toContain('Eve');
    const ofTemplate = await client.complete({
      ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
      argument: { name: 'resourceId', value: '7' },
    });
    expect(ofTemplate.completion.values).toEqual(['7']);

    const lines = await written.audit();
    expect(lines.filter(({ event }) => event === 'returned').map(({ kind }) => kind)).toEqual([
      'prompt',
      'resource',
      'resource',
      'prompt',
      'prompt',
      'template',
    ]);
    expect(JSON.stringify(lines)).not.toContain('Oslo-secret');
    expect(JSON.stringify(lines)).not.toContain('Sales');
  });

  it('asks the client that called, for a form and for its model, within limits', async () => {
    const { origin, written } = await serve([{ ...EVERYTHING, ...ASKING }], SAMPLING);
    const content = { name: 'Alex-secret', check: true };
    const { client, forms, prompts } = await overEverything(origin, {
      mode,
      answer: () => ({ action: 'accept', content }),
    });
    const elicited = await client.callTool({
      name: 'everything__trigger-elicitation-request',
      arguments: {},
    });
    expect(JSON.stringify(elicited)).toContain('Alex-secret');
    expect(forms).toHaveLength(1);
    expect(forms[0]?.message).toMatch(/^everything asks: /);

    const sample = () =>
      client.callTool({
        name: 'everything__trigger-sampling-request',
        arguments: { prompt: 'two and two', maxTokens: 100 },
      });
    expect(textOf(await sample())).toContain('four');
    expect(prompts).toMatchObject([{ maxTokens: 50, systemPrompt: expect.stringContaining('helpful') }]);
    expect(await sample()).toMatchObject({ isError: true });
    expect(prompts, 'once an hour').toHaveLength(1);
    const lines = await written.audit();
    expect(lines.filter(({ event }) => event === 'asked')).toMatchObject([
      { asked: 'elicitation', outcome: 'accept' },
      { asked: 'sampling', outcome: 'accept' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Alex-secret|two and two/);
  });

  it.each([false, true])(
    'sends the person at the client to a page (as an error first: %s)',
    async (errorPath) => {
      const { origin } = await serve([{ ...EVERYTHING, ...ASKING }], SAMPLING);
      const { client, forms } = await overEverything(origin, {
        mode,
        answer: () => ({ action: 'accept', content: {} }),
      });
      const visit = (url: string) =>
        client.callTool({
          name: 'everything__trigger-url-elicitation',
          arguments: { url, errorPath, message: 'Sign in' },
        });
      const answer = await visit('https://example.com/login');
      expect(JSON.stringify(answer)).not.toContain('"isError":true');
      expect(forms.map((form) => (form.mode === 'url' ? form.url : form.message))).toEqual([
        ...(errorPath
          ? [
              'https://modelcontextprotocol.io/',
              'everything asks: go on, once you have visited https://modelcontextprotocol.io/?',
            ]
          : []),
        'https://example.com/login',
      ]);
      if (errorPath) return;
      await visit('http://example.com/login');
      expect(forms, 'no user is sent to an address others can listen at').toHaveLength(1);
    },
  );

  it('tells of changed resources and of what it says of itself', async () => {
    const { origin } = await serve([EVERYTHING]);
    const { client, updated, logged } = await overEverything(origin, { mode });
    const { resources } = await client.listResources();
    const uri = resources.find((one) => one.uri.startsWith('demo://'))?.uri ?? '';
    if (mode === 'legacy') await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    await client.callTool({ name: 'everything__toggle-subscriber-updates', arguments: {} });
    await until(() => updated.length > 0);
    expect(updated[0]).toBe(uri);
    if (mode === 'auto') return;
    await client.callTool({ name: 'everything__toggle-simulated-logging', arguments: {} });
    await until(() => logged.length > 0);
    expect(logged[0]?.logger).toMatch(/^everything/);
  });
});

describe.each(MODES)('what may not be used, %s', (mode) => {
  it('is not listed, not found, and denied in the audit log', async () => {
    const shut = offering({ name: 'shut', trust: 'blocked' });
    const { origin, written } = await serve([offering(), shut]);
    const { client } = await overHttp(origin, { mode });
    expect(await shelfPrompts(client)).toEqual(['shelf__plain', 'shelf__summary']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'note:///a.md',
      'shared://one',
      'shelf://first',
      'shelf://second',
    ]);
    await expect(client.getPrompt({ name: 'shelf__forbidden_one' })).rejects.toThrow('Unknown prompt');
    for (const uri of ['shelf://forbidden_one', 'shut://first', 'shelf://none'])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ data: { uri } });
    await expect(
      client.complete({
        ref: { type: 'ref/prompt', name: 'shelf__forbidden_one' },
        argument: { name: 'x', value: 'secret value' },
      }),
    ).rejects.toThrow('Nothing to complete');
    const lines = await written.audit();
    const denied = lines.filter(({ event }) => event === 'decided');
    expect(denied.map(({ capability, kind, code }) => [capability, kind, code])).toEqual([
      ['forbidden_one', 'prompt', 'not_exposed'],
      ['shelf://forbidden_one', 'resource', 'not_exposed'],
      ['forbidden_one', 'prompt', 'not_exposed'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret value');
  });

  it('is what changed since it was reviewed, and the client is notified', async () => {
    // A reading tool that changes something is no longer one, unless the operator says so.
    const shelf = offering({ action_classes: { get_changed: 'read_only' } });
    const { origin } = await serve([shelf], { mcp_exposure: { min_score: 40 } });
    const { client, changed } = await overHttp(origin, { mode });
    await client.getPrompt({ name: 'shelf__summary', arguments: { topic: 'tea' } });
    expect((await client.readResource({ uri: 'shelf://first' })).contents).toHaveLength(1);
    await client.callTool({ name: 'shelf__get_changed', arguments: {} });
    await until(() => changed.includes('prompts') && changed.includes('resources'));
    expect(changed).not.toContain('tools');
    await expect(client.getPrompt({ name: 'shelf__summary', arguments: { topic: 'tea' } })).rejects.toThrow(
      'Unknown prompt',
    );
    await expect(client.readResource({ uri: 'shelf://first' })).rejects.toMatchObject({
      code: expect.any(Number),
    });
    const { resources } = await client.listResources(undefined, { cacheMode: 'refresh' });
    expect(resources.map(({ uri }) => uri)).not.toContain('shelf://first');
    expect((await client.readResource({ uri: 'shelf://second' })).contents).toHaveLength(1);
  });

  it('waits for a person to approve exactly this prompt and this resource', async () => {
    const rule = { effect: 'ask', servers: ['shelf'], capabilities: ['summary', 'shelf://*'] };
    const { origin, written } = await serve([offering()], { mcp_policy: [rule] });
    const { client } = await overHttp(origin, { mode });
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === 'shelf__summary')?._meta).toEqual({
      'sb/approval': 'required',
    });
    const approvals = openApprovals({ folder: `${written.folder}/.quire/plane` });
    const approved = async (work: () => Promise<unknown>) => {
      const refused = await work().catch((error: unknown) => error as { data: Record<string, string> });
      expect(refused).toMatchObject({ code: -32010, data: { 'sb/approval': 'required' } });
      const id = (refused as { data: Record<string, string> }).data['sb/approval-id'] ?? '';
      await approvals.approve(id, { by: 'cli:operator' });
      const answer = await work();
      await expect(work()).rejects.toMatchObject({ code: -32010 });
      return answer;
    };
    const tea = { name: 'shelf__summary', arguments: { topic: 'tea' } };
    expect(JSON.stringify(await approved(() => client.getPrompt(tea)))).toContain('summary of tea');
    const uri = 'shelf://pages/4';
    expect(await approved(() => client.readResource({ uri }))).toMatchObject({
      contents: [{ text: 'shelf has shelf://pages/4' }],
    });
  });
});

describe.each(MODES)('questions, %s', (mode) => {
  it('reach no client where the configuration does not say so, or the client cannot', async () => {
    const { origin } = await serve([offering(), offering({ name: 'other', ask_client: ['elicitation'] })]);
    const able = await overHttp(origin, { mode });
    const unable = await overHttp(origin, { mode, cannot: true });
    for (const [{ client }, name] of [
      [able, 'shelf__get_asked'],
      [unable, 'other__get_asked'],
    ] as const)
      expect(JSON.parse(textOf(await client.callTool({ name, arguments: {} })))).toEqual({
        action: 'cancel',
      });
    expect(able.forms).toEqual([]);
  });

  it('reach the client whose call it is, and no other one when that is not clear', async () => {
    const { origin } = await serve([offering({ ask_client: ['elicitation'] })]);
    const answer = (size: string) => () => ({ action: 'accept' as const, content: { size } });
    const [one, two] = [
      await overHttp(origin, { mode, answer: answer('one') }),
      await overHttp(origin, { mode, answer: answer('two') }),
    ];
    const ask = async ({ client }: typeof one) =>
      JSON.parse(textOf(await client.callTool({ name: 'shelf__get_asked', arguments: {} })));
    expect(await ask(one)).toMatchObject({ action: 'accept', content: { size: 'one' } });
    expect(await ask(two)).toMatchObject({ action: 'accept', content: { size: 'two' } });
    const waited = one.client.callTool({ name: 'shelf__get_waited', arguments: {} });
    // Both are calls on one line now: it cannot be known whose question it is.
    await until(async () => (await ask(two)).action === 'cancel');
    await two.client.callTool({ name: 'shelf__get_woken', arguments: {} });
    expect(textOf(await waited)).toBe('woken');
    expect(one.forms).toHaveLength(1);
    expect(await ask(two)).toMatchObject({ action: 'accept' });
  });

  it('warn of what looks like a secret', async () => {
    const { origin } = await serve([offering({ ask_client: ['elicitation'] })]);
    const { client, forms } = await overHttp(origin, {
      mode,
      answer: () => ({ action: 'accept', content: { password: 'x' } }),
    });
    await client.callTool({ name: 'shelf__get_asked', arguments: { field: 'password' } });
    expect(forms[0]?.message).toBe('shelf asks: Which? (Careful: password would be sent to shelf.)');
  });
});

/** Beside them are the prompts of the notes. */
async function shelfPrompts(client: Client): Promise<string[]> {
  const { prompts } = await client.listPrompts();
  return prompts.map(({ name }) => name).filter((name) => name.startsWith('shelf__'));
}

describe('names', () => {
  it('are plain where that is wanted; what is taken is the first server’s, and an error in the log', async () => {
    const { origin, log } = await serve([
      offering({ expose_as: 'plain' }),
      offering({ name: 'late', expose_as: 'plain' }),
    ]);
    const { client } = await overHttp(origin, { mode: 'auto' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => name.startsWith('get_'))).toContain('get_told');
    expect(tools.filter(({ name }) => name === 'get_told')).toHaveLength(1);
    expect(textOf(await client.callTool({ name: 'get_told', arguments: {} }))).toBe('told');
    expect(JSON.stringify(await client.getPrompt({ name: 'plain' }))).toContain('plain of');
    await expect(client.callTool({ name: 'no_such', arguments: {} })).rejects.toThrow('Unknown tool');
    expect(await client.readResource({ uri: 'shared://one' })).toMatchObject({
      contents: [{ text: 'shelf has shared://one' }],
    });
    expect(await client.readResource({ uri: 'late://first' })).toMatchObject({
      contents: [{ text: /late/ }],
    });
    const taken = log().filter(
      ({ message }) => message === 'a capability is not exposed, because its name is in use',
    );
    expect(taken).toContainEqual(expect.objectContaining({ server: 'late', name: 'shared://one' }));
    expect(taken).toContainEqual(expect.objectContaining({ server: 'late', kind: 'tool', name: 'get_told' }));
  });
});

describe.each(MODES)('over stdio, %s', (mode) => {
  it('serves the same beside the notes, asks, and tells', async () => {
    const written = await writePlane([offering({ ask_client: ['elicitation'] })], { control_plane: AUTO });
    const { client, forms, logged, updated } = await overStdio(written, {
      mode,
      answer: () => ({ action: 'accept', content: { size: 'L' } }),
    });
    const uris: string[] = [];
    for (let cursor: string | undefined, at = 0; at < 5; at++) {
      const page = await client.listResources(cursor === undefined ? undefined : { cursor });
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect(uris).toContain('shelf://first');
    expect(uris.some((uri) => uri.endsWith('a.md'))).toBe(true);
    expect((await client.readResource({ uri: 'shelf://second' })).contents).toHaveLength(1);
    expect(await shelfPrompts(client)).toHaveLength(2);
    const asked = await client.callTool({ name: 'shelf__get_asked', arguments: {} });
    expect(textOf(asked)).toContain('"L"');
    expect(forms).toHaveLength(1);
    if (mode === 'legacy') await client.subscribeResource({ uri: 'shelf://first' });
    else await client.listen({ resourceSubscriptions: ['shelf://first'] });
    await client.callTool({ name: 'shelf__get_updated', arguments: {} });
    await until(() => updated.includes('shelf://first'));
    if (mode === 'auto') return;
    await client.callTool({ name: 'shelf__get_told', arguments: {} });
    await until(() => logged.length > 0);
    expect(logged).toMatchObject([{ level: 'info', logger: 'shelf/box', data: 'working' }]);
  });
});

describe('at every other way in', () => {
  it('serves several notebooks, and clients of HTTP+SSE, the same', async () => {
    const written = await writePlane([offering({ ask_client: ['elicitation'] })], {
      control_plane: AUTO,
      notebooks: { one: { folder: './notes' }, two: { folder: './notes' } },
      serve: { port: 0, legacySse: true },
    });
    const { origin } = await startHttp(['serve', '--config', written.file]);
    const { client, forms } = askedClient({
      mode: 'legacy',
      answer: () => ({ action: 'accept', content: { size: 'M' } }),
    });
    await client.connect(new SSEClientTransport(new URL('/sse', origin)));
    onTestFinished(() => client.close());
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['one_read_note', 'two_read_note', 'shelf__get_asked']));
    expect(await shelfPrompts(client)).toHaveLength(2);
    expect((await client.readResource({ uri: 'shelf://second' })).contents).toHaveLength(1);
    expect(textOf(await client.callTool({ name: 'shelf__get_asked', arguments: {} }))).toContain('"M"');
    expect(forms).toHaveLength(1);
    const own = await connectHttp(origin, { path: '/mcp/one' });
    expect((await own.listTools()).tools.map(({ name }) => name)).toContain('read_note');
    expect(await shelfPrompts(own)).toEqual([]);
  });

  it('needs the scope to read', async () => {
    const secret = 'x'.repeat(32);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { sub: 'alex', scope: 'other', exp: Math.floor(Date.now() / 1000) + 600 };
    const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    const token = `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
    const written = await writePlane([offering()], { auth: { mode: 'jwt', jwtSecret: secret } });
    const { origin } = await startHttp(['serve', '--config', written.file]);
    await expect(connectHttp(origin, { mode: 'legacy', token })).rejects.toThrow('notes:read');
    for (const [method, params] of [
      ['prompts/get', { name: 'shelf__plain' }],
      ['resources/read', { uri: 'shelf://first' }],
      ['resources/subscribe', { uri: 'shelf://first' }],
      ['tools/call', { name: 'shelf__get_told', arguments: {} }],
    ] as const) {
      const response = await fetch(new URL('/mcp', origin), {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      expect([method, response.status]).toEqual([method, 403]);
      expect(response.headers.get('www-authenticate')).toContain('scope="notes:read"');
    }
    expect(await written.audit()).toEqual([]);
  });
});
