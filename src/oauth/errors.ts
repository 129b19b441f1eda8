/** What OAuth calls an error (RFC 6749 §4.1.2.1 and §5.2, 7009, 7591, 8707), and whether it may be sent back by redirect. */
type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

interface OAuthErrorParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the answer may be sent: only ever an address the client is known to have. */
  readonly returnTo?: ReturnAddress;
}

export interface ReturnAddress {
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** Whether a person here has let this client in before. Others are never sent to its address unasked. */
  readonly isTrusted: boolean;
}

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly returnTo: ReturnAddress | undefined;

  constructor(code: OAuthErrorCode, message: string, parts: OAuthErrorParts = {}) {
    super(message);
    this.name = 'OAuthError';
    this.code = code;
    this.status = parts.status ?? 400;
    this.headers = parts.headers ?? {};
    this.returnTo = parts.returnTo;
  }

  /** The same error, once it is known where it may be sent. */
  returnedTo(returnTo: ReturnAddress): OAuthError {
    return new OAuthError(this.code, this.message, { status: this.status, headers: this.headers, returnTo });
  }
}
