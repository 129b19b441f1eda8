/** Whose tokens depend on a value of the state, so that streams end as soon as it is revoked, on whichever server. */
import type { Principal } from '../shared/principal.ts';
import { hashOf } from './tickets.ts';
import { USER_KEYS } from './users.ts';

export interface TokenHolder {
  readonly principal: Principal;
  readonly token: string | undefined;
}

export type IsMeant = (holder: TokenHolder) => boolean;

/** `key` is of the state; an empty one stands for any. */
export function holdersOf(key: string): IsMeant {
  const name = key.slice(key.indexOf(':') + 1);
  if (key === '') return () => true;
  if (key.startsWith('access:')) return ({ token }) => token !== undefined && hashOf(token) === name;
  // Of a grant, or of one signed token that belongs to it.
  if (key.startsWith('revoked:')) return ({ principal }) => principal.grant === name.split('.')[0];
  if (key.startsWith(USER_KEYS)) return ({ principal }) => principal.id === `user:${name}`;
  if (key.startsWith('client:')) return ({ principal }) => principal.clientId === name;
  return () => false;
}
