/** The official suite against our endpoint: every scenario of both revisions, required or not. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from './server.ts';
import { type Check, runSuite, type SuiteRun, skippedOf, troubleOf } from './suite.ts';

const NO_TASKS = 'the tasks extension (SEP-2663): neither the SDK nor Quire has it';

interface Expectation {
  readonly revision: string;
  readonly scenarios: number;
  /** Run by the suite but not required by the revision; we want them all the same. */
  readonly wanted: readonly string[];
  /** Scenarios that fail, with the reason. None of them is required. */
  readonly failing: Readonly<Record<string, string>>;
  /** Checks that do not apply, with the reason. */
  readonly skipped: Readonly<Record<string, string>>;
}

const EXPECTED: readonly Expectation[] = [
  {
    revision: '2025-11-25',
    scenarios: 33,
    wanted: ['server-session-lifecycle', 'server-sse-polling', 'json-schema-2020-12'],
    failing: {},
    skipped: {},
  },
  {
    revision: '2026-07-28',
    scenarios: 50,
    wanted: ['http-header-validation', 'http-custom-header-server-validation', 'json-schema-2020-12'],
    failing: {
      'tasks-capability-negotiation': NO_TASKS,
      'tasks-dispatch-and-envelope': NO_TASKS,
      'tasks-lifecycle': NO_TASKS,
      'tasks-mrtr-composition': NO_TASKS,
      'tasks-mrtr-input': NO_TASKS,
      'tasks-request-headers': NO_TASKS,
      'tasks-request-state-removal': NO_TASKS,
      'tasks-required-task-error': NO_TASKS,
      'tasks-wire-fields': NO_TASKS,
    },
    skipped: {
      'tasks-status-notifications': 'the suite itself has no test for it yet',
    },
  },
];

/** The findings by name of scenario; scenarios without one are left out. */
function collect({ scenarios }: SuiteRun, find: (checks: readonly Check[]) => string[]) {
  const found = [...scenarios].map(([name, checks]) => [name, find(checks)] as const);
  return Object.fromEntries(found.filter(([, findings]) => findings.length > 0));
}

describe('the official conformance suite', () => {
  it.each(EXPECTED)(
    'passes for $revision',
    { timeout: 90_000 },
    async ({ revision, scenarios, wanted, failing, skipped }) => {
      const server = await startServer();
      onTestFinished(server.close);
      const run = await runSuite(server.url, revision);

      const trouble = collect(run, troubleOf);
      const unexpected = Object.entries(trouble).filter(([name]) => failing[name] === undefined);
      expect(Object.fromEntries(unexpected)).toEqual({});
      expect(run.exitCode, run.output).toBe(0);
      expect(Object.keys(trouble).sort(), 'a scenario that used to fail passes').toEqual(
        Object.keys(failing),
      );
      expect(Object.values(collect(run, skippedOf)).flat().sort()).toEqual(Object.keys(skipped));
      expect(run.scenarios.size).toBe(scenarios);
      for (const name of wanted)
        expect(run.scenarios.get(name)?.filter(({ status }) => status === 'SUCCESS')).not.toHaveLength(0);
    },
  );
});
