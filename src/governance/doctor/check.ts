/** One thing that was looked at. */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skip';

export interface Check {
  readonly check: string;
  /** A server, a notebook, a file; or `-`. */
  readonly target: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** A line for a shell. Every fail has one. */
  readonly fix?: string;
}

/** Checks of one target. */
export function checksOf(target: string) {
  const plain =
    (status: 'ok' | 'skip') =>
    (check: string, detail: string): Check => ({ check, target, status, detail });
  const bad =
    (status: 'warn' | 'fail') =>
    (check: string, detail: string, fix: string): Check => ({ check, target, status, detail, fix });
  return { ok: plain('ok'), skip: plain('skip'), warn: bad('warn'), fail: bad('fail') };
}
