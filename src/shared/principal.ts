/** The authenticated caller of a request. */
export interface Principal {
  /** Stable for one caller, and never a secret. For logs, limits and sessions. */
  readonly id: string;
  readonly kind: 'anonymous' | 'bearer' | 'jwt' | 'user' | 'client';
  readonly scopes: readonly Scope[];
  /** The OAuth client the call comes through. */
  readonly clientId?: string;
  /** Seconds since 1970. */
  readonly expiresAt?: number;
}

export const SCOPES = ['notes:read', 'notes:write'] as const;
export type Scope = (typeof SCOPES)[number];

export const ANONYMOUS: Principal = { id: 'anonymous', kind: 'anonymous', scopes: SCOPES };

/** Where a request comes from. */
export interface Caller {
  /** Absent where there is one caller only. */
  readonly principal?: Principal;
  /** The connection, under one label from its first log line to its last. */
  readonly session?: string;
  /** The program at the other end, by the name and version that it gave itself. */
  readonly program?: string;
}

export function callerOf({ principal, session, program }: Caller): Caller {
  return { principal, session, program };
}
