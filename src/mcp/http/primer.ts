/**
 * The stream for what a session is told unasked begins with an event that says nothing but its id, so that a client
 * whose stream breaks before anything was said can ask for what it missed. The SDK does this for streams that answer
 * a POST, and not for this one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventLog } from './event-log.ts';

/** The first version whose clients know events without data. */
const KNOWS_PRIMERS = '2025-11-25';
/** What the SDK calls this stream; the events it stores for it bear the name. */
const UNASKED = '_GET_stream';

export function beginWithPrimer(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  events: Pick<EventLog, 'prime'>,
  retryMs: number,
): void {
  const isContinued = headers['last-event-id'] !== undefined;
  if (method !== 'GET' || isContinued || headers['mcp-protocol-version'] !== KNOWS_PRIMERS) return;
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
  // The SDK writes the head and then, some time, what there is to say: this is the only place in between.
  response.writeHead = (...head: unknown[]) => {
    writeHead(...head);
    if (response.statusCode === 200)
      response.write(`id: ${events.prime(UNASKED)}\nretry: ${retryMs}\ndata: \n\n`);
    return response;
  };
}
