/** Tenants with a name: who belongs to them, their limits, and what is counted of them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTenantNames } from '../../src/http/tenants/named.ts';
import type { AppError } from '../../src/shared/errors.ts';
import { ANONYMOUS } from '../../src/shared/principal.ts';
import {
  bearer,
  headersFor,
  INITIALIZE_PARAMS,
  openSession,
  openStream,
  startGateway,
} from '../kit/gateway.ts';
import { INITIALIZE, post, startHttp } from '../kit/http.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const [ACME, SMALL] = ['gateway-token-of-acme', 'gateway-token-of-the-small-one'];
const note = { notes: [{ id: 'abcd', title: 'A' }] };
const metrics = { metrics: true, metricsAuth: 'none' } as const;
const getNote = (noteId: string) => ({ name: 'get_note', arguments: { noteId } });
const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };

const readMetrics = async (origin: string) => (await (await fetch(`${origin}/metrics`)).text()).split('\n');

test('a caller, or else its Trilium, says which tenant a call is counted for', async () => {
  const [fake, other] = [await startTrilium(note), await startTrilium(note)];
  const { origin, events } = await startGateway({
    ...metrics,
    metricsIncludePrincipal: true,
    tenants: { acme: { tokens: [ACME] }, uni: { urls: [`${other.url}/etapi/`] } },
  });
  const stream = await openStream(origin, headersFor(other, ACME));
  await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
  await stream.ask(2, 'tools/call', getNote('abcd'));
  await stream.ask(3, 'tools/call', getNote('missing'));
  for (const trilium of [other, fake]) {
    const headers = headersFor(trilium);
    const session = { ...headers, 'MCP-Session-Id': await openSession(origin, headers) };
    await (await post(origin, { ...PING, method: 'tools/call', params: getNote('abcd') }, session)).text();
  }
  const tenants = events('tool_call').map(({ tenant }) => tenant);
  expect(tenants).toEqual(['acme', 'acme', 'uni', undefined]);
  expect(events('sse_connected')).toMatchObject([{ tenant: 'acme' }]);
  const lines = await readMetrics(origin);
  const series = (name: string) =>
    lines
      .filter((line) => line.startsWith(`triliumnext_mcp_tenant_${name}{`))
      .map((line) => line.replace(/principal="bearer:[0-9a-f]{12}"/, 'principal="…"'));
  expect(series('tool_calls_total')).toEqual([
    expect.stringContaining('{tenant="acme",principal="…",ok="true"} 1'),
    expect.stringContaining('{tenant="acme",principal="…",ok="false"} 1'),
    expect.stringContaining('{tenant="uni",principal="…",ok="true"} 1'),
    expect.stringContaining('{tenant="other",principal="…",ok="true"} 1'),
  ]);
  expect(series('sessions')).toEqual([
    'triliumnext_mcp_tenant_sessions{tenant="acme"} 1',
    'triliumnext_mcp_tenant_sessions{tenant="uni"} 1',
  ]);
  expect(series('last_call_timestamp_seconds')).toHaveLength(3);
  for (const line of series('answer_characters_total')) expect(line).toMatch(/ [1-9]\d*$/);
});

test.each([
  ['https://notes.test', 'acme'],
  ['HTTPS://Notes.test:443/etapi/', 'acme'],
  ['https://notes.test./etapi', 'acme'],
  ['https://notes.test.:443//etapi//', 'acme'],
  ['https://notes.test:444', undefined],
  ['https://notes.test/other', undefined],
])('a Trilium is the same however its address is spelled: %s', (url, name) => {
  const nameOf = createTenantNames({
    acme: { tokens: [], principals: [], urls: ['https://notes.test/etapi'] },
  });
  expect(nameOf(ANONYMOUS, { 'x-trilium-url': url })).toBe(name);
});

test('a tenant has limits of its own, and so has each of its callers', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway({
    ...metrics,
    tenants: {
      acme: { tokens: [ACME, `${ACME}-2`], requestsPerMinute: 5, callerRequestsPerMinute: 3 },
      small: { tokens: [SMALL], sessions: 1 },
    },
  });
  const initialize = (token: string) => post(origin, INITIALIZE, headersFor(fake, token));
  const statuses: unknown[] = [];
  for (const token of [ACME, ACME, ACME, ACME, `${ACME}-2`, `${ACME}-2`, `${ACME}-2`]) {
    const answer = await initialize(token);
    const { reason } = answer.status === 200 ? {} : ((await answer.json()) as { reason?: string });
    statuses.push(reason ?? answer.status);
    if (reason) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(statuses).toEqual([200, 200, 200, 'caller', 200, 200, 'tenant']);
  expect(events('rate_limited')).toMatchObject([
    { reason: 'caller', tenant: 'acme' },
    { reason: 'tenant', tenant: 'acme' },
  ]);
  expect(await readMetrics(origin)).toContain('triliumnext_mcp_rate_limited_total{kind="tenant"} 2');

  const first = headersFor(fake, SMALL);
  await openStream(origin, first);
  expect((await fetch(`${origin}/sse`, { headers: first })).status).toBe(503);
  expect((await initialize(SMALL)).status).toBe(200);
  await openStream(origin, headersFor(fake));
});

test.each([
  [{ acme: {} }, 'gateway.tenants.acme'],
  [{ acme: { principals: ['alex'] } }, 'jwt or oauth'],
  [{ acme: { tokens: [ACME] }, other: { tokens: [ACME] } }, 'a token of acme and other'],
  [{ a: { urls: ['https://n.test'] }, b: { urls: ['https://n.test/etapi'] } }, 'of a and b'],
])('what no caller can belong to is refused at the start: %j', async (tenants, words) => {
  const { message, hint } = await startGateway({ tenants }).then(
    () => expect.unreachable('it has started'),
    (error: AppError) => error,
  );
  expect(`${message} ${hint}`).toContain(words);
});

test('a real gateway reads them from its file', async () => {
  const [fake, folder] = [await startTrilium(note), await temporaryFolder()];
  const file = join(folder, 'quire.yaml');
  const gateway = { transport: 'http', port: 0, multiTenant: true, allowPrivateUrls: true, ...metrics };
  const configuration = {
    gateway: { ...gateway, tenants: { acme: { tokens: [ACME], requestsPerMinute: 2 } } },
  };
  await writeFile(file, JSON.stringify(configuration));
  const { origin, rawLog } = await startHttp(['trilium', '--config', file]);
  const answers = [];
  for (let times = 0; times < 3; times++)
    answers.push(await post(origin, INITIALIZE, headersFor(fake, ACME)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect((await post(origin, INITIALIZE, bearer('unknown'))).status).toBe(401);
  expect(rawLog()).toMatch(/mcp_session_opened .*tenant=acme/);
});
