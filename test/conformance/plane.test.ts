/**
 * The official suite against our endpoint with its own server behind the plane: what passes straight passes governed
 * too. The tools keep the suite's names here, since it asks for them by those.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NOBODY } from '../../src/governance/connect/nested/nobody.ts';
import { openExposed } from '../../src/governance/exposed.ts';
import { openPlane } from '../../src/governance/plane.ts';
import { createEndpoint } from '../../src/mcp/http/endpoint.ts';
import { joinSurfaces } from '../../src/mcp/join-surfaces.ts';
import type { LiveTools } from '../../src/mcp/live-tools.ts';
import { createServer as createProtocolServer } from '../../src/mcp/server.ts';
import { silentLog } from '../../src/shared/log.ts';
import { ANONYMOUS } from '../../src/shared/principal.ts';
import { upstreamTools } from '../../src/surfaces/upstream/live-tools.ts';
import { planeOf } from '../governance/kit.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { startServer } from './server.ts';
import { runSuite, troubleOf } from './suite.ts';

const TOOLS = [
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-progress',
  'tools-list',
];

/**
 * All that pass. The others ask for prompts, resources, completion and logging, which are not exposed; for questions to
 * the client, which the plane's operator answers instead; for tasks; or for checks of Host, which stand before the endpoint.
 */
const PASSED_ON: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'json-schema-2020-12',
    'ping',
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
    'server-sse-polling',
    ...TOOLS,
  ],
  '2026-07-28': [
    'http-header-validation',
    'input-required-result-ignore-extra-params',
    'input-required-result-unsupported-methods',
    'json-schema-2020-12',
    'server-sse-multiple-streams',
    'tasks-status-notifications',
    ...TOOLS,
  ],
};

const BEHIND = 'suite';

function underOwnNames(live: LiveTools): LiveTools {
  const full = (name: string) => `${BEHIND}__${name}`;
  return {
    ...live,
    owns: (name) => live.owns(full(name)),
    effectOf: (name) => live.effectOf(full(name)),
    call: (call) => live.call({ ...call, name: full(call.name) }),
    list: async () =>
      (await live.list()).map((tool) => ({ ...tool, name: tool.name.slice(BEHIND.length + 2) })),
  };
}

async function startPlane(upstream: string): Promise<string> {
  const server = {
    name: BEHIND,
    transport: 'streamable_http',
    url: upstream,
    client_consent: 'approved',
    trust: 'trusted',
    expose: true,
  };
  const limits = { mcp_limits: { calls_per_minute: 10_000 }, mcp_exposure: { max_tools: 1_000 } };
  const rules = { mcp_permission_mode: 'auto', mcp_policy: [{ effect: 'allow', servers: [BEHIND] }] };
  const plane = openPlane({
    config: planeOf({ ...limits, ...rules }, [server], await temporaryFolder()),
    environment: {},
    operator: NOBODY,
    client: { name: 'quire', version: '0' },
    log: silentLog,
  });
  const exposed = openExposed(plane);
  const live = underOwnNames(upstreamTools(plane, exposed));
  const endpoint = createEndpoint({
    createServer: (principal, session) =>
      createProtocolServer({
        limited: joinSurfaces([]),
        backend: undefined,
        live,
        version: '0',
        log: silentLog,
        principal,
        announces: session !== undefined,
      }),
    live,
    limits: { sessions: 100, idleMs: 60_000, bufferedBytes: 1_000_000, subscriptions: 100 },
    log: silentLog,
  });
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    await endpoint.handle(request, response, ANONYMOUS, text === '' ? undefined : JSON.parse(text));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await endpoint.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    exposed.close();
    await plane.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

describe('the official conformance suite through the plane', () => {
  it.each(Object.entries(PASSED_ON))(
    'passes for the tools of %s',
    { timeout: 120_000 },
    async (revision, passing) => {
      const suite = await startServer();
      onTestFinished(suite.close);
      const run = await runSuite(await startPlane(suite.url), revision);
      const passed = [...run.scenarios].filter(([, checks]) => troubleOf(checks).length === 0);
      expect(passed.map(([name]) => name).sort()).toEqual([...passing].sort());
      for (const name of TOOLS)
        expect(run.scenarios.get(name)?.filter(({ status }) => status === 'SUCCESS')).not.toHaveLength(0);
    },
  );
});
