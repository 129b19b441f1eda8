/** Who is at the gateway, by the token in Authorization. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../shared/principal.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { endWithToken } from '../mcp-gate.ts';
import { GatewayRefusal } from './refusal.ts';

export interface GatewayAuthenticator {
  /** Throws what is to be answered to whoever may not come in. */
  admit(request: IncomingMessage): Promise<Principal>;
  /** The same where an id that nobody can guess is enough, unless somebody says who they are. */
  admitNamed(request: IncomingMessage): Promise<Principal | undefined>;
  /** Ends a stream when the token it was opened with is over. */
  watchOver(request: IncomingMessage, response: ServerResponse, principal: Principal): void;
}

/** `Bearer` in any case, and any token without blanks: an operator may have chosen any. */
export function gatewayTokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

export function createGatewayAuthenticator(authenticate: Authenticate): GatewayAuthenticator {
  const admit = async (request: IncomingMessage) => {
    const token = gatewayTokenOf(request);
    const principal = await authenticate(token);
    if (principal) return principal;
    throw unauthorized(token);
  };
  return {
    admit,
    admitNamed: async (request) => (request.headers.authorization === undefined ? undefined : admit(request)),
    watchOver(request, response, { expiresAt }) {
      if (expiresAt !== undefined) endWithToken(response, () => authenticate(gatewayTokenOf(request)));
    },
  };
}

export function unauthorized(token: string | undefined): GatewayRefusal {
  return new GatewayRefusal(401, 'unauthorized', {
    headers: { 'WWW-Authenticate': 'Bearer realm="quire"' },
    logged: { reason: token === undefined ? 'no_token' : 'verify_failed' },
    counted: 'unauthorized',
  });
}
