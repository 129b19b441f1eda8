/**
 * Replaces the SDK's platform file in the bundle: its exports without the JSON Schema validator, which is not used. And
 * what the SDK's transport keeps to itself, for sessions that go on in another process.
 */
import type { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { RequestId } from '@modelcontextprotocol/server';

class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('No JSON Schema validator is bundled');
  }
}

// Importing node:process would open every stream it can name.
const { process } = globalThis;

/** As of version 2.1.2 of the SDK's `node` package. */
interface TransportState {
  sessionId: string | undefined;
  /** Set by the first `initialize`, without which a transport refuses everything. */
  _initialized: boolean;
  /** The stream that answers a request, until it is answered. */
  readonly _requestToStreamMapping: ReadonlyMap<RequestId, string>;
}

function stateOf(transport: NodeStreamableHTTPServerTransport): TransportState {
  const { _webStandardTransport: state } = transport as unknown as { _webStandardTransport?: TransportState };
  if (typeof state?._initialized !== 'boolean' || !(state._requestToStreamMapping instanceof Map))
    throw new Error("The SDK's transport is not the one that this program was made for");
  return state;
}

/** Makes a new transport serve a session that was initialized with another one. */
function continueSession(transport: NodeStreamableHTTPServerTransport, sessionId: string): void {
  const state = stateOf(transport);
  state.sessionId = sessionId;
  state._initialized = true;
}

/** One of the requests that a stream answers. */
function requestOn(transport: NodeStreamableHTTPServerTransport, stream: string): RequestId | undefined {
  for (const [request, its] of stateOf(transport)._requestToStreamMapping) if (its === stream) return request;
  return undefined;
}

export { continueSession, DefaultJsonSchemaValidator, process, requestOn };
