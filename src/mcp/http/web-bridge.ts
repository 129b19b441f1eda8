/**
 * From Node's request to the SDK's handler and back. The body has been read and parsed, so the web request has none.
 * Answers are sent whole, with their length; only event streams are sent in pieces.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { McpExchange } from './refusals.ts';

type Handle = (
  request: Request,
  options: { readonly authInfo: AuthInfo; readonly parsedBody?: unknown },
) => Promise<Response>;

export async function serveThrough(
  handle: Handle,
  { request, response, body }: McpExchange,
  authInfo: AuthInfo,
): Promise<void> {
  const gone = new AbortController();
  // A client that disconnects before the end cancels the call.
  response.once('close', () => response.writableFinished || gone.abort());
  if (response.destroyed) gone.abort();
  const answer = await handle(webRequestOf(request, gone.signal), { authInfo, parsedBody: body });
  const headers = Object.fromEntries(answer.headers);
  if (answer.body && headers['content-type']?.startsWith('text/event-stream')) {
    response.writeHead(answer.status, headers);
    return pass(answer.body, response);
  }
  const bytes = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { ...headers, 'content-length': bytes.length });
  response.end(bytes);
}

/**
 * As much of a request as the SDK uses when it is given the parsed body: a whole one takes a twentieth of the time of a
 * call. Of the address only the path is used; the Host has been checked.
 */
function webRequestOf({ method = 'GET', headers, url = '/' }: IncomingMessage, signal: AbortSignal): Request {
  const init = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  const seen: Pick<Request, 'method' | 'url' | 'headers' | 'signal'> = {
    method,
    url: `http://localhost${url}`,
    headers: new Headers(init),
    signal,
  };
  return seen as Request;
}

async function pass(stream: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = stream.getReader();
  response.once('close', () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await drained(response);
  }
  response.end();
}

/** Resolves when the response takes more, or is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}
