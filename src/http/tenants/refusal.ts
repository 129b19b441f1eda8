/** The error renderer of the gateway: refusals in the words of triliumnext-mcp. */
import type { ServerResponse } from 'node:http';
import {
  BATCHES_REFUSED,
  LONG_BATCH_REFUSED,
  type Refusal as SessionProblem,
} from '../../mcp/http/refusals.ts';
import { type BodyProblem, headersAfter } from '../body.ts';
import { bearerChallenges, type GateRefusals } from '../mcp-gate.ts';
import { answerRefusal, HttpRefusal } from '../refusal.ts';

export type TransportKind = 'sse' | 'streamable';

const OPEN_AGAIN: Readonly<Record<TransportKind, string>> = {
  sse: 'Open GET /sse again, and send messages to the address its first event names.',
  streamable: 'Send initialize to POST /mcp without MCP-Session-Id.',
};

/** One answer for an unknown session, an ended one and another caller's, so that ids cannot be probed. */
export function unknownSession(kind: TransportKind, sessionId: string, label: string): HttpRefusal {
  const shown = sessionId.slice(0, 100);
  return new HttpRefusal(404, 'unknown_session', {
    answer: {
      message: 'There is no such session: it has ended, or the server was restarted.',
      hint: OPEN_AGAIN[kind],
      transport: kind,
      sessionId: shown,
    },
    logged: { transport: kind, session: label },
  });
}

export function missingSessionId(kind: TransportKind): HttpRefusal {
  const message =
    kind === 'sse'
      ? 'Send messages to the address the first event of GET /sse names.'
      : 'Send initialize first, and its MCP-Session-Id with everything after.';
  return new HttpRefusal(400, 'missing_session_id', { answer: { message } });
}

export function batchRefused(): HttpRefusal {
  return new HttpRefusal(400, 'invalid_message', { answer: { message: `${BATCHES_REFUSED}.` } });
}

/** Renders the refusals of sessions and streams. */
export function refuseAs(kind: TransportKind): (response: ServerResponse, problem: SessionProblem) => void {
  return (response, problem) => answerRefusal(response, sessionRefusal(kind, problem));
}

function sessionRefusal(kind: TransportKind, problem: SessionProblem): HttpRefusal {
  switch (problem) {
    case 'no_session':
      return missingSessionId(kind);
    case 'unknown_session':
      return unknownSession(kind, '', '');
    case 'too_many':
      return new HttpRefusal(503, 'too_many_sessions', { headers: { 'Retry-After': '30' } });
    case 'not_a_message':
      return new HttpRefusal(400, 'invalid_message', {
        answer: { message: 'This is not a JSON-RPC message.' },
      });
    case 'no_batches':
      return batchRefused();
    case 'long_batch':
      return new HttpRefusal(400, 'invalid_message', { answer: { message: `${LONG_BATCH_REFUSED}.` } });
    case 'only_get':
    case 'only_post':
      return new HttpRefusal(404, 'not_found');
  }
}

const BODY_ERRORS: Readonly<Record<BodyProblem['status'], string>> = {
  400: 'incomplete_body',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  503: 'server_busy',
};

interface TenantRefusalOptions {
  /** Where clients learn how to get a token; absent where callers do not log in here. */
  readonly resourceMetadata?: string;
  readonly canWrite: boolean;
}

export function tenantRefusals(options: TenantRefusalOptions): GateRefusals {
  const { resourceMetadata } = options;
  const challenges = bearerChallenges(options);
  return {
    unauthorized({ headers: { authorization } }, token) {
      const challenge =
        resourceMetadata === undefined
          ? 'Bearer realm="quire"'
          : challenges.unauthorized(authorization !== undefined);
      return new HttpRefusal(401, 'unauthorized', {
        headers: { 'WWW-Authenticate': challenge },
        logged: { reason: unauthorizedReason(token) },
        counted: 'unauthorized',
      });
    },
    unproven: (_request, why) =>
      new HttpRefusal(401, 'unauthorized', {
        answer: { message: `${why}.` },
        headers: { 'WWW-Authenticate': challenges.unproven(why) },
        logged: { reason: 'unproven' },
        counted: 'unauthorized',
      }),
    missingScope: (scope) =>
      new HttpRefusal(403, 'insufficient_scope', {
        answer: { message: `This tool needs the scope ${scope}.` },
        headers: { 'WWW-Authenticate': challenges.missingScope(scope) },
        logged: { scope },
      }),
    unreadableBody(problem) {
      const { status, message, isNoJson } = problem;
      if (isNoJson) return new HttpRefusal(400, 'invalid_json', { answer: { message: `${message}.` } });
      return new HttpRefusal(status, BODY_ERRORS[status], {
        answer: { message },
        headers: headersAfter(problem),
      });
    },
  };
}

/** For the log. */
export function unauthorizedReason(token: string | undefined): 'no_token' | 'verify_failed' {
  return token === undefined ? 'no_token' : 'verify_failed';
}
