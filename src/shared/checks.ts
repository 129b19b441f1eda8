/** Health checks, as `quire doctor` and `quire mcp doctor` run them: each room has its own, all with this one result. */
import { isAppError } from './errors.ts';

export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skip';

export interface CheckResult {
  readonly check: string;
  /** A server, a notebook, a file; or `-`. */
  readonly target: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** The remedy; every warning and every failure has one. */
  readonly fix?: string;
}

export type Check = () =>
  | CheckResult
  | readonly CheckResult[]
  | Promise<CheckResult | readonly CheckResult[]>;

/** One after another, because some of them start or reach the same thing. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) results.push(...[await check()].flat());
  return results;
}

/** Results for one target. */
export function resultsFor(target: string) {
  const plain =
    (status: 'ok' | 'skip') =>
    (check: string, detail: string): CheckResult => ({ check, target, status, detail });
  const bad =
    (status: 'warn' | 'fail') =>
    (check: string, detail: string, fix: string): CheckResult => ({ check, target, status, detail, fix });
  return {
    ok: plain('ok'),
    skip: plain('skip'),
    warn: bad('warn'),
    fail: bad('fail'),
    /** An expected error as a failed check; throws any other. */
    failWith: (check: string, error: unknown, fix: string): CheckResult => {
      if (!isAppError(error)) throw error;
      return bad('fail')(check, error.message, error.hint ?? fix);
    },
  };
}
