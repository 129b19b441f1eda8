/** Calls that take several rounds: whose question it is, what an approval is good for, and what is left behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, InputRequiredResult } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttpApp } from '../../src/app/http.ts';
import { configSchema } from '../../src/config/schema.ts';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';
import { silentLog } from '../../src/shared/log.ts';
import { createSeal } from '../../src/surfaces/upstream/rounds.ts';
import { startServer } from '../conformance/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { type Mode, overHttp } from './pass-kit.ts';

const MODES: readonly Mode[] = ['legacy', 'auto'];
const ASKS = 'test_input_required_result_elicitation';

async function serve(behind: Mode, plane: Record<string, unknown> = {}) {
  const upstream = await startServer(behind === 'legacy' ? { protocol: '2025-11-25' } : {});
  onTestFinished(upstream.close);
  const server = {
    name: 'suite',
    transport: 'streamable_http',
    url: upstream.url,
    client_consent: 'approved',
    trust: 'trusted',
    first_definitions: 'accept',
    expose: true,
    expose_as: 'plain',
    ask_client: ['elicitation'],
  };
  const control_plane = { mcp_permission_mode: 'auto', ...plane, mcp_servers: [server] };
  const config = configSchema.parse({ notebooks: {}, serve: { port: 0 }, control_plane });
  const folder = await temporaryFolder();
  const services = { log: silentLog, stateFolderFor: () => folder, environment: CLEAN_ENVIRONMENT };
  const app = await openHttpApp({ ...config, configFolder: folder }, services);
  onTestFinished(() => app.close());
  return { origin: app.origin, approvals: openApprovals({ folder: `${folder}/.quire/plane` }) };
}

/** By hand, so that what comes back is seen. */
function round(client: Client, params: Record<string, unknown> = {}, name: string = ASKS) {
  return client.request(
    { method: 'tools/call', params: { name, arguments: {}, ...params } },
    { allowInputRequired: true },
  ) as Promise<unknown> as Promise<InputRequiredResult & { _meta?: Record<string, string>; isError?: true }>;
}

const ALEX = { user_name: { action: 'accept', content: { name: 'Alex' } } };

describe.each(MODES)('clients that are %s', (mode) => {
  it.each(MODES)(
    'are each asked for their own call, at the same time, by a server that is %s',
    async (behind) => {
      const { origin } = await serve(behind);
      const names = ['one', 'two', 'three'];
      const clients = await Promise.all(
        names.map((name) =>
          overHttp(origin, {
            mode,
            answer: async () => {
              // All are being asked before the first answers.
              await sleep(300);
              return { action: 'accept', content: { name } };
            },
          }),
        ),
      );
      const answers = await Promise.all(
        clients.map(({ client }) => client.callTool({ name: ASKS, arguments: {} })),
      );
      expect(answers.map(({ content }) => content)).toEqual(
        names.map((name) => [{ type: 'text', text: `Hello, ${name}!` }]),
      );
      expect(clients.map(({ forms }) => forms.length)).toEqual([1, 1, 1]);
    },
  );
});

describe('calls whose next round never comes', () => {
  it('keep no other call from the server', async () => {
    const { origin } = await serve('legacy', { mcp_limits: { max_concurrent: 2 } });
    const { client } = await overHttp(origin, { mode: 'auto' });
    for (let at = 0; at < 5; at++)
      expect(await round(client)).toMatchObject({ resultType: 'input_required' });
    expect(await client.callTool({ name: 'test_simple_text', arguments: {} })).not.toHaveProperty('isError');
  });
});

describe.each(MODES)('a call that needs an approval, and a server that asks, %s', (behind) => {
  it('runs under one approval to its end, and not twice', async () => {
    const rule = { effect: 'ask', servers: ['suite'], capabilities: ['test_input*'] };
    const { origin, approvals } = await serve(behind, { mcp_policy: [rule] });
    const { client } = await overHttp(origin, { mode: 'auto' });
    const refused = await round(client);
    expect(refused).toMatchObject({ isError: true });
    await approvals.approve(refused._meta?.['sb/approval-id'] ?? '', { by: 'cli:operator' });
    const { inputRequests = {}, requestState } = await round(client);
    const [key = ''] = Object.keys(inputRequests);
    const answers = { inputResponses: { [key]: ALEX.user_name }, requestState };
    expect(await round(client, answers)).toMatchObject({ content: [{ text: 'Hello, Alex!' }] });
    // The same state again is good for nothing: approved was one call.
    const again = await round(client, answers).catch((error: unknown) => error);
    expect(JSON.stringify(again)).toMatch(/sb\/approval|invalid_request_state/);
    expect(JSON.stringify(again)).not.toContain('Hello');
  });
});

describe('what the client carries', () => {
  it.each(MODES)('is good for the same call only: %s', async (behind) => {
    const { origin } = await serve(behind);
    const { client } = await overHttp(origin, { mode: 'auto' });
    const { requestState } = await round(client);
    const wrong = { code: -32602, data: { reason: 'invalid_request_state' } };
    await expect(round(client, { requestState: `${requestState}x` })).rejects.toMatchObject(wrong);
    await expect(round(client, { requestState, arguments: { a: 1 } })).rejects.toMatchObject(wrong);
    await expect(round(client, { requestState }, 'test_simple_text')).rejects.toMatchObject(wrong);
  });

  it('is valid for its caller, for a while, and unchanged', () => {
    let now = 0;
    const seal = createSeal<{ a: number }>({ forMs: 100, now: () => now });
    const sealed = seal.close({ a: 1 }, 'alex');
    expect(seal.open(sealed, 'alex')).toEqual({ a: 1 });
    expect(seal.open(sealed, 'blake')).toBeUndefined();
    expect(createSeal({ forMs: 100, now: () => now }).open(sealed, 'alex')).toBeUndefined();
    const [body = '', mark = ''] = sealed.split('.');
    const other = Buffer.from('{"content":{"a":2},"until":1e9}').toString('base64url');
    for (const forged of [`${other}.${mark}`, body, `${sealed}.`, `${sealed}=`, '', '.', 'x'.repeat(300_000)])
      expect(seal.open(forged, 'alex')).toBeUndefined();
    now = 101;
    expect(seal.open(sealed, 'alex')).toBeUndefined();
  });
});
