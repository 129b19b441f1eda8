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
   * is not there any more. An owner's does not change: there, credentials are renewed one by one.
   */
  markOf(subject: Subject): string | undefined;
}

export function createSubjects(
  users: Users | undefined,
  configured: readonly PreconfiguredClient[],
): Subjects {
  const marks = new Map<string, string>();
  const add = (kind: Subject['kind'], name: string, credential: string) =>
    marks.set(`${kind} ${name}`, hashOf(`mark ${credential}`).slice(0, 16));
  for (const [name, hash] of users ?? [[OWNER, OWNER]]) add('user', name, hash);
  for (const { id, secret, clientCredentials } of configured)
    if (clientCredentials === true) add('client', id, secret);
  return { markOf: ({ kind, name }) => marks.get(`${kind} ${name}`) };
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
