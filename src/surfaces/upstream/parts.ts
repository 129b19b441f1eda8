/** What governed servers are served with. */
import type { Answered } from '../../governance/call.ts';
import type { Exposed } from '../../governance/exposed.ts';
import type { Plane } from '../../governance/plane.ts';
import type { Requested } from '../../mcp/request.ts';
import { isAppError } from '../../shared/errors.ts';
import { problemOf } from './answer.ts';
import type { Rounds } from './rounds.ts';

export interface UpstreamParts {
  readonly plane: Plane;
  readonly exposed: Exposed;
  readonly rounds: Rounds;
}

export function isAnswer(answered: Awaited<ReturnType<Rounds>>): answered is Answered {
  return answered !== undefined && 'decision' in answered;
}

/** For requests whose failures are errors of the protocol. What there is not has words of its own. */
export async function inProtocolWords<T>(
  { signal }: Pick<Requested, 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOurs = isAppError(error) && !isAppError(error, 'not_found');
    throw isOurs && !signal.aborted ? problemOf(error) : error;
  }
}
