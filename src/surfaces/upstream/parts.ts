/** What governed servers are served with. */
import type { CallAnswer } from '../../governance/call.ts';
import type { ExposedCapabilities } from '../../governance/exposed.ts';
import type { Plane } from '../../governance/plane.ts';
import type { ClientRequest } from '../../mcp/request.ts';
import { isAppError } from '../../shared/errors.ts';
import { problemOf } from './answer.ts';
import type { Rounds } from './rounds.ts';

export interface UpstreamParts {
  readonly plane: Plane;
  readonly exposed: ExposedCapabilities;
  readonly rounds: Rounds;
}

export function isAnswer(answered: Awaited<ReturnType<Rounds>>): answered is CallAnswer {
  return answered !== undefined && 'decision' in answered;
}

/** For requests whose failures are errors of the protocol. What there is not has words of its own. */
export async function inProtocolWords<T>(
  { signal }: Pick<ClientRequest, 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOurs = isAppError(error) && !isAppError(error, 'not_found');
    throw isOurs && !signal.aborted ? problemOf(error) : error;
  }
}
