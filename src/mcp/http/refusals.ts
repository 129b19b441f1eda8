/** Refusals in the shape clients of both eras read: an HTTP status and a JSON-RPC error. */
import type { ServerResponse } from 'node:http';

export function answerError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  { id = null, data }: { id?: string | number | null; data?: unknown } = {},
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  const error = { code, message, ...(data !== undefined && { data }) };
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}
