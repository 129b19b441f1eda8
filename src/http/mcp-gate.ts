/**
 * What stands before the MCP endpoint: who is calling, how often, with what, and whether they may. Whoever may
 * not is told what to bring, in the words OAuth clients understand.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpEndpoint } from '../mcp/http/endpoint.ts';
import type { Effect } from '../mcp/tool.ts';
import type { Principal, Scope } from '../shared/principal.ts';
import type { ExchangeHandler } from './app.ts';
import { type Authenticate, bearerTokenOf } from './auth/authenticate.ts';
import { type BodyLimits, readJson } from './body.ts';
import { HttpRefusal } from './refusal.ts';

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

export interface TenantRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  readonly body: unknown;
}

/** Finds what a caller works with. */
export interface TenantResolver<Session> {
  /** Before the body is read; throws an `HttpRefusal` where there is no such session. */
  find(request: IncomingMessage, principal: Principal): Session;
  serve(request: TenantRequest, session: Session): Promise<void>;
}

/** One for all callers. */
export function onlyEndpoint(endpoint: Pick<McpEndpoint, 'handle'>): TenantResolver<undefined> {
  return {
    find: () => undefined,
    serve: ({ request, response, principal, body }) => endpoint.handle(request, response, principal, body),
  };
}

interface JsonBody {
  readonly value: unknown;
  /** To be called when nothing of it is needed any more. */
  release?(): void;
}

interface McpGateOptions<Session> {
  readonly authenticate: Authenticate;
  readonly tokenOf?: (request: IncomingMessage) => string | undefined;
  readonly tenants: TenantResolver<Session>;
  /** Throws an `HttpRefusal`. */
  readonly readJson: (
    request: IncomingMessage,
    principal: Principal,
    types: readonly string[],
  ) => Promise<JsonBody>;
  readonly unauthorized: (request: IncomingMessage, token: string | undefined) => HttpRefusal;
  /** Without it, whoever is let in may call every tool. */
  readonly scopes?: ScopeRules;
  /** Seconds to wait, when this caller has called too often. */
  readonly tooOften?: (principal: Principal) => Promise<number | undefined>;
  /** Called when something to be answered begins; the function it returns is called when it is over. */
  readonly onWorking: () => () => void;
}

interface ScopeRules {
  readonly effectOf: (tool: string) => Effect | undefined;
  readonly missingScope: (scope: Scope) => HttpRefusal;
}

const JSON_TYPES = ['application/json'];
const PARSE_ERROR = -32700;

export function createMcpGate<Session>(options: McpGateOptions<Session>): ExchangeHandler {
  const { authenticate, tenants, scopes, tooOften } = options;
  const tokenOf = options.tokenOf ?? (({ headers }) => bearerTokenOf(headers.authorization));
  return async (exchange) => {
    const { request, response } = exchange;
    const isPost = request.method === 'POST';
    const done = isPost ? options.onWorking() : () => {};
    response.once('close', done);
    const token = tokenOf(request);
    const principal = await authenticate(token);
    if (!principal) throw options.unauthorized(request, token);
    exchange.principal = principal;
    if (scopes && principal.scopes.length === 0) throw scopes.missingScope('notes:read');
    const wait = await tooOften?.(principal);
    if (wait !== undefined) throw tooManyCalls(wait);
    const session = tenants.find(request, principal);
    const read = isPost ? await options.readJson(request, principal, JSON_TYPES) : undefined;
    whenOver(response, () => read?.release?.());
    const body = read?.value;
    const missing = scopes && scopeMissing(principal, body, scopes.effectOf);
    if (scopes && missing) throw scopes.missingScope(missing);
    if (onlyWaits(request, body)) {
      done();
      endWithToken(response, () => authenticate(token));
    }
    await tenants.serve({ request, response, principal, body }, session);
  };
}

function whenOver(response: ServerResponse, end: () => void): void {
  if (response.destroyed) end();
  else response.once('close', end);
}

/** For what may happen, and for as long as anybody likes. */
function onlyWaits({ method }: IncomingMessage, body: unknown): boolean {
  return method === 'GET' || (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen';
}

/** The JSON of a message, within limits. */
export function jsonReader(
  limits: Pick<BodyLimits, 'limitBytes' | 'timeoutMs'>,
): McpGateOptions<never>['readJson'] {
  return async (request, _principal, types) => {
    const read = await readJson(request, { ...limits, types });
    if (!('status' in read)) return read;
    if (read.isNoJson)
      throw new HttpRefusal(400, 'Parse error: the body is not JSON', { rpc: { code: PARSE_ERROR } });
    throw new HttpRefusal(read.status, read.message, {
      headers: { Connection: 'close' },
      rpc: { code: -32600 },
    });
  };
}

function tooManyCalls(wait: number): HttpRefusal {
  return new HttpRefusal(429, `Too many calls: try again in ${wait} s`, {
    headers: { 'Retry-After': String(wait) },
    rpc: { code: -32000 },
  });
}

/** The scope a call needs and the caller does not have. */
function scopeMissing(
  { scopes }: Principal,
  body: unknown,
  effectOf: (tool: string) => Effect | undefined,
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

function neededScope(message: unknown, effectOf: (tool: string) => Effect | undefined): Scope | undefined {
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

interface OAuthRefusalOptions {
  /** Where clients learn how to get a token; absent where tokens are handed out by hand. */
  readonly resourceMetadata?: string;
  /** Whether any of the tools changes something. */
  readonly canWrite: boolean;
  readonly onAuthFailure: (reason: 'missing' | 'invalid' | 'scope') => void;
}

/** RFC 6750 section 3, with the `resource_metadata` of RFC 9728. */
export function oauthRefusals({
  resourceMetadata,
  canWrite,
  onAuthFailure,
}: OAuthRefusalOptions): Pick<McpGateOptions<never>, 'unauthorized'> & Pick<ScopeRules, 'missingScope'> {
  return {
    unauthorized({ headers: { authorization } }, token) {
      onAuthFailure(token === undefined ? 'missing' : 'invalid');
      const hadCredentials = authorization !== undefined;
      const parts = [
        ...(resourceMetadata === undefined ? ['realm="quire"'] : [`resource_metadata="${resourceMetadata}"`]),
        `scope="${wantedScopes(canWrite ? 'notes:write' : 'notes:read')}"`,
        ...(hadCredentials
          ? ['error="invalid_token"', 'error_description="The token is not valid (any more)"']
          : []),
      ];
      return new HttpRefusal(401, hadCredentials ? 'The token is not valid' : 'A token is required', {
        headers: { 'WWW-Authenticate': `Bearer ${parts.join(', ')}`, Vary: 'Authorization' },
        rpc: { code: -32001, data: { code: 'AUTH_REQUIRED' } },
      });
    },
    missingScope(scope) {
      onAuthFailure('scope');
      const where = resourceMetadata === undefined ? '' : `, resource_metadata="${resourceMetadata}"`;
      const challenge = `Bearer error="insufficient_scope", scope="${wantedScopes(scope)}", error_description="This tool needs ${scope}"${where}`;
      return new HttpRefusal(403, `This tool needs the scope ${scope}`, {
        headers: { 'WWW-Authenticate': challenge },
        rpc: { code: -32001 },
      });
    },
  };
}

/** Whoever asks for a token that writes wants one that reads, too. */
function wantedScopes(scope: Scope): string {
  return scope === 'notes:write' ? 'notes:read notes:write' : scope;
}
