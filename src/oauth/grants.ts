/**
 * Records of grants, for people to view and revoke. A record is written before the first token of a grant and
 * outlives the last, so that every token that opens the notes is on the list.
 */
import { LruMap } from '../shared/memoize.ts';
import { ACCESS_OF_ROLE, type AccessLevel, type Scope } from '../shared/principal.ts';
import { changeValue, sharedValue } from '../state/change-value.ts';
import type { StateRead, StateStore } from '../state/memory.ts';
import type { Client, PreconfiguredClient } from './client-metadata.ts';
import type { OAuthContext } from './context.ts';
import { limitScopes, withAccess } from './cut-scopes.ts';
import { OWNER } from './login.ts';
import { hashOf } from './tickets.ts';
import type { Directory } from './users.ts';

/** Subject, client and scopes. Every token and code belongs to a grant, and is revoked with it. */
export interface Grant {
  readonly id: string;
  readonly subject: Subject;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly resource: string;
  /** The subject's credential mark when the grant was made; see `Subjects`. */
  readonly mark: string;
  /** In the facts of a token whose client asked for less than the grant when it refreshed. */
  readonly isNarrowed?: true;
}

export interface Subject {
  readonly kind: 'user' | 'client';
  readonly name: string;
}

export interface SubjectsOptions {
  /** There is an owner and no users. */
  readonly ownerToken?: string;
  readonly clients?: readonly PreconfiguredClient[];
  /** Signs JWTs. Without it, keys are generated, stored in the state and rotated. */
  readonly signingKey?: string;
  /** Whether grants of versions that did not record the signing key count; see `adoptSigningKey`. */
  readonly acceptsUnkeyedMarks?: boolean;
}

export type Subjects = ReturnType<typeof createSubjects>;

/** Subjects whose tokens count. */
export function createSubjects(directory: Directory, options: SubjectsOptions) {
  const { ownerToken, clients = [], signingKey, acceptsUnkeyedMarks = false } = options;
  const fixed = new Map<string, string>();
  if (ownerToken !== undefined) fixed.set(`user ${OWNER}`, OWNER);
  for (const { id, secret, clientCredentials } of clients)
    if (clientCredentials === true) fixed.set(`client ${id}`, secret);
  const fingerprint = signingKey === undefined ? '' : ` ${fingerprintOf(signingKey)}`;
  const markWith = (credential: string, suffix: string) => hashOf(`mark ${credential}${suffix}`).slice(0, 16);

  /** What the mark is made of, and the most that the subject may do. */
  const standingOf = async ({ kind, name }: Subject, read?: StateRead) => {
    const credential = fixed.get(`${kind} ${name}`);
    if (credential !== undefined) return { credential, access: 'write' as const };
    const account =
      kind === 'user' && ownerToken === undefined ? await directory.find(name, read) : undefined;
    return account && !account.isDisabled && !account.isOver
      ? { credential: account.mark, access: ACCESS_OF_ROLE[account.role] }
      : undefined;
  };
  /** The most that grants of the mark may do now; undefined where they count no more. */
  const accessOf = async (
    subject: Subject,
    mark: string,
    read?: StateRead,
  ): Promise<AccessLevel | undefined> => {
    const standing = await standingOf(subject, read);
    if (!standing) return undefined;
    const marks = [fingerprint, ...(acceptsUnkeyedMarks ? [''] : [])];
    return marks.some((suffix) => markWith(standing.credential, suffix) === mark)
      ? standing.access
      : undefined;
  };
  return {
    accessOf,
    /** The most that the subject may allow an app. */
    mostOf: async (subject: Subject) => (await standingOf(subject))?.access,
    /**
     * A mark that changes with the subject's password or secret, so that changing it revokes all grants. Undefined for
     * a subject that is disabled or no longer exists. An owner's mark does not change: there, credentials are renewed one by one. All
     * marks depend on the operator's signing key, so that a new key revokes everything.
     */
    async markOf(subject: Subject): Promise<string | undefined> {
      const standing = await standingOf(subject);
      return standing && markWith(standing.credential, fingerprint);
    },
    /** Whether a stored mark is still the subject's. */
    hasMark: async (subject: Subject, mark: string) => (await accessOf(subject, mark)) !== undefined,
  };
}

/**
 * Versions before this one did not record the signing key with a grant. The first key seen over their state is taken
 * for theirs, so that an update logs no one out; the next key does.
 */
export async function adoptSigningKey(state: StateStore, signingKey: string | undefined): Promise<boolean> {
  if (signingKey === undefined) return false;
  const fingerprint = fingerprintOf(signingKey);
  return (await sharedValue(state, ADOPTED_KEY, () => fingerprint)) === fingerprint;
}

const ADOPTED_KEY = 'signing-key-seen-first';

/** Identifies a key without disclosing it. */
function fingerprintOf(signingKey: string): string {
  return hashOf(`fingerprint ${signingKey}`).slice(0, 32);
}

export type Revocations = ReturnType<typeof createRevocations>;

/**
 * Marks the grant as revoked instead of deleting its tokens, so that a token issued concurrently is revoked too. The
 * mark outlives every token of the grant.
 */
