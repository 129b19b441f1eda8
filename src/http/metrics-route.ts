/** Where Prometheus reads the counts: open, with tokens of its own, or with the credentials of everybody else. */

import { AppError } from '../shared/errors.ts';
import type { Route } from '../shared/exchange.ts';
import { type Authenticate, bearerTokenOf, bearerTokens } from './auth/authenticate.ts';
import type { Metrics } from './metrics.ts';

export type MetricsAccess =
  | { readonly mode: 'open' }
  /** These tokens and no others: those that open the notes do not open this. */
  | { readonly mode: 'token'; readonly tokens: readonly string[] }
  | { readonly mode: 'same'; readonly authenticate: Authenticate };

export function metricsRoute(metrics: Metrics, access: MetricsAccess): Route {
  const authenticate = authenticatorOf(access);
  return {
    method: 'GET',
    path: '/metrics',
    async handle(request) {
      const token = bearerTokenOf(request.headers.get('authorization') ?? undefined);
      const principal = await authenticate?.(token);
      if (authenticate && (principal?.scopes.length ?? 0) === 0) {
        metrics.authFailed(token === undefined ? 'missing' : 'invalid');
        return refusal();
      }
      return new Response(await metrics.text(), {
        headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' },
      });
    },
  };
}

function authenticatorOf(access: MetricsAccess): Authenticate | undefined {
  switch (access.mode) {
    case 'open':
      return undefined;
    case 'same':
      return access.authenticate;
    case 'token':
      if (access.tokens.length === 0)
        throw new AppError('invalid_input', 'metrics: token needs a token', { hint: 'Give metricsToken.' });
      return bearerTokens(access.tokens);
  }
}

function refusal(): Response {
  const headers = { 'WWW-Authenticate': 'Bearer realm="metrics"', 'Cache-Control': 'no-store' };
  return Response.json({ error: 'unauthorized' }, { status: 401, headers });
}
