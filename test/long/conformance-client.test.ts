/** The official suite in the other role: it is the server, our upstream the client. All that is required passes. */
import { describe, expect, it } from 'vitest';
import { runClientSuite, troubleOf } from '../conformance/suite.ts';
import { bundled } from '../governance/bundle.ts';
import { testServer } from '../governance/sandbox-kit.ts';
import { temporaryFolder } from '../kit/temp.ts';

const NOT_OURS = 'a way to log in that no server behind us was configured for yet';

/** Run by the suite, required by no revision. */
const FAILING: Readonly<Record<string, string>> = {
  'auth/client-credentials-basic': NOT_OURS,
  'auth/client-credentials-jwt': NOT_OURS,
  'auth/dpop': NOT_OURS,
  'auth/dpop-nonce': NOT_OURS,
  'auth/enterprise-managed-authorization': NOT_OURS,
  'auth/wif-jwt-bearer': NOT_OURS,
};

describe('the official conformance suite, for clients', () => {
  it.each([
    ['2025-11-25', 25],
    ['2026-07-28', 39],
  ] as const)('passes for %s', { timeout: 260_000 }, async (revision, scenarios) => {
    const program = [testServer('gate.mjs'), await temporaryFolder(), await bundled('conformance-client.ts')];
    const run = await runClientSuite(program, revision);
    const trouble = [...run.scenarios]
      .map(([name, checks]) => [name, troubleOf(checks)] as const)
      .filter(([name, found]) => found.length > 0 && FAILING[name] === undefined);
    expect(Object.fromEntries(trouble)).toEqual({});
    expect(run.exitCode, run.output).toBe(0);
    expect(run.scenarios.size).toBe(scenarios);
  });
});
