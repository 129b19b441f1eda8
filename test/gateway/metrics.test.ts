/** The metrics of the gateway, and who may read them. */
import { describe, expect, test } from 'vitest';
import {
  bearer,
  headersFor,
  INITIALIZE_PARAMS,
  openSession,
  openStream,
  type Settings,
  startGateway,
} from '../kit/gateway.ts';
import { post } from '../kit/http.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const open: Settings = { metrics: true, metricsAuth: 'none' };
const read = async (origin: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${origin}/metrics`, { headers });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};

test('sessions, requests, calls and refusals are counted under the names dashboards know', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
  const { origin, events } = await startGateway(open);
  const stream = await openStream(origin, headersFor(fake));
  await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
  await stream.ask(2, 'tools/call', { name: 'get_note', arguments: { noteId: 'abcd' } });
  await stream.ask(3, 'tools/call', { name: 'get_note', arguments: { noteId: 'missing' } });
  await openSession(origin, headersFor(fake));
  await fetch(`${origin}/sse`);
  await fetch(`${origin}/sse`, { headers: bearer() });
  await fetch(`${origin}/sse`, { headers: { ...headersFor(fake), 'X-Trilium-Url': 'ftp://x' } });
  await fetch(`${origin}/sse`, { headers: { ...headersFor(fake), 'X-Trilium-Token': 'wrong' } });
  await fetch(`${origin}/sse`, { headers: { ...headersFor(fake), 'X-Trilium-Url': 'http://127.0.0.1:1' } });
  await fetch(`${origin}/a-path-of-my-own`);
  const during = await read(origin);
  expect(during.type).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = during.text.split('\n');
  const refusals = [
    'unauthorized',
    'missing_trilium_credentials',
    'url_rejected',
    'trilium_auth_failed',
    'trilium_unreachable',
  ];
  expect(lines).toEqual(
    expect.arrayContaining([
      'triliumnext_mcp_sse_sessions 2',
      'triliumnext_mcp_sse_connects_total 2',
      ...refusals.map((reason) => `triliumnext_mcp_sse_connect_failures_total{reason="${reason}"} 1`),
      'triliumnext_mcp_tool_calls_total{tool="get_note",ok="true",error="none"} 1',
      'triliumnext_mcp_tool_calls_total{tool="get_note",ok="false",error="trilium"} 1',
      'triliumnext_mcp_http_requests_total{method="POST",path="/message",status="202"} 3',
      'triliumnext_mcp_http_requests_total{method="GET",path="unknown",status="404"} 1',
    ]),
  );
  expect(during.text).not.toContain('a-path-of-my-own');
  expect(during.text).not.toContain('by_principal');
  stream.close();
  await expect.poll(() => events('sse_closed')).toHaveLength(1);
  const after = (await read(origin)).text.split('\n');
  expect(after).toEqual(
    expect.arrayContaining(['triliumnext_mcp_sse_sessions 1', 'triliumnext_mcp_sse_closes_total 1']),
  );
});

test('callers are counted by name only when asked for', async () => {
  const fake = await startTrilium();
  const { origin } = await startGateway({ ...open, metricsIncludePrincipal: true });
  const id = await openSession(origin, headersFor(fake));
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'manage_system', arguments: { action: 'app_info' } },
  };
  await (await post(origin, call, { ...bearer(), 'MCP-Session-Id': id })).text();
  expect((await read(origin)).text).toMatch(
    /tool_calls_by_principal_total\{principal="bearer:[\da-f]{12}",tool="manage_system",ok="true",error="none"\} 1/,
  );
});

describe('who may read them', () => {
  test('no client, unless they are switched on', async () => {
    const { origin } = await startGateway();
    expect(await read(origin, bearer())).toMatchObject({ status: 404, text: '{"error":"metrics_disabled"}' });
  });

  test('a client that may connect, by default', async () => {
    const { origin, events } = await startGateway({ metrics: true });
    expect(await read(origin)).toMatchObject({ status: 401, text: '{"error":"unauthorized"}' });
    expect((await read(origin, bearer())).status).toBe(200);
    expect((await read(origin, bearer())).text).not.toContain('{reason="unauthorized"}');
    expect(events('unauthorized')).toHaveLength(1);
  });

  test('a client with a token for them, and then no other', async () => {
    const settings: Settings = { metrics: true, metricsAuth: 'bearer', metricsTokens: ['scraper'] };
    const { origin } = await startGateway(settings);
    expect((await read(origin, bearer())).status).toBe(401);
    expect((await read(origin, bearer('scraper'))).status).toBe(200);
  });

  test('all clients, where there is no token to ask for, and a warning says so', async () => {
    const fake = await startTrilium();
    const { origin, warnings } = await startGateway({ metrics: true }, { only: fake });
    expect((await read(origin)).status).toBe(200);
    expect(warnings).toEqual([expect.stringContaining('--metrics-auth none')]);
  });
});
