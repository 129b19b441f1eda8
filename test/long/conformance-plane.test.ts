/**
 * The official suite against the whole of `quire serve`, with the suite's own server behind the plane under its own
 * names: what passes straight passes governed too.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHttpApp } from '../../src/app/http.ts';
import { configSchema } from '../../src/config/schema.ts';
import { silentLog } from '../../src/shared/log.ts';
import { startServer } from '../conformance/server.ts';
import { runSuite, troubleOf } from '../conformance/suite.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const NO_TASKS = 'the tasks extension (SEP-2663): neither the SDK nor Quire has it';

const TASKS = Object.fromEntries(
  [
    'capability-negotiation',
    'dispatch-and-envelope',
    'lifecycle',
    'mrtr-composition',
    'mrtr-input',
    'request-headers',
    'request-state-removal',
    'required-task-error',
    'wire-fields',
  ].map((name) => [`tasks-${name}`, NO_TASKS]),
);

const OF_2025 = 'the server behind is of 2025-11-25, and asks in the midst of a call:';

interface Expectation {
  readonly revision: string;
  /** The protocol era of the upstream server. */
  readonly behind: string;
  readonly scenarios: number;
  /** Scenarios that fail, with the reason. */
  readonly failing: Readonly<Record<string, string>>;
}

const EXPECTED: readonly Expectation[] = [
  { revision: '2025-11-25', behind: '2026-07-28', scenarios: 33, failing: {} },
  { revision: '2025-11-25', behind: '2025-11-25', scenarios: 33, failing: {} },
  { revision: '2026-07-28', behind: '2026-07-28', scenarios: 50, failing: TASKS },
  {
    revision: '2026-07-28',
    behind: '2025-11-25',
    scenarios: 50,
    failing: {
      ...TASKS,
      'input-required-result-basic-elicitation': `${OF_2025} its questions have no names`,
      'input-required-result-basic-list-roots': `${OF_2025} roots are of the session, so we answer`,
      'input-required-result-ignore-extra-params': `${OF_2025} it takes no answers beforehand`,
      'input-required-result-multiple-input-requests': `${OF_2025} roots are of the session, so we answer`,
      'server-stateless': `${OF_2025} it does not know what the client of one call can do`,
    },
  },
];

const BEHIND = {
  name: 'suite',
  transport: 'streamable_http',
  client_consent: 'approved',
  trust: 'trusted',
  first_definitions: 'accept',
  allow: { sampling: true },
  expose: true,
  expose_as: 'plain',
  ask_client: ['elicitation', 'sampling', 'roots'],
};

const PLANE = {
  mcp_permission_mode: 'auto',
  mcp_policy: [{ effect: 'allow', servers: ['suite'] }],
  mcp_limits: { calls_per_minute: 10_000 },
  mcp_exposure: { max_tools: 1_000 },
  mcp_sampling: { enabled: true, per_hour: 1_000 },
};

async function startQuire(upstream: string): Promise<string> {
  const control_plane = { ...PLANE, mcp_servers: [{ ...BEHIND, url: upstream }] };
  const limits = { requestsPerMinute: 100_000, callsPerMinute: 100_000 };
  const config = configSchema.parse({ notebooks: {}, serve: { port: 0, ...limits }, control_plane });
  const configFolder = await temporaryFolder();
  const app = await openHttpApp(
    { ...config, configFolder },
    { log: silentLog, stateFolderFor: () => configFolder, environment: CLEAN_ENVIRONMENT },
  );
  onTestFinished(() => app.close());
  return `${app.origin}/mcp`;
}

describe('the official conformance suite through the plane', () => {
  it.each(EXPECTED)(
    'passes for $revision with a server of $behind behind',
    { timeout: 120_000 },
    async ({ revision, behind, scenarios, failing }) => {
      const suite = await startServer({ ...(behind === '2025-11-25' && { protocol: behind }) });
      onTestFinished(suite.close);
      const run = await runSuite(await startQuire(suite.url), revision);
      const trouble = [...run.scenarios]
        .map(([name, checks]) => [name, troubleOf(checks)] as const)
        .filter(([, found]) => found.length > 0);
      const unexpected = trouble.filter(([name]) => failing[name] === undefined);
      expect(Object.fromEntries(unexpected)).toEqual({});
      const names = trouble.map(([name]) => name).sort();
      expect(names, 'a scenario that used to fail passes').toEqual(Object.keys(failing).sort());
      expect(run.scenarios.size).toBe(scenarios);
      // The scenarios of tasks are not required.
      const isWhole = names.every((name) => name.startsWith('tasks-'));
      expect(run.exitCode === 0, run.output).toBe(isWhole);
    },
  );
});
