/** The series, their names and labels, and who may read them. */
import { describe, expect, test } from 'vitest';
import { countsByServer } from '../../src/governance/counts.ts';
import { withGeneralScope } from '../../src/http/auth/authenticate.ts';
import { type MetricsAccess, metricsRoute } from '../../src/http/health.ts';
import { createMetrics, type Metrics, type MetricsOptions, TRILIUM_NAMES } from '../../src/http/metrics.ts';
import { AppError } from '../../src/shared/errors.ts';
import { ANONYMOUS, FULL_SCOPES, type Scope } from '../../src/shared/principal.ts';
import { noLoad } from '../../src/upstream/incoming.ts';

const create = (options: Partial<MetricsOptions> = {}): Metrics =>
  createMetrics({
    version: '1.2.3',
    routes: ['/mcp', '/health'],
    tools: ['read_note', 'write_note'],
    sessions: () => 7,
    ...options,
  });

const linesOf = async (metrics: Metrics) =>
  (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const typesOf = async (metrics: Metrics) =>
  Object.fromEntries(
    [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((match) => [match[1], match[2]]),
  );

function exercise(metrics: Metrics): void {
  metrics.answered({ method: 'POST', route: '/mcp', status: 200, milliseconds: 30 });
  metrics.called({ tool: 'read_note', outcome: 'ok', milliseconds: 20 }, { id: 'user:anna' });
  metrics.called(
    { tool: 'write_note', outcome: 'error', milliseconds: 20, errorKind: 'diff' },
    { id: 'user:anna' },
  );
  metrics.authFailed('invalid');
  metrics.rateLimited('address');
  metrics.sessionOpened();
  metrics.sessionClosed();
  metrics.sessionRefused('url_rejected');
}

describe('what is counted of governed servers', () => {
  test('is summed over the times a server was started, and read at the request', async () => {
    const nested = { roots: 1, sampling: 2, accepted: 0, declined: 0, cancelled: 0 };
    const asked = { ...nested, refused: 3, inputTokens: 40, outputTokens: 5 };
    const load = { ...noLoad(), logs: 7, listChanges: 1 };
    const counts = () =>
      countsByServer([
        { server: 'noisy', load, nested: asked },
        { server: 'noisy', load, nested: asked },
      ]);
    const metrics = create({ upstreams: () => counts().map((one) => ({ ...one, tokens: { input: 80 } })) });
    load.logs = 10;
    const lines = await linesOf(metrics);
    for (const line of [
      'left_out_total{server="noisy",kind="logs"} 20',
      'left_out_total{server="noisy",kind="list_changes"} 2',
      'questions_total{server="noisy",kind="sampling_refused"} 6',
      'tokens_total{server="noisy",kind="input"} 80',
    ])
      expect(lines).toContain(`quire_mcp_upstream_${line}`);
    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining(lines.filter((one) => /upstream/.test(one))),
    );
  });
});

describe('how far the search index is', () => {
  test('is reported for each notebook, as it is at the time of the request', async () => {
    let pending = 3;
    const metrics = create({
      indexes: () => [{ notebook: 'space', indexed: 40, pending, unreadable: 2 }],
    });
    const counts = async () => (await linesOf(metrics)).filter((line) => line.startsWith('quire_mcp_notes{'));
    expect(await counts()).toEqual([
      'quire_mcp_notes{notebook="space",state="indexed"} 40',
      'quire_mcp_notes{notebook="space",state="pending"} 3',
      'quire_mcp_notes{notebook="space",state="unreadable"} 2',
    ]);
    pending = 0;
    expect(await counts()).toContain('quire_mcp_notes{notebook="space",state="pending"} 0');
  });

  test('is not reported where nothing is indexed', async () => {
    expect(await create().text()).not.toContain('quire_mcp_notes');
  });
});

describe('our own series', () => {
  test('are these', async () => {
    const metrics = create();
    exercise(metrics);
    expect(await typesOf(metrics)).toEqual({
      quire_mcp_build_info: 'gauge',
      quire_mcp_process_uptime_seconds: 'gauge',
      quire_mcp_process_resident_memory_bytes: 'gauge',
      quire_mcp_sessions: 'gauge',
      quire_mcp_http_requests_total: 'counter',
      quire_mcp_http_request_duration_seconds: 'histogram',
      quire_mcp_tool_calls_total: 'counter',
      quire_mcp_tool_duration_seconds: 'histogram',
      quire_mcp_auth_failures_total: 'counter',
      quire_mcp_rate_limited_total: 'counter',
      quire_mcp_sessions_opened_total: 'counter',
      quire_mcp_sessions_closed_total: 'counter',
      quire_mcp_sessions_refused_total: 'counter',
    });
    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'quire_mcp_build_info{version="1.2.3"} 1',
        'quire_mcp_sessions 7',
        'quire_mcp_http_requests_total{method="POST",route="/mcp",status="200"} 1',
        'quire_mcp_http_request_duration_seconds_bucket{le="0.05",method="POST",route="/mcp"} 1',
        'quire_mcp_http_request_duration_seconds_count{method="POST",route="/mcp"} 1',
        'quire_mcp_tool_calls_total{tool="read_note",outcome="ok"} 1',
        'quire_mcp_tool_calls_total{tool="write_note",outcome="error"} 1',
        'quire_mcp_tool_duration_seconds_bucket{le="0.05",tool="read_note"} 1',
        'quire_mcp_auth_failures_total{reason="invalid"} 1',
        'quire_mcp_rate_limited_total{kind="address"} 1',
      ]),
    );
  });

  test('belong to one server: another begins at nothing', async () => {
    exercise(create());
    expect((await linesOf(create())).filter((line) => line.includes('http_requests_total'))).toEqual([]);
  });

  test('sessions are counted when they are asked for', async () => {
    let sessions = 1;
    const metrics = create({ sessions: () => sessions });
    expect(await linesOf(metrics)).toContain('quire_mcp_sessions 1');
    sessions = 3;
    expect(await linesOf(metrics)).toContain('quire_mcp_sessions 3');
  });
});

