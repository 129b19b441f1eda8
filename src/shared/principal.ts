/** Who is calling, as far as it is known. */
export interface Principal {
  /** The same for everything the same somebody does; never a secret. For logs, limits and sessions. */
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
