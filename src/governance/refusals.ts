/** The errors of calls that did not run, each with the next step. */
import type { UpstreamServer } from '../config/control-plane.ts';
import { AppError, type ErrorCode, isAppError, type PolicyReason } from '../shared/errors.ts';
import { nearest } from '../shared/nearest.ts';
import type { Decision } from './types.ts';

interface CallName {
  readonly server: string;
  readonly name: string;
}

export function denied({ server, name }: CallName, { code, rule, reason }: Decision): AppError {
  const next = nextStep(code, server);
  return new AppError(ERROR_CODES[code] ?? 'forbidden', 'Not allowed', {
    subject: `${server} ${name.slice(0, 200)}: ${code}`,
    hint: next === undefined ? reason : `${reason} ${next}`,
    reason: code,
    details: { rule },
  });
}

export function noSuchServer(name: string, names: readonly string[]): AppError {
  const meant = nearest(name, names);
  return new AppError('not_found', 'No such server', {
    subject: name.slice(0, 100),
    hint: meant === undefined ? namesHint(names) : `Did you mean ${meant}?`,
  });
}

function namesHint(names: readonly string[]): string {
  if (names.length > 0) return `There are: ${names.join(', ')}.`;
  return 'No other servers are configured. Add one: quire mcp add <name>';
}

/** Every other refusal is `forbidden`. */
const ERROR_CODES: Readonly<Partial<Record<PolicyReason, ErrorCode>>> = {
  unknown_capability: 'not_found',
  invalid_arguments: 'invalid_input',
  rate_limited: 'rate_limited',
};

function nextStep(code: PolicyReason, server: string): string | undefined {
  switch (code) {
    case 'unknown_capability':
      return `See what there is: quire mcp discover ${server}`;
    case 'definition_pending':
      return `Read quire mcp discover ${server} --full. Then --accept-clean accepts what only reads and in which nothing was found, --accept-baseline everything but what is quarantined. With first_definitions: accept a reviewed server's first definitions need no review.`;
    case 'definition_changed':
    case 'quarantined':
      return `Look at it with quire mcp discover ${server} --full, and accept it there if it is right.`;
    case 'server_disabled':
      return 'Set enabled to true in the configuration.';
    default:
      return undefined;
  }
}

/** The server's own error is for the operator: the log and the doctor have it, the client does not. */
export function notReached(
  { name: server, exposeAs }: Pick<UpstreamServer, 'name' | 'exposeAs'>,
  wanted: string,
  cause: unknown,
): AppError {
  const needsLogin = isAppError(cause) && cause.reason === 'login_required';
  const next = needsLogin
    ? `It needs a login: ask the operator of Quire to run quire mcp login ${server}.`
    : `Try again in a few seconds. If it stays like this, quire mcp doctor ${server} tells the operator of Quire why.`;
  const whose = exposeAs === 'plain' ? `It may be the server that has ${wanted.slice(0, 200)}. ` : '';
  return new AppError('upstream_failed', 'A server could not be started or reached', {
    subject: server,
    hint: `Nothing was called. ${whose}${next}`,
    reason: 'server_unreachable',
    cause,
  });
}

export function notApproved(
  { server, name }: CallName,
  outcome: 'pending' | 'denied' | 'expired',
  { id, page }: { readonly id: string; readonly page: string | undefined },
): AppError {
  const details = { approval: id, ...(page !== undefined && { approvalPage: page }) };
  const subject = `${server} ${name.slice(0, 200)}`;
  switch (outcome) {
    case 'denied':
      return new AppError('forbidden', 'This call was denied', {
        subject,
        hint: `quire mcp approvals show ${id} says who and why.`,
        reason: 'approval_denied',
        details,
      });
    case 'expired':
      return new AppError('approval_required', 'The approval of this call has expired', {
        subject: `${subject}: ${id}`,
        hint: 'Call again: that asks for a new one.',
        reason: 'approval_expired',
        details,
      });
    case 'pending':
      return new AppError('approval_required', 'This call needs an approval', {
        subject: `${subject}: ${id}`,
        hint: `Look at it with quire mcp approvals show ${id}, approve it with quire mcp approvals approve ${id}, then call again.`,
        reason: 'approval_required',
        details,
      });
  }
}

/** `key` is the key of the server's configuration that names the variables. */
export function variablesMissing(server: string, missing: readonly string[], key: string): AppError {
  const names = missing.join(', ');
  return new AppError('invalid_input', 'The server needs variables that are not set', {
    subject: `${server}: ${names}`,
    hint: `Set ${names} in the environment, or leave ${missing.length === 1 ? 'it' : 'them'} out of ${key}.`,
  });
}