describe('the series of triliumnext-mcp', () => {
  test('keep their names and labels', async () => {
    const metrics = create({ names: TRILIUM_NAMES, perPrincipal: true });
    exercise(metrics);
    expect(await typesOf(metrics)).toMatchObject({
      triliumnext_mcp_build_info: 'gauge',
      triliumnext_mcp_http_requests_total: 'counter',
      triliumnext_mcp_http_request_duration_seconds: 'histogram',
      triliumnext_mcp_tool_calls_total: 'counter',
      triliumnext_mcp_tool_call_duration_seconds: 'histogram',
      triliumnext_mcp_sse_sessions: 'gauge',
      triliumnext_mcp_sse_connects_total: 'counter',
      triliumnext_mcp_sse_closes_total: 'counter',
      triliumnext_mcp_sse_connect_failures_total: 'counter',
      triliumnext_mcp_process_uptime_seconds: 'gauge',
      triliumnext_mcp_process_resident_memory_bytes: 'gauge',
      triliumnext_mcp_tool_calls_by_principal_total: 'counter',
    });
    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'triliumnext_mcp_http_requests_total{method="POST",path="/mcp",status="200"} 1',
        'triliumnext_mcp_tool_calls_total{tool="read_note",ok="true",error="none"} 1',
        'triliumnext_mcp_tool_calls_total{tool="write_note",ok="false",error="diff"} 1',
        'triliumnext_mcp_sse_connect_failures_total{reason="url_rejected"} 1',
        'triliumnext_mcp_tool_calls_by_principal_total{principal="user:anna",tool="read_note",ok="true",error="none"} 1',
      ]),
    );
  });

  test('are announced before anything has happened', async () => {
    const text = await create({ names: TRILIUM_NAMES, perPrincipal: true }).text();
    const announced = [...text.matchAll(/^# HELP triliumnext_mcp_(\S+) .+\n# TYPE triliumnext_mcp_(\S+) /gm)];
    expect(announced.map(([, help, type]) => help === type && help)).toEqual(
      expect.arrayContaining([
        ...['build_info', 'http_requests_total', 'http_request_duration_seconds', 'tool_calls_total'],
        ...['tool_call_duration_seconds', 'sse_sessions', 'sse_connects_total', 'sse_closes_total'],
        ...['sse_connect_failures_total', 'process_uptime_seconds', 'process_resident_memory_bytes'],
        'tool_calls_by_principal_total',
      ]),
    );
    expect(text).toContain('\ntriliumnext_mcp_sse_connects_total 0\n');
  });

  test('know five paths, whatever the server has', async () => {
    const metrics = create({ names: TRILIUM_NAMES, routes: ['/mcp', '/login'] });
    const asked = ['/health', '/sse', '/message', '/metrics', '/mcp', '/login', '/.env'];
    for (const route of asked) metrics.answered({ method: 'GET', route, status: 200, milliseconds: 1 });
    const counted = (await linesOf(metrics)).filter((line) => line.includes('http_requests_total'));
    expect(counted.map((line) => /path="([^"]+)".* (\d+)$/.exec(line)?.slice(1).join(' '))).toEqual([
      ...['/health 1', '/sse 1', '/message 1', '/metrics 1', '/mcp 1', 'unknown 2'],
    ]);
  });

  test('name neither a session nor a tenant', async () => {
    const metrics = create({ names: TRILIUM_NAMES });
    exercise(metrics);
    const labels = [...(await metrics.text()).matchAll(/[{,](\w+)="/g)].map((match) => match[1]);
    expect([...new Set(labels)].sort()).toEqual(
      ['error', 'kind', 'le', 'method', 'ok', 'path', 'reason', 'status', 'tool', 'version'].sort(),
    );
  });

  test('have the buckets dashboards were made for', async () => {
    const metrics = create({ names: TRILIUM_NAMES });
    exercise(metrics);
    const buckets = (series: string, lines: string[]) =>
      lines.filter((line) => line.includes(`${series}_bucket`)).map((line) => /le="([^"]+)"/.exec(line)?.[1]);
    const lines = (await linesOf(metrics)).filter((line) => !line.includes('write_note'));
    const seconds = '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf'.split(' ');
    expect(buckets('http_request_duration_seconds', lines)).toEqual(seconds);
    expect(buckets('tool_call_duration_seconds', lines)).toEqual(
      '0.01 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 +Inf'.split(' '),
    );
  });
});

