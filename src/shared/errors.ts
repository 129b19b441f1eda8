/**
 * The one error type. Codes are a closed set; every edge (a surface, HTTP, the CLI) maps them once.
 *
 * A message is made of three parts so that each edge can show what it needs:
 * `title` says what happened ("File not found"), `subject` names the thing ("a/b.md"),
 * `hint` says what to do next. Neither part may ever hold an absolute path of the host.
 */
export type ErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'conflict'
  | 'invalid_input'
  | 'unsupported'
  | 'read_only'
  | 'unauthorized'
  | 'forbidden'
  | 'approval_required'
  | 'rate_limited'
  | 'upstream_failed'
  | 'timeout'
  | 'internal';

/** How a server behind us failed. */
const UPSTREAM_REASONS = [
  'launch_failed',
  'connect_timeout',
  'handshake_invalid',
  'restart_limit',
  'closed',
  'timeout',
  'cancelled',
  'result_too_large',
  'too_many_pages',
  'rpc_error',
  'http_error',
  'busy',
  'unsupported',
  'login_required',
  'elicitation_declined',
  'elicitation_timeout',
  'elicitation_loop',
  'elicitation_not_interactive',
] as const;
export type UpstreamReason = (typeof UPSTREAM_REASONS)[number];

/** Why the governed plane lets a server, a call or a note through, or does not. */
const POLICY_REASONS = [
  'unknown_capability',
  'server_disabled',
  'server_blocked',
  'server_unreachable',
  'consent_required',
  'consent_denied',
  'definition_pending',
  'definition_changed',
  'quarantined',
  'tool_denied',
  'invalid_arguments',
  'rate_limited',
  'policy',
  'default',
  'approval',
  'approval_required',
  'approval_denied',
  'approval_expired',
  'trust',
  'findings',
  'manifest_missing',
  'manifest_malformed',
  'manifest_mismatch',
  'signature_invalid',
  'key_unknown',
  'platform_unsupported',
  'command_missing',
  'command_not_string',
  'command_not_single_token',
  'command_metacharacters',
  'command_is_shell',
  'command_resolves_to_shell',
  'command_world_writable',
  'command_not_found',
  'command_not_allowlisted',
  'no_reviewed_allowlist',
  'args_invalid',
  'args_inline_code',
  'args_unconfined',
  'env_code_injection',
  'url_missing',
  'url_invalid',
  'url_not_https',
  'url_userinfo',
  'url_private_address',
  'sandbox_disabled',
  'sandbox_unknown',
  'sandbox_unavailable',
  'sandbox_waiver_expired',
  'sandbox_path',
  'config_world_writable',
  'audit_broken',
  'audit_key',
] as const;
export type PolicyReason = (typeof POLICY_REASONS)[number];

/** Refines a code. Callers and edges decide by code and reason, never by a message. */
type ErrorReason =
  | UpstreamReason
  | PolicyReason
  | 'text_not_found'
  | 'text_not_unique'
  | 'invalid_range'
  | 'too_large'
  | 'invalid_path'
  | 'unseen_text'
  | 'unknown_tool'
  | 'invalid_plane'
  | 'input_ended'
  | 'unsupported_parameter';

/** The error of a server behind us, for edges that pass it on; no decision depends on it. */
interface UpstreamDetail {
  readonly status: number;
  /** The server's own error code. */
  readonly code?: string;
}

export interface ErrorParts {
  readonly subject?: string;
  readonly hint?: string;
  readonly reason?: ErrorReason;
  /** Facts that an edge may show beside the message, such as a size and its limit. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
  readonly upstream?: UpstreamDetail;
  readonly cause?: unknown;
}

/** Recognizes errors across bundles, where `instanceof` fails. */
const BRAND = Symbol.for('quire.AppError');

export class AppError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly title: string;
  readonly subject: string | undefined;
  readonly hint: string | undefined;
  readonly reason: ErrorReason | undefined;
  readonly details: NonNullable<ErrorParts['details']>;
  readonly upstream: UpstreamDetail | undefined;

  constructor(code: ErrorCode, title: string, parts: ErrorParts = {}) {
    super(parts.subject === undefined ? title : `${title}: ${parts.subject}`, { cause: parts.cause });
    this.name = 'AppError';
    this.code = code;
    this.title = title;
    this.subject = parts.subject;
    this.hint = parts.hint;
    this.reason = parts.reason;
    this.details = parts.details ?? {};
    this.upstream = parts.upstream;
  }
}

export function isUpstreamReason(reason: ErrorReason | undefined): reason is UpstreamReason {
  return UPSTREAM_REASONS.some((known) => known === reason);
}

export function isPolicyReason(reason: ErrorReason | undefined): reason is PolicyReason {
  return POLICY_REASONS.some((known) => known === reason);
}

export function isAppError(error: unknown, code?: ErrorCode): error is AppError {
  const isOurs = typeof error === 'object' && error !== null && BRAND in error;
  return isOurs && (code === undefined || (error as AppError).code === code);
}
