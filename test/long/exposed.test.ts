/** Governed tools at our own endpoint, through the built binary, over both transports and both eras. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';
import { expectProgressAndCancel } from '../governance/expect-cancelled.ts';
import { type ConfigFixture, SHIFTING, writePlane } from '../governance/exposed-kit.ts';
import { until } from '../governance/upstream-kit.ts';
import { connectHttp, startHttp } from '../kit/http.ts';
import { CLEAN_ENVIRONMENT, putFile } from '../kit/temp.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));

async function overHttp({ file }: ConfigFixture, mode: 'legacy' | 'auto' = 'auto', token?: string) {
  const server = await startHttp(['serve', '--config', file]);
  const client = await connectHttp(server.origin, { mode, ...(token !== undefined && { token }) });
  return { server, client };
}

async function overStdio({ file }: ConfigFixture, listChanged: () => void = () => {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { listChanged: { tools: { autoRefresh: false, onChanged: listChanged } } },
  );
  const args = [BINARY, '--config', file];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: { ...CLEAN_ENVIRONMENT } }),
  );
  onTestFinished(() => client.close());
  return client;
}

const namesOf = async (client: Client) =>
  (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name);
const governed = async (client: Client) => (await namesOf(client)).filter((name) => name.includes('__'));
const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });

const VISIBLE = [
  'box__get_cancelled',
  'box__get_failure',
  'box__get_hidden',
  'box__get_mixed',
  'box__get_shift',
  'box__get_slowly',
  'box__get_time',
  'box__send_note',
];

describe.each(['legacy', 'auto'] as const)('over HTTP, %s', (mode) => {
  it('lists the tools of an exposed server after those of the notebook, sorted, and calls them', async () => {
    const written = await writePlane([SHIFTING]);
    const { client } = await overHttp(written, mode);
    const names = await namesOf(client);
    expect(names).toContain('read_note');
    expect(names.filter((name) => name.includes('__'))).toEqual(VISIBLE);
    expect(await call(client, 'box__get_time')).toMatchObject({ content: [{ type: 'text', text: 'noon' }] });
    expect(await call(client, 'read_note', { path: 'a.md' })).not.toMatchObject({ isError: true });
    const events = (await written.audit()).map(({ event, by, capability }) => [event, by, capability]);
    expect(events).toEqual([
      ['proposed', 'anonymous', 'get_time'],
      ['decided', undefined, 'get_time'],
      ['started', undefined, 'get_time'],
      ['returned', undefined, 'get_time'],
    ]);
  });

  it('passes blocks, structured content and errors on, and flags what was hidden', async () => {
    const { client } = await overHttp(await writePlane([SHIFTING]), mode);
    const mixed = await call(client, 'box__get_mixed');
    expect(mixed.content.map(({ type }) => type)).toEqual(['text', 'image', 'resource_link']);
    expect(mixed.structuredContent).toEqual({ count: 3 });
    expect(mixed._meta).toMatchObject({ 'example/kept': 1 });
    expect(mixed._meta).not.toHaveProperty(['sb/approval']);
    expect(await call(client, 'box__get_failure')).toMatchObject({
      isError: true,
      content: [{ text: 'it broke' }],
    });
    const hidden = await call(client, 'box__get_hidden');
    expect(hidden.content).toEqual([{ type: 'text', text: expect.stringContaining('\nplain text\n') }]);
    expect(hidden._meta?.['sb/findings']).toEqual([expect.stringContaining('hidden')]);
  });
});

describe('what is hidden', () => {
  it.each(['box__forbidden_one', 'box__no_such_tool', 'shut__get_time'])(
    'is an unknown tool to the client and denied in the audit log: %s',
    async (name) => {
      const shut = { ...SHIFTING, name: 'shut', expose: false };
      const written = await writePlane([SHIFTING, shut]);
      const { client } = await overHttp(written);
      await expect(call(client, name, { a: 'secret value' })).rejects.toThrow(`Unknown tool: ${name}`);
      const lines = await written.audit();
      expect(lines.map(({ event, outcome, code }) => [event, outcome, code])).toEqual([
        ['proposed', undefined, undefined],
        ['decided', 'deny', 'not_exposed'],
      ]);
      expect(JSON.stringify(lines)).not.toContain('secret value');
    },
  );

  it('is everything of a server that may not be started, and nothing of the one beside it', async () => {
    const refused = { ...SHIFTING, name: 'bad', command: 'bash' };
    const broken = { ...SHIFTING, name: 'broken', args: ['/nowhere.mjs'] };
    const { client } = await overHttp(await writePlane([refused, broken, SHIFTING]));
    expect(await governed(client)).toEqual(VISIBLE);
  });

  it.each([
    [{ min_score: 100 }, []],
    [{ max_tools: 2 }, ['box__get_cancelled', 'box__get_failure']],
  ])('is what the limits say: %j', async (limits, visible) => {
    const plane = { mcp_exposure: limits };
    const { client } = await overHttp(await writePlane([SHIFTING], { control_plane: plane }));
    expect(await governed(client)).toEqual(visible);
  });
});

describe('a tool that needs an approval', () => {
  it('says so in the list, cannot be approved by the caller, and runs once when a person approved', async () => {
    const written = await writePlane([{ ...SHIFTING, trust: 'reviewed' }]);
    const { client } = await overHttp(written);
    const { tools } = await client.listTools();
    const listed = tools.find(({ name }) => name === 'box__send_note');
    expect(listed?._meta).toEqual({ 'sb/approval': 'required' });
    expect(listed?.annotations?.readOnlyHint, 'its own word does not count').toBe(false);
    expect(tools.filter(({ name }) => /approv/.test(name))).toEqual([]);

    const refused = await call(client, 'box__send_note', { to: 'b' });
    expect(refused).toMatchObject({ isError: true, _meta: { 'sb/approval': 'required' } });
    const id = String(refused._meta?.['sb/approval-id']);
    const approvals = openApprovals({ folder: `${written.folder}/.quire/plane` });
    expect(await approvals.get(id)).toMatchObject({ requestedBy: 'anonymous', state: 'pending' });
    expect(await call(client, 'box__send_note', { to: 'b' })).toMatchObject({ isError: true });

    await approvals.approve(id, { by: 'cli:operator' });
    expect(await call(client, 'box__send_note', { to: 'c' })).toMatchObject({ isError: true });
    expect(await call(client, 'box__send_note', { to: 'b' })).toMatchObject({ content: [{ text: 'sent' }] });
    expect(await call(client, 'box__send_note', { to: 'b' })).toMatchObject({ isError: true });
  });
});

describe.each(['legacy', 'auto'] as const)('a client that opens links, %s', (mode) => {
  it('is offered the page of the approval, and gets the answer when the person approved there', async () => {
    const written = await writePlane([{ ...SHIFTING, trust: 'reviewed' }]);
    const { origin } = await startHttp(['serve', '--config', written.file]);
    const options = { versionNegotiation: { mode }, capabilities: { elicitation: { url: {} } } };
    const client = new Client({ name: 'test', version: '1' }, options);
    const approvals = openApprovals({ folder: `${written.folder}/.quire/plane` });
    const replies: ('approve' | 'decline')[] = ['approve', 'decline'];
    const urls: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      urls.push('url' in params ? params.url : '');
      if (replies.shift() === 'decline') return { action: 'decline' };
      const [pending] = await approvals.list({ state: 'pending' });
      await approvals.approve(pending!.id, { by: 'alex' });
      return { action: 'accept' };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin)));
    onTestFinished(() => client.close());
    const sent = await call(client, 'box__send_note', { to: 'b' });
    expect(sent).toMatchObject({ content: [{ text: 'sent' }] });
    expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/approval\?id=/);
    const declined = await call(client, 'box__send_note', { to: 'c' });
    expect(declined).toMatchObject({ isError: true, _meta: { 'sb/approval': 'required' } });
    expect(urls).toHaveLength(2);
  });
});

describe('arguments and limits', () => {
  it('answers wrong arguments and too many calls as failures of the call', async () => {
    const plane = { mcp_limits: { calls_per_minute: 1 } };
    const { client } = await overHttp(await writePlane([SHIFTING], { control_plane: plane }));
    const wrong = await call(client, 'box__get_mixed', { wrods: 1 });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('invalid_arguments') }],
    });
    expect(await call(client, 'box__get_mixed')).not.toMatchObject({ isError: true });
    expect(await call(client, 'box__get_mixed')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('rate_limited') }],
    });
  });

  it('needs the scope for what it does, also for a tool that was never listed', async () => {
    const { createHmac } = await import('node:crypto');
    const secret = 'x'.repeat(32);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'alex', scope: 'notes:read', exp: Math.floor(Date.now() / 1000) + 600 })}`;
    const token = `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
    const written = await writePlane([SHIFTING], { auth: { mode: 'jwt', jwtSecret: secret } });
    const { client } = await overHttp(written, 'legacy', token);
    expect(await call(client, 'box__get_time')).toMatchObject({ content: [{ text: 'noon' }] });
    await expect(call(client, 'box__send_note', { to: 'b' })).rejects.toThrow(/notes:write/);
    expect((await written.audit())[0]?.by).toContain('alex');
  });
});

describe('changes', () => {
  it.each(['legacy', 'auto'] as const)(
    'tells a client over HTTP (%s) when a tool changed and is hidden',
    async (mode) => {
      // With the usual limit of 50 the whole server would go: what changed costs it its score.
      const plane = { mcp_exposure: { min_score: 40 } };
      const written = await writePlane([SHIFTING], { control_plane: plane });
      const { server, client: first } = await overHttp(written, mode);
      let notifications = 0;
      const client = new Client(
        { name: 'watcher', version: '1' },
        {
          versionNegotiation: { mode },
          listChanged: { tools: { autoRefresh: false, onChanged: () => notifications++ } },
        },
      );
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.origin)));
      onTestFinished(() => client.close());
      expect(await governed(client)).toEqual(VISIBLE);
      await call(first, 'box__get_shift');
      await until(() => notifications > 0);
      expect(await governed(client)).toEqual(VISIBLE.filter((name) => name !== 'box__get_time'));
      await expect(call(client, 'box__get_time')).rejects.toThrow('Unknown tool');
      expect((await written.audit()).at(-1)).toMatchObject({
        event: 'decided',
        outcome: 'deny',
        rule: 'definition_changed',
      });
    },
  );
});

describe('over stdio', () => {
  it('serves the same beside the notebook, and tells of changes', async () => {
    const written = await writePlane([SHIFTING]);
    let notifications = 0;
    const client = await overStdio(written, () => notifications++);
    const names = await namesOf(client);
    expect(names).toContain('read_note');
    expect(names.filter((name) => name.includes('__'))).toEqual(VISIBLE);
    expect(await call(client, 'box__get_time')).toMatchObject({ content: [{ text: 'noon' }] });
    expect((await written.audit())[0]).toMatchObject({ event: 'proposed', by: 'stdio' });
    await call(client, 'box__get_shift');
    await until(() => notifications > 0);
    await expect(call(client, 'box__get_time')).rejects.toThrow('Unknown tool');
  });

  it('needs no notebook', async () => {
    const client = await overStdio(await writePlane([SHIFTING], { notebooks: {} }));
    expect(await namesOf(client)).toEqual(VISIBLE);
    await expect(call(client, 'nothing')).rejects.toThrow('Unknown tool: nothing');
  });

  it('passes progress on, and a cancelled call is cancelled at the upstream server too', async () => {
    const written = await writePlane([SHIFTING]);
    const client = await overStdio(written);
    await namesOf(client);
    await expectProgressAndCancel(client, written);
  });

  it.each([true, false])('loads the plane only where something is exposed: %s', async (expose) => {
    const { file, folder } = await writePlane([{ ...SHIFTING, expose }]);
    const preload = `
      const fs = require('node:fs');
      const { readFileSync } = fs;
      const read = [];
      fs.readFileSync = (file, ...options) => {
        read.push(String(file));
        return readFileSync(file, ...options);
      };
      process.on('exit', () => process._rawDebug(read.join()));`;
    await putFile(folder, 'preload.cjs', preload);
    const args = ['-r', join(folder, 'preload.cjs'), BINARY, '--config', file];
    const running = promisify(execFile)(process.execPath, args, { env: CLEAN_ENVIRONMENT });
    running.child.stdin?.end();
    expect((await running).stderr.includes('quire-upstream')).toBe(expose);
  });
});
