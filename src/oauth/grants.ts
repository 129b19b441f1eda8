/**
 * What people have allowed and still stands, for them to look at and take back. A record is written before the
 * first token of a grant and outlives the last, so nothing that opens the notes is missing from the list.
 */

import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import { LruMap } from '../shared/memoize.ts';
import type { Scope } from '../shared/principal.ts';
import type { StateStore } from '../state/memory.ts';
import type { Client, PreconfiguredClient } from './client-metadata.ts';
import { OWNER } from './login.ts';
import type { Users } from './passwords.ts';
import { hashOf } from './tickets.ts';

/** What was allowed: to whom, through which client, for what. Every token and code is part of one, and falls with it. */

export interface Grant {
  readonly id: string;
  readonly subject: Subject;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly resource: string;
  /** What the subject's credential was when it was granted: see `Subjects`. */
  readonly mark: string;
}

export interface Subject {
  readonly kind: 'user' | 'client';
  readonly name: string;
}

/** Whose tokens count. */
export interface Subjects {
  /**
   * Changes with the subject's password or secret, so that changing it logs out everywhere. Undefined for whoever
   * is not there any more. An owner's does not change: there, credentials are renewed one by one. Everybody's
   * changes with the key the operator gave to sign tokens with, so that another key logs out everybody.
   */
  markOf(subject: Subject): string | undefined;
  /** Whether a mark that was kept is still the subject's. */
  hasMark(subject: Subject, mark: string): boolean;
}

interface SubjectsOptions {
  readonly users?: Users;
  readonly clients?: readonly PreconfiguredClient[];
  readonly signingKey?: string;
  /** Whether what was granted by a version that kept no trace of the signing key counts: see `adoptSigningKey`. */
  readonly acceptsUnkeyedMarks?: boolean;
}

export function createSubjects(options: SubjectsOptions): Subjects {
  const { users, clients = [], signingKey, acceptsUnkeyedMarks = false } = options;
  const credentials = new Map<string, string>();
  for (const [name, hash] of users ?? [[OWNER, OWNER]]) credentials.set(`user ${name}`, hash);
  for (const { id, secret, clientCredentials } of clients)
    if (clientCredentials === true) credentials.set(`client ${id}`, secret);
  const fingerprint = signingKey === undefined ? '' : ` ${fingerprintOf(signingKey)}`;
  const markWith = ({ kind, name }: Subject, suffix: string) => {
    const credential = credentials.get(`${kind} ${name}`);
    return credential === undefined ? undefined : hashOf(`mark ${credential}${suffix}`).slice(0, 16);
  };
  return {
    markOf: (subject) => markWith(subject, fingerprint),
    hasMark: (subject, mark) =>
      markWith(subject, fingerprint) === mark || (acceptsUnkeyedMarks && markWith(subject, '') === mark),
  };
}

/**
 * Versions before this one did not note the signing key with what they granted. The first key seen over their state
 * is taken for theirs: nobody has to log in because of an update, and the next key ends that too.
 */
export async function adoptSigningKey(state: StateStore, signingKey: string | undefined): Promise<boolean> {
  if (signingKey === undefined) return false;
  const adopted = await state.get<string>(ADOPTED_KEY);
  if (adopted === undefined) await state.put(ADOPTED_KEY, fingerprintOf(signingKey));
  return adopted === undefined || adopted === fingerprintOf(signingKey);
}

const ADOPTED_KEY = 'signing-key-seen-first';

/** Tells keys apart and says nothing of them. */
function fingerprintOf(signingKey: string): string {
  return hashOf(`fingerprint ${signingKey}`).slice(0, 32);
}

/** Grants that were taken back. */
export interface Revocations {
  revoke(id: string): Promise<void>;
  isRevoked(id: string): Promise<boolean>;
}

/**
 * A mark against a grant rather than the removal of its tokens: one that is being issued at this very moment falls
 * with the others. Kept longer than any of them can live.
 */
