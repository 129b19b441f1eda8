/** The authenticated caller of a request. */
export interface Principal {
  /** Stable for one caller, and never a secret. For logs, limits and sessions. */
  readonly id: string;
  readonly kind: 'anonymous' | 'bearer' | 'jwt' | 'user' | 'client';
  readonly scopes: readonly Scope[];
  /** The OAuth client the call comes through. */
  readonly clientId?: string;
  /** The grant that the token belongs to, and is revoked with. */
  readonly grant?: string;
  /** Seconds since 1970. */
  readonly expiresAt?: number;
  /** Whose sessions they are, where one caller has some that must be kept apart. Default: the id. */
  readonly owner?: string;
}

export function ownerOf({ id, owner = id }: Principal): string {
  return owner;
}

/** Scopes for all notebooks, in the order in which clients are told of them. */
export const SCOPES = ['notes:read', 'notes:write', 'notes:propose'] as const;
/** One for all notebooks, or for the one whose name it ends with. */
export type Scope = (typeof SCOPES)[number] | `${(typeof SCOPES)[number]}:${string}`;

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

const SCOPE = /^notes:(read|propose|write)(?::([^\s:]+))?$/;

interface ScopeParts {
  readonly access: AccessLevel;
  /** Undefined for all. */
  readonly notebook?: string;
}

export function scopeParts(scope: string): ScopeParts | undefined {
  const [, access, notebook] = SCOPE.exec(scope) ?? [];
  return access === undefined ? undefined : { access: access as AccessLevel, notebook };
}

/** The scopes among words, in one order; others mean nothing here. */
export function scopesIn(words: readonly unknown[]): readonly Scope[] {
  const known = words.filter(
    (word): word is Scope => typeof word === 'string' && scopeParts(word)?.notebook !== undefined,
  );
  return [...SCOPES.filter((scope) => words.includes(scope)), ...new Set(known)];
}

/** The most that the scopes allow in a notebook, or else in all; undefined where they allow nothing there. */
export function accessOf(scopes: readonly Scope[], notebook?: string): AccessLevel | undefined {
  return ACCESS_LEVELS.findLast(
    (level) =>
      scopes.includes(`notes:${level}`) ||
      (notebook !== undefined && scopes.includes(`notes:${level}:${notebook}`)),
  );
}

/** The most that the scopes allow anywhere. */
export function mostAccessOf(scopes: readonly Scope[]): AccessLevel | undefined {
  return ACCESS_LEVELS.findLast((level) => scopes.some((scope) => scopeParts(scope)?.access === level));
}

/** The notebooks that the scopes are confined to; undefined where one of them is for all. */
export function confinesTo(scopes: readonly Scope[]): ReadonlySet<string> | undefined {
  const names = scopes.map((scope) => scopeParts(scope)?.notebook);
  const named = names.filter((name) => name !== undefined);
  return named.length < names.length ? undefined : new Set(named);
}

/** Whether the scopes include the needed one, or one that includes it. */
export function covers(scopes: readonly Scope[], needed: Scope): boolean {
  const { access, notebook } = scopeParts(needed) ?? {};
  return access !== undefined && rankOf(accessOf(scopes, notebook)) >= rankOf(access);
}

export function isAtMost(access: AccessLevel | undefined, limit: AccessLevel | undefined): boolean {
  return rankOf(access) <= rankOf(limit);
}

function rankOf(access: AccessLevel | undefined): number {
  return access === undefined ? -1 : ACCESS_LEVELS.indexOf(access);
}

/** Whether the changes of a caller in a notebook become proposals, for a person to land. */
export function mayOnlyPropose({ scopes }: Pick<Principal, 'scopes'>, notebook?: string): boolean {
  return accessOf(scopes, notebook) === 'propose';
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
