/** Converts between Node's requests and those of the web standard, for routes that can be tested without a socket. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The path as it was sent, neither decoded nor normalized: only known paths are answered. One slash at the end, which
 * people and clients add, is ignored. The query is left out, as it may be secret.
 */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  return /[^/]\/$/.test(path) ? path.slice(0, -1) : path;
}

export function webRequestOf(request: IncomingMessage, origin: string, body: Buffer | undefined): Request {
  const headers = new Headers();
  for (let at = 0; at < request.rawHeaders.length; at += 2)
    headers.append(request.rawHeaders[at] ?? '', request.rawHeaders[at + 1] ?? '');
  const method = request.method ?? 'GET';
  return new Request(new URL(request.url ?? '/', origin), {
    method,
    headers,
    body: body !== undefined && method !== 'GET' && method !== 'HEAD' ? new Uint8Array(body) : undefined,
  });
}

export async function answerWith(response: ServerResponse, answer: Response, isHead = false): Promise<void> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') headers[name] = value;
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  response.writeHead(answer.status, headers);
  response.end(isHead ? undefined : Buffer.from(await answer.arrayBuffer()));
}