export function createRevocations(state: StateStore, keptSeconds: number): Revocations {
  return {
    revoke: (id) => state.put(`revoked:${id}`, true, keptSeconds),
    isRevoked: async (id) => (await state.get(`revoked:${id}`)) !== undefined,
  };
}

interface GrantRecord {
  readonly id: string;
  readonly user: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Where its answers went: a host, or the scheme of an app. */
  readonly destination: string;
  readonly scopes: readonly Scope[];
  readonly mark: string;
  /** Milliseconds since 1970, like the two below. */
  readonly grantedAt: number;
  readonly usedAt: number;
  /** When its last token ends, unless it is refreshed before. */
  readonly until: number;
}

export interface Grants {
  /** A grant of a person, about to get its first token. */
  begin(grant: Grant, client: Client, destination: string, lifeSeconds: number): Promise<void>;
  /** It gets another token. */
  renew(id: string, lifeSeconds: number): Promise<void>;
  /** One of its tokens was used. Costs next to nothing: what is kept may be an hour behind. */
  used(id: string): void;
  /** Those of a person that stand, latest first. */
  of(user: string): Promise<GrantRecord[]>;
  /** Ends all its tokens at once; undefined when the person has no such grant. */
  revoke(id: string, user: string): Promise<GrantRecord | undefined>;
}

interface GrantsOptions {
  readonly state: StateStore;
  readonly subjects: Subjects;
  readonly revocations: Revocations;
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
}

const PREFIX = 'grant:';
const KEPT_EVERY_MS = 60 * 60_000;
const MOST_SEEN = 10_000;

export function createGrants({ state, subjects, revocations, now, onProblem }: GrantsOptions): Grants {
  const oneByOne = new KeyedMutex();
  /** When a grant was last used, and when that was last written down. */
  const seen = new LruMap<{ at: number; kept: number }>(MOST_SEEN);

  const put = (record: GrantRecord) =>
    state.put(PREFIX + record.id, record, Math.max(1, Math.ceil((record.until - now()) / 1000)));
  const change = (id: string, part: Partial<GrantRecord>) =>
    oneByOne.run(id, async () => {
      const record = await state.get<GrantRecord>(PREFIX + id);
      if (record) await put({ ...record, ...part });
    });
  const stands = async ({ id, user, mark }: GrantRecord) =>
    subjects.hasMark({ kind: 'user', name: user }, mark) && !(await revocations.isRevoked(id));

  return {
    begin: ({ id, subject, clientId, scopes, mark }, client, destination, lifeSeconds) =>
      put({
        id,
        user: subject.name,
        clientId,
        clientName: client.name,
        destination,
        scopes,
        mark,
        grantedAt: now(),
        usedAt: now(),
        until: now() + lifeSeconds * 1000,
      }),
    renew: (id, lifeSeconds) => change(id, { usedAt: now(), until: now() + lifeSeconds * 1000 }),
    used(id) {
      const at = now();
      const known = seen.get(id);
      if (known && at - known.kept < KEPT_EVERY_MS) {
        known.at = at;
        return;
      }
      seen.set(id, { at, kept: at });
      change(id, { usedAt: at }).catch(onProblem);
    },
    async of(user) {
      const found: GrantRecord[] = [];
      for (const key of await state.list(PREFIX)) {
        const record = await state.get<GrantRecord>(key);
        if (record?.user === user && (await stands(record)))
          found.push({ ...record, usedAt: Math.max(record.usedAt, seen.get(record.id)?.at ?? 0) });
      }
      return found.sort((a, b) => b.grantedAt - a.grantedAt);
    },
    async revoke(id, user) {
      const record = await state.get<GrantRecord>(PREFIX + id);
      if (record?.user !== user) return undefined;
      await revocations.revoke(id);
      seen.delete(id);
      await oneByOne.run(id, () => state.delete(PREFIX + id));
      return record;
    },
  };
}
