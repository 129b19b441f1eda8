/**
 * The gate in front of an MCP endpoint: authentication, rate limit, body and scope. A refusal names what is missing in
 * the terms of OAuth clients.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpExchange } from '../mcp/http/refusals.ts';
import type { Effect } from '../mcp/tool.ts';
import { isAppError } from '../shared/errors.ts';
import { ACCEPTED, PROOF_ALGORITHMS } from '../shared/presentation.ts';
import {
  type AccessLevel,
  confinesTo,
  covers,
  mostAccessOf,
  type Principal,
  type Scope,
} from '../shared/principal.ts';
import type { ExchangeHandler } from './app.ts';
import { type Authenticate, type PresentedToken, presentedToken } from './auth/authenticate.ts';
import { type BodyProblem, headersAfter } from './body.ts';
import type { JsonReader } from './json-body.ts';
import type { WorkCounter } from './listen.ts';
import { HttpRefusal } from './refusal.ts';

const RECHECK_MS = 5_000;

/** For how long a token may not be looked at before its stream ends: a database may be away for a while. */
const MAX_FAILING_MS = 60_000;

interface TokenHolder {
  readonly principal: Principal;
  readonly token: string | undefined;
}

/** Calls back when tokens may have been revoked, with the holders who are meant. */
type OnRevoked = (revoked: (isMeant: (holder: TokenHolder) => boolean) => void) => () => void;

/** Ends streams, which may be open for days, at once when their token is revoked, and soon after it has expired. */
function endWithTokens({
  authenticate,
  onRevoked,
}: Pick<McpGateOptions<never>, 'authenticate' | 'onRevoked'>) {
  const open = new Map<TokenHolder, () => void>();
  let unwatch: (() => void) | undefined;
  const enter = (holder: TokenHolder, check: () => void) => {
    open.set(holder, check);
    unwatch ??= onRevoked?.((isMeant) => {
      for (const [one, checkOne] of open) if (isMeant(one)) checkOne();
    });
  };
  const leave = (holder: TokenHolder) => {
    open.delete(holder);
    if (open.size > 0) return;
    unwatch?.();
    unwatch = undefined;
  };
  return (response: ServerResponse, holder: TokenHolder) => {
    let failingSince: number | undefined;
    const check = () =>
      void authenticate(holder.token, ACCEPTED).then(
        (principal) => {
          failingSince = undefined;
          if (!principal) response.destroy();
        },
        () => {
          failingSince ??= performance.now();
          if (performance.now() - failingSince >= MAX_FAILING_MS) response.destroy();
        },
      );
    const timer = setInterval(check, RECHECK_MS).unref();
    enter(holder, check);
    whenOver(response, () => {
      clearInterval(timer);
      leave(holder);
    });
  };
}

/** Finds the session or endpoint that a caller works with. */
export interface TenantResolver<Session> {
  /** Before the body is read; throws an `HttpRefusal` where there is no such session. */
  find(request: IncomingMessage, principal: Principal): Session;
  serve(exchange: McpExchange, session: Session): Promise<void>;
}

/** The answers to requests that are not let through. */
export interface GateRefusals {
  unauthorized(request: IncomingMessage, token: string | undefined): HttpRefusal;
  /** A good token that was presented in the wrong way. */
  unproven(request: IncomingMessage, why: string): HttpRefusal;
  missingScope(scope: Scope): HttpRefusal;
  unreadableBody(problem: BodyProblem): HttpRefusal;
}

export interface McpGateOptions<Session> {
  readonly authenticate: Authenticate;
  /** Absent where tokens cannot be revoked. */
  readonly onRevoked?: OnRevoked;
  readonly tenants: TenantResolver<Session>;
  readonly readJson: JsonReader;
  readonly refusals: GateRefusals;
  /** The tools that a caller sees. Without it, scopes are not checked: every authenticated caller may call every tool. */
  readonly toolsFor?: (principal: Principal) => ToolScopes;
  /** Seconds to wait, when this caller has called too often. */
  readonly tooOften?: (principal: Principal) => Promise<number | undefined>;
  readonly work: WorkCounter;
}

