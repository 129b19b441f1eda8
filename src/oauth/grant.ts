/** What was allowed: to whom, through which client, for what. Every token and code is part of one, and falls with it. */
import type { Scope } from '../shared/principal.ts';
import type { StateStore } from '../state/state-store.ts';
import type { PreconfiguredClient } from './client.ts';
import { OWNER } from './login.ts';
import type { Users } from './passwords.ts';
import { hashOf } from './secrets.ts';

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

export interface SubjectsOptions {
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
