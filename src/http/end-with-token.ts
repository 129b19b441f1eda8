/** A stream was let in once, and goes on for days: whoever would not be let in any more is not told more either. */
import type { ServerResponse } from 'node:http';
import type { Principal } from '../shared/principal.ts';

const RECHECK_MS = 5_000;

export function endWithToken(
  response: ServerResponse,
  authenticate: () => Promise<Principal | undefined>,
): void {
  const timer = setInterval(() => {
    authenticate().then(
      (principal) => principal ?? response.destroy(),
      () => response.destroy(),
    );
  }, RECHECK_MS).unref();
  response.once('close', () => clearInterval(timer));
}