describe('labels', () => {
  test('have few values, whatever is sent', async () => {
    const metrics = create({ perPrincipal: true });
    for (let at = 0; at < 3_000; at++) {
      metrics.answered({ method: `M${at}`, route: `/scan/${at}`, status: 1000 + at, milliseconds: 1 });
      metrics.called({ tool: `tool_${at}`, outcome: 'ok', milliseconds: 1 }, { id: `user:${at}` });
    }
    const lines = await linesOf(metrics);
    expect(lines).toContain(
      'quire_mcp_http_requests_total{method="other",route="other",status="other"} 3000',
    );
    expect(lines).toContain('quire_mcp_tool_calls_total{tool="unknown",outcome="ok"} 3000');
    expect(lines.filter((line) => line.includes('by_principal'))).toHaveLength(1_001);
    expect(lines).toContain(
      'quire_mcp_tool_calls_by_principal_total{principal="other",tool="unknown",outcome="ok"} 2000',
    );
  });

  test('cannot break out of their quotes', async () => {
    const metrics = create({ perPrincipal: true });
    metrics.called({ tool: 'read_note', outcome: 'ok', milliseconds: 1 }, { id: 'a"} 1\nevil_total 1' });
    expect((await metrics.text()).split('\n').some((line) => line.startsWith('evil_total'))).toBe(false);
  });

  test('name no caller unless that is asked for', async () => {
    const metrics = create();
    exercise(metrics);
    expect(await metrics.text()).not.toContain('anna');
  });
});

const SCOPES_OF: Readonly<Record<string, readonly Scope[]>> = {
  'gateway-token': FULL_SCOPES,
  'token-for-one-notebook': ['notes:read:team', 'notes:write:team'],
  'token-without-scopes': [],
};

describe('/metrics', () => {
  const metrics = create();
  const get = async (access: MetricsAccess, authorization?: string) =>
    metricsRoute(metrics, access).handle(
      new Request('http://localhost/metrics', {
        headers: authorization === undefined ? {} : { authorization },
      }),
      { address: '127.0.0.1' },
    );
  const token: MetricsAccess = { mode: 'token', tokens: ['scrape-token-0001', 'scrape-token-0002'] };
  const same: MetricsAccess = {
    mode: 'same',
    authenticate: withGeneralScope(async (given) => {
      if (given === 'bound-token') throw new AppError('unauthorized', 'This token is bound to a key');
      const scopes = SCOPES_OF[given ?? ''];
      return scopes && { ...ANONYMOUS, scopes };
    }),
  };

  test('open is open', async () => {
    const response = await get({ mode: 'open' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('quire_mcp_build_info');
  });

  test.each([
    [token, 'Bearer scrape-token-0001', 200],
    [token, 'bearer scrape-token-0002', 200],
    [token, 'Bearer gateway-token', 401],
    [token, 'Bearer scrape-token-000', 401],
    [token, 'Bearer scrape-token-00011', 401],
    [token, 'Basic scrape-token-0001', 401],
    [token, 'scrape-token-0001', 401],
    [token, 'Bearer ', 401],
    [token, undefined, 401],
    [same, 'Bearer gateway-token', 200],
    [same, 'Bearer scrape-token-0001', 401],
    [same, undefined, 401],
    [same, 'Bearer token-for-one-notebook', 401],
    [same, 'Bearer token-without-scopes', 401],
    [same, 'Bearer bound-token', 401],
  ] as const)('case %#: %o with %j is %i', async (access, authorization, status) => {
    const response = await get(access, authorization);
    expect(response.status).toBe(status);
    if (status === 200) return;
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await response.text()).toBe('{"error":"unauthorized"}');
  });

  test('refusals are counted', async () => {
    const counted = create();
    const route = metricsRoute(counted, token);
    await route.handle(new Request('http://localhost/metrics'), { address: '127.0.0.1' });
    expect(await linesOf(counted)).toContain('quire_mcp_auth_failures_total{reason="missing"} 1');
  });

  test('a token of its own has to be given', () => {
    expect(() => metricsRoute(metrics, { mode: 'token', tokens: [] })).toThrow('needs a token');
  });
});