/** What decides which scope a tool needs. */
export interface ToolScopes {
  readonly effectOf: EffectOf;
  /** Tools whose changes can wait for a person's decision. Default: none. */
  readonly canPropose?: CanPropose;
  /** The notebook that a tool works on, whose scopes are enough; undefined for all. */
  readonly notebookOf?: (tool: string) => string | undefined;
  /** Only what the caller may read is there at all. */
  readonly isConfined?: boolean;
}

export type EffectOf = (tool: string) => Effect | undefined;
export type CanPropose = (tool: string) => boolean;

const JSON_TYPES = ['application/json'];

export function createMcpGate<Session>(options: McpGateOptions<Session>): ExchangeHandler {
  const { tenants, refusals, toolsFor, tooOften } = options;
  const endWithToken = endWithTokens(options);
  return async (exchange) => {
    const { request, response } = exchange;
    const isPost = request.method === 'POST';
    const done = isPost ? options.work.begin() : () => {};
    response.once('close', done);
    const presented = presentedToken(request, exchange.path);
    const { token } = presented;
    const principal = await authenticated(request, presented, options);
    if (!principal) throw refusals.unauthorized(request, token);
    exchange.principal = principal;
    if (toolsFor && principal.scopes.length === 0) throw refusals.missingScope('notes:read');
    const wait = await tooOften?.(principal);
    if (wait !== undefined) throw tooManyCalls(wait);
    const session = tenants.find(request, principal);
    const read = isPost ? await options.readJson(request, principal, JSON_TYPES) : undefined;
    if (read && 'status' in read) throw refusals.unreadableBody(read);
    whenOver(response, () => read?.release());
    const body = read?.value;
    const missing = toolsFor && missingScope(principal, body, toolsFor(principal));
    if (missing) throw refusals.missingScope(missing);
    if (onlyWaits(request, body)) {
      done();
      endWithToken(response, { principal, token });
    }
    await tenants.serve({ request, response, caller: principal, body }, session);
  };
}

/** The caller of a request. Refuses a token that is good, but may not be presented like this. */
export async function authenticated(
  request: IncomingMessage,
  { token, presented }: PresentedToken,
  { authenticate, refusals }: Pick<McpGateOptions<never>, 'authenticate' | 'refusals'>,
): Promise<Principal | undefined> {
  try {
    return await authenticate(token, presented);
  } catch (error) {
    throw isAppError(error, 'unauthorized') ? refusals.unproven(request, error.title) : error;
  }
}

function whenOver(response: ServerResponse, end: () => void): void {
  if (response.destroyed) end();
  else response.once('close', end);
}

/** Whether a request opens a stream that waits for notifications. */
function onlyWaits({ method }: IncomingMessage, body: unknown): boolean {
  return method === 'GET' || (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen';
}

function tooManyCalls(wait: number): HttpRefusal {
  return new HttpRefusal(429, `Too many calls: try again in ${wait} s`, {
    headers: { 'Retry-After': String(wait) },
    rpc: { code: -32000 },
  });
}

/** The scope that a message needs and the caller does not have. */
export function missingScope(
  { scopes }: Pick<Principal, 'scopes'>,
  body: unknown,
  tools: ToolScopes,
): Scope | undefined {
  const isConfined = confinesTo(scopes) !== undefined;
  const messages = Array.isArray(body) ? body : [body];
  for (const message of messages) {
    const needed = neededScope(message, tools);
    if (needed === undefined || isAllowed(scopes, needed, tools)) continue;
    // Clients are told to ask for write access: the person may still grant less.
    const access = needed.access === 'propose' ? 'write' : needed.access;
    return scopeOf({ access, notebook: isConfined ? needed.notebook : undefined });
  }
  return undefined;
}

interface NeededScope {
  readonly access: AccessLevel;
  readonly notebook?: string;
}

function scopeOf({ access, notebook }: NeededScope): Scope {
  return notebook === undefined ? `notes:${access}` : `notes:${access}:${notebook}`;
}

function isAllowed(
  scopes: readonly Scope[],
  { access, notebook }: NeededScope,
  { isConfined }: ToolScopes,
): boolean {
  if (isConfined && access === 'read') return mostAccessOf(scopes) !== undefined;
  return covers(scopes, scopeOf({ access, notebook }));
}

/** Methods that show content of notes. */
const READING: ReadonlySet<unknown> = new Set([
  'resources/read',
  'resources/subscribe',
  'prompts/get',
  'completion/complete',
]);

function neededScope(message: unknown, tools: ToolScopes): NeededScope | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  if (READING.has(method)) return { access: 'read' };
  if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
  const effect = tools.effectOf(params.name);
  if (effect === undefined) return undefined;
  const notebook = tools.notebookOf?.(params.name);
  if (effect === 'read') return { access: 'read', notebook };
  return { access: tools.canPropose?.(params.name) ? 'propose' : 'write', notebook };
}