export function createRevocations({ state }: OAuthContext, keptSeconds: number) {
  return {
    revoke: (id: string) => state.put(`revoked:${id}`, true, keptSeconds),
    isRevoked: async (id: string, read: StateRead = 'get') =>
      (await state[read](`revoked:${id}`)) !== undefined,
  };
}

export interface GrantRecord {
  readonly id: string;
  readonly user: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Destination of the client's answers: a host, or the scheme of an app. */
  readonly destination: string;
  readonly scopes: readonly Scope[];
  /** Whether the person changed the scopes after tokens were issued; then they count, not the tokens' own. */
  readonly isChanged?: boolean;
  readonly mark: string;
  /** Milliseconds since 1970, like the two below. */
  readonly grantedAt: number;
  readonly usedAt: number;
  /** Expiry of the last token, unless it is refreshed before. */
  readonly until: number;
}

const PREFIX = 'grant:';
const KEPT_EVERY_MS = 60 * 60_000;
const MOST_SEEN = 10_000;

export type Grants = ReturnType<typeof createGrants>;

export function createGrants(
  { state, now, log }: OAuthContext,
  subjects: Subjects,
  revocations: Revocations,
) {
  /** When a grant was last used, and when that was last written down. */
  const seen = new LruMap<{ at: number; kept: number }>(MOST_SEEN);

  const find = (id: string) => state.get<GrantRecord>(PREFIX + id);
  const keeping = (value: GrantRecord) => ({
    value,
    ttlSeconds: Math.max(1, Math.ceil((value.until - now()) / 1000)),
  });
  /** A record that was removed stays away. */
  const change = (id: string, part: Partial<GrantRecord>) =>
    changeValue<GrantRecord, void>(state, PREFIX + id, (record) => ({
      ...(record && { put: keeping({ ...record, ...part }) }),
      result: undefined,
    }));
  const stands = async ({ id, user, mark }: GrantRecord) =>
    (await subjects.hasMark({ kind: 'user', name: user }, mark)) && !(await revocations.isRevoked(id));

  return {
    /** Records a person's grant before its first token. */
    begin: (grant: Grant, client: Client, destination: string, lifeSeconds: number) => {
      const { id, subject, clientId, scopes, mark } = grant;
      const times = { grantedAt: now(), usedAt: now(), until: now() + lifeSeconds * 1000 };
      const about = { id, user: subject.name, clientId, clientName: client.name, destination };
      const { value, ttlSeconds } = keeping({ ...about, scopes, mark, ...times });
      return state.put(PREFIX + id, value, ttlSeconds);
    },
    /** Extends the record for another token. */
    renew: (id: string, lifeSeconds: number) =>
      change(id, { usedAt: now(), until: now() + lifeSeconds * 1000 }),
    /** Records a use. Cheap: the stored time may lag by an hour. */
    used(id: string): void {
      const at = now();
      const known = seen.get(id);
      if (known && at - known.kept < KEPT_EVERY_MS) {
        known.at = at;
        return;
      }
      seen.set(id, { at, kept: at });
      change(id, { usedAt: at }).catch((error: unknown) =>
        log('error', 'the time of last use of a grant could not be stored', { error: String(error) }),
      );
    },
    /** The scopes that a token has now. */
    async scopesOf(
      { id, scopes, isNarrowed }: Pick<Grant, 'id' | 'scopes' | 'isNarrowed'>,
      read: StateRead = 'get',
    ) {
      const record = await state[read]<GrantRecord>(PREFIX + id);
      if (!record?.isChanged) return scopes;
      return isNarrowed ? limitScopes(scopes, record.scopes) : record.scopes;
    },
    /** Takes effect at once, also for tokens that are out; undefined when the person has no such grant. */
    setAccess: (id: string, user: string, access: AccessLevel): Promise<GrantRecord | undefined> =>
      changeValue<GrantRecord, GrantRecord | undefined>(state, PREFIX + id, async (record) => {
        if (record?.user !== user || !(await stands(record))) return { result: undefined };
        const changed = { ...record, scopes: withAccess(record.scopes, access), isChanged: true };
        return { put: keeping(changed), result: changed };
      }),
    /** Active grants of a person, or of everybody, latest first. */
    async of(user?: string): Promise<GrantRecord[]> {
      const found: GrantRecord[] = [];
      for (const key of await state.list(PREFIX)) {
        const record = await state.get<GrantRecord>(key);
        if (record && (user === undefined || record.user === user) && (await stands(record)))
          found.push({ ...record, usedAt: Math.max(record.usedAt, seen.get(record.id)?.at ?? 0) });
      }
      return found.sort((a, b) => b.grantedAt - a.grantedAt);
    },
    /** Revokes all tokens of the grant; undefined when the person has no such grant. */
    async revoke(id: string, user: string): Promise<GrantRecord | undefined> {
      const record = await find(id);
      if (record?.user !== user) return undefined;
      await revocations.revoke(id);
      seen.delete(id);
      await state.delete(PREFIX + id);
      return record;
    },
  };
}
