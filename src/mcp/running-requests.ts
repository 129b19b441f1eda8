/**
 * The ids of requests of one connection that have no answer yet. A second request with the id of one that is still
 * running cannot be told from it: its answer would be lost, and its client would wait for ever. So it is refused.
 */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

const INVALID_REQUEST = -32_600;

export class RunningRequests {
  readonly #ids = new Set<RequestId>();

  get size(): number {
    return this.#ids.size;
  }

  /** False when a request with that id is running. */
  begin(id: RequestId): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    return true;
  }

  end(id: unknown): void {
    this.#ids.delete(id as RequestId);
  }

  /** What a client gives up gets no answer. */
  hear(message: JSONRPCMessage): void {
    if ('method' in message && message.method === 'notifications/cancelled')
      this.end((message.params as { requestId?: unknown } | undefined)?.requestId);
  }
}

export function repeatedId(id: RequestId): { readonly code: number; readonly message: string } {
  return {
    code: INVALID_REQUEST,
    message: `Invalid request: the id ${JSON.stringify(id).slice(0, 80)} belongs to a request that is still being answered. Give every request an id of its own; this one was not carried out.`,
  };
}