const MAX_DESCRIPTION = 300;

interface ChallengeFacts {
  /** Where clients learn how to get a token; absent where tokens are handed out by hand. */
  readonly resourceMetadata?: string;
  /** Whether any of the tools changes something. */
  readonly canWrite: boolean;
}

/** Values of WWW-Authenticate: RFC 6750 section 3 and RFC 9449 section 7.1, with the `resource_metadata` of RFC 9728. */
export function bearerChallenges({ resourceMetadata, canWrite }: ChallengeFacts) {
  const metadata = resourceMetadata === undefined ? [] : [`resource_metadata="${resourceMetadata}"`];
  const scopeOf = (scope: Scope) => `scope="${withReading(scope)}"`;
  return {
    unauthorized: (hadCredentials: boolean) =>
      challenge([
        ...(resourceMetadata === undefined ? ['realm="quire"'] : metadata),
        scopeOf(canWrite ? 'notes:write' : 'notes:read'),
        ...(hadCredentials
          ? ['error="invalid_token"', 'error_description="The token is not valid (any more)"']
          : []),
      ]),
    unproven: (why: string) =>
      `DPoP ${[
        'error="invalid_dpop_proof"',
        `error_description="${headerText(why)}"`,
        `algs="${PROOF_ALGORITHMS.join(' ')}"`,
        ...metadata,
      ].join(', ')}`,
    missingScope: (scope: Scope) =>
      challenge([
        'error="insufficient_scope"',
        scopeOf(scope),
        `error_description="This tool needs ${scope}"`,
        ...metadata,
      ]),
  };
}

/** Without what no description may have (RFC 6750 §3) and no header: the words may be those of a stranger's proof. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]|["\\]/g, "'").slice(0, MAX_DESCRIPTION);
}

function challenge(parameters: readonly string[]): string {
  return `Bearer ${parameters.join(', ')}`;
}

/** A client that asks for a token that writes needs one that reads, too. */
function withReading(scope: Scope): string {
  return scope.startsWith('notes:write') ? `${scope.replace('write', 'read')} ${scope}` : scope;
}

interface JsonRpcRefusalOptions extends ChallengeFacts {
  readonly onAuthFailure: (reason: 'missing' | 'invalid' | 'scope') => void;
}

/** Refusals as errors of JSON-RPC. */
export function jsonRpcRefusals({ onAuthFailure, ...facts }: JsonRpcRefusalOptions): GateRefusals {
  const challenges = bearerChallenges(facts);
  return {
    unauthorized({ headers: { authorization } }, token) {
      onAuthFailure(token === undefined ? 'missing' : 'invalid');
      const hadCredentials = authorization !== undefined;
      return new HttpRefusal(401, hadCredentials ? 'The token is not valid' : 'A token is required', {
        headers: { 'WWW-Authenticate': challenges.unauthorized(hadCredentials), Vary: 'Authorization' },
        rpc: { code: -32001, data: { code: 'AUTH_REQUIRED' } },
      });
    },
    unproven(_request, why) {
      onAuthFailure('invalid');
      return new HttpRefusal(401, why, {
        headers: { 'WWW-Authenticate': challenges.unproven(why), Vary: 'Authorization' },
        rpc: { code: -32001, data: { code: 'AUTH_REQUIRED' } },
      });
    },
    missingScope(scope) {
      onAuthFailure('scope');
      return new HttpRefusal(403, `This tool needs the scope ${scope}`, {
        headers: { 'WWW-Authenticate': challenges.missingScope(scope) },
        rpc: { code: -32001 },
      });
    },
    unreadableBody(problem) {
      const { status, message, isNoJson } = problem;
      if (isNoJson)
        return new HttpRefusal(400, 'Parse error: the body is not JSON', { rpc: { code: -32700 } });
      const code = status === 503 ? -32000 : -32600;
      return new HttpRefusal(status, message, { headers: headersAfter(problem), rpc: { code } });
    },
  };
}
