/**
 * What stands before the MCP endpoint: who is calling, how often, with what, and whether they may. Whoever may
 * not is told what to bring, in the words OAuth clients understand.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpEndpoint } from '../mcp/http/endpoint.ts';
import { answerError } from '../mcp/http/refusals.ts';
import type { Effect } from '../mcp/tool.ts';
import type { Principal, Scope } from '../shared/principal.ts';
import { type Authenticate, bearerTokenOf } from './auth/authenticate.ts';
import { type BodyLimits, readJson } from './body.ts';

/** A stream was let in once, and goes on for days: whoever would not be let in any more is not told more either. */

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

interface McpGateOptions {
  readonly endpoint: Pick<McpEndpoint, 'handle'>;
  readonly authenticate: Authenticate;
  /** Where clients learn how to get a token; absent where tokens are handed out by hand. */
  readonly resourceMetadata?: string;
  readonly effectOf: (tool: string) => Effect | undefined;
  /** Whether any of the tools changes something. */
  readonly canWrite: boolean;
  readonly body: Pick<BodyLimits, 'limitBytes' | 'timeoutMs'>;
  /** Seconds to wait, when this caller has called too often. */
  readonly tooOften: (principal: Principal) => Promise<number | undefined>;
  readonly onAuthFailure: (reason: 'missing' | 'invalid' | 'scope') => void;
  /** Told when something to be answered begins; the function it returns is called when it is over. */
  readonly onWorking: () => () => void;
}

export type McpGate = (request: IncomingMessage, response: ServerResponse) => Promise<Principal | undefined>;

const PARSE_ERROR = -32700;

export function createMcpGate(options: McpGateOptions): McpGate {
  const { endpoint, authenticate, tooOften, onAuthFailure } = options;
  return async (request, response) => {
    const done = request.method === 'POST' ? options.onWorking() : () => {};
    response.once('close', done);
    const token = bearerTokenOf(request.headers.authorization);
    const principal = await authenticate(token);
    if (!principal) {
      onAuthFailure(token === undefined ? 'missing' : 'invalid');
      refuseUnknown(response, options, request.headers.authorization !== undefined);
      return undefined;
    }
    if (principal.scopes.length === 0) {
      onAuthFailure('scope');
      refuseScope(response, 'notes:read', options.resourceMetadata);
      return principal;
    }
    const wait = await tooOften(principal);
    if (wait !== undefined) {
      response.setHeader('Retry-After', String(wait));
      answerError(response, 429, -32000, `Too many calls: try again in ${wait} s`);
      return principal;
    }
    const body = request.method === 'POST' ? await bodyOf(request, response, options.body) : NO_BODY;
    if (body === undefined) return principal;
    const missing = missingScope(principal, body.value, options.effectOf);
    if (missing) {
      onAuthFailure('scope');
      refuseScope(response, missing, options.resourceMetadata);
      return principal;
    }
    if (onlyWaits(request, body.value)) {
      done();
      endWithToken(response, () => authenticate(token));
    }
    await endpoint.handle(request, response, principal, body.value);
    return principal;
  };
}

/** For what may happen, and for as long as anybody likes. */
function onlyWaits({ method }: IncomingMessage, body: unknown): boolean {
  return method === 'GET' || (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen';
}

const NO_BODY = { value: undefined };

/** Undefined when the request has been answered already. */
async function bodyOf(
  request: IncomingMessage,
  response: ServerResponse,
  limits: McpGateOptions['body'],
): Promise<{ value: unknown } | undefined> {
  const read = await readJson(request, { ...limits, types: ['application/json'] });
  if (!('status' in read)) return read;
  if (read.isNoJson) answerError(response, 400, PARSE_ERROR, 'Parse error: the body is not JSON');
  else {
    response.setHeader('Connection', 'close');
    answerError(response, read.status, -32600, read.message);
  }
  return undefined;
}

/** The scope a call needs and the caller does not have. */
function missingScope(
  { scopes }: Principal,
  body: unknown,
  effectOf: McpGateOptions['effectOf'],
): Scope | undefined {
  const messages = Array.isArray(body) ? body : [body];
  for (const message of messages) {
    const needed = neededScope(message, effectOf);
    if (needed !== undefined && !covers(scopes, needed)) return needed;
  }
  return undefined;
}

/** What shows something of what there is. */
const READING: ReadonlySet<unknown> = new Set([
  'resources/read',
  'resources/subscribe',
  'prompts/get',
  'completion/complete',
]);

function neededScope(message: unknown, effectOf: McpGateOptions['effectOf']): Scope | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  if (READING.has(method)) return 'notes:read';
  if (method !== 'tools/call') return undefined;
  const effect = typeof params?.name === 'string' ? effectOf(params.name) : undefined;
  if (effect === undefined) return undefined;
  return effect === 'read' ? 'notes:read' : 'notes:write';
}

/** Who may write may read. */
function covers(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || (needed === 'notes:read' && scopes.includes('notes:write'));
}

function refuseUnknown(
  response: ServerResponse,
  { resourceMetadata, canWrite }: Pick<McpGateOptions, 'resourceMetadata' | 'canWrite'>,
  hadCredentials: boolean,
): void {
  const parts = [
    ...(resourceMetadata === undefined ? ['realm="quire"'] : [`resource_metadata="${resourceMetadata}"`]),
    `scope="${wantedScopes(canWrite ? 'notes:write' : 'notes:read')}"`,
    ...(hadCredentials
      ? ['error="invalid_token"', 'error_description="The token is not valid (any more)"']
      : []),
  ];
  response.setHeader('WWW-Authenticate', `Bearer ${parts.join(', ')}`);
  response.appendHeader('Vary', 'Authorization');
  answerError(response, 401, -32001, hadCredentials ? 'The token is not valid' : 'A token is required', {
    data: { code: 'AUTH_REQUIRED' },
  });
}

function refuseScope(response: ServerResponse, scope: Scope, resourceMetadata: string | undefined): void {
  const where = resourceMetadata === undefined ? '' : `, resource_metadata="${resourceMetadata}"`;
  response.setHeader(
    'WWW-Authenticate',
    `Bearer error="insufficient_scope", scope="${wantedScopes(scope)}", error_description="This tool needs ${scope}"${where}`,
  );
  answerError(response, 403, -32001, `This tool needs the scope ${scope}`);
}

/** Whoever asks for a token that writes wants one that reads, too. */
function wantedScopes(scope: Scope): string {
  return scope === 'notes:write' ? 'notes:read notes:write' : scope;
}
