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

/** All scopes, in the order in which clients are told of them. */
export const SCOPES = ['notes:read', 'notes:write', 'notes:propose'] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes of a caller about whose scopes nothing was said. */
export const FULL_SCOPES: readonly Scope[] = ['notes:read', 'notes:write'];

export const ANONYMOUS: Principal = { id: 'anonymous', kind: 'anonymous', scopes: FULL_SCOPES };

/** What a person may do here. Each may do what those before it may. */
export const ROLES = ['reader', 'proposer', 'writer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The most that apps of a person with the role may do. */
export const ACCESS_OF_ROLE: Readonly<Record<Role, AccessLevel>> = {
  reader: 'read',
  proposer: 'propose',
  writer: 'write',
  admin: 'write',
};

/** What a caller may do with notes. Each includes those before it. */
export const ACCESS_LEVELS = ['read', 'propose', 'write'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** The most that the scopes allow; undefined where there are none. */
export function accessOf(scopes: readonly Scope[]): AccessLevel | undefined {
  return ACCESS_LEVELS.findLast((level) => scopes.includes(`notes:${level}`));
}

/** Whether the scopes include the needed one, or one that includes it. */
export function covers(scopes: readonly Scope[], needed: Scope): boolean {
  const access = accessOf(scopes);
  return access !== undefined && isAtMost(accessOf([needed]), access);
}

export function isAtMost(access: AccessLevel | undefined, limit: AccessLevel | undefined): boolean {
  return rankOf(access) <= rankOf(limit);
}

function rankOf(access: AccessLevel | undefined): number {
  return access === undefined ? -1 : ACCESS_LEVELS.indexOf(access);
}

/** Whether the changes of a caller become proposals, for a person to land. */
export function mayOnlyPropose({ scopes }: Pick<Principal, 'scopes'>): boolean {
  return accessOf(scopes) === 'propose';
}

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
