/**
 * Ids of requests to a client. Each replica counts its own from 0, so they go out with the name of the replica, and an
 * answer that reaches another one is known to belong there.
 */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { MessageTarget } from './store.ts';

const TAGGED = /^([0-9a-f]{12})\.(\d{1,15})$/;

interface Params {
  readonly requestId?: unknown;
  readonly progressToken?: unknown;
  readonly _meta?: { readonly progressToken?: unknown };
}

/** A message to the client, with the replica's name in the ids that it gave. */
export function withReplica(message: JSONRPCMessage, replica: string): JSONRPCMessage {
  if (!('method' in message)) return message;
  const params = (message.params ?? {}) as Params;
  const tagged = (id: unknown) => `${replica}.${String(id)}`;
  if ('id' in message) {
    const { _meta: meta } = params;
    const renamed = { ...message, id: tagged(message.id) };
    if (meta?.progressToken === undefined) return renamed;
    return {
      ...renamed,
      params: { ...params, _meta: { ...meta, progressToken: tagged(meta.progressToken) } },
    } as JSONRPCMessage;
  }
  if (message.method !== 'notifications/cancelled') return message;
  return { ...message, params: { ...params, requestId: tagged(params.requestId) } } as JSONRPCMessage;
}

/** The replica whose request a client's message is about: its answer, or its progress. */
export function replicaOf(message: JSONRPCMessage): string | undefined {
  return TAGGED.exec(String(tagIn(message)))?.[1];
}

/** A client's message with the ids that the replica itself knows. */
export function withoutReplica(message: JSONRPCMessage): JSONRPCMessage {
  const number = TAGGED.exec(String(tagIn(message)))?.[2];
  if (number === undefined) return message;
  if (!('method' in message)) return { ...message, id: Number(number) } as JSONRPCMessage;
  return { ...message, params: { ...message.params, progressToken: Number(number) } } as JSONRPCMessage;
}

function tagIn(message: JSONRPCMessage): unknown {
  if (!('method' in message)) return message.id;
  return message.method === 'notifications/progress' && !('id' in message)
    ? (message.params as Params | undefined)?.progressToken
    : undefined;
}

/** Where a message of a client belongs that is not a request. */
export function targetOf(message: JSONRPCMessage): MessageTarget {
  if (isMethod(message, 'notifications/cancelled')) return { request: cancelledBy(message) };
  if (isMethod(message, 'notifications/initialized')) return 'speaker';
  const replica = replicaOf(message);
  return replica === undefined ? 'others' : { replica };
}

export function isMethod(message: JSONRPCMessage, method: string): boolean {
  return 'method' in message && message.method === method;
}

/** The request that a notification cancels. */
export function cancelledBy(message: JSONRPCMessage): RequestId {
  const { params } = message as { params?: { requestId?: RequestId } };
  return params?.requestId ?? '';
}
