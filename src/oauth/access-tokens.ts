/** Tokens that open the notes. */
import type { StateStore } from '../state/state-store.ts';
import type { Grant } from './grant.ts';
import { hashOf, newSecret } from './secrets.ts';

/** What a token says. Whether its grant still counts is for others to ask. */
export interface AccessFacts extends Grant {
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

export interface AccessTokens {
  readonly lifeSeconds: number;
  issue(grant: Grant): Promise<string>;
  /** Undefined for what is no token of ours, is over, or was revoked by itself. */
  read(token: string): Promise<AccessFacts | undefined>;
  revoke(token: string): Promise<void>;
}

export interface AccessTokensOptions {
  readonly state: StateStore;
  readonly now: () => number;
  readonly lifeSeconds: number;
}

/** Tokens that mean nothing by themselves: what they stand for is in the state, under their hash. */
export function createOpaqueTokens({ state, now, lifeSeconds }: AccessTokensOptions): AccessTokens {
  const keyOf = (token: string) => `access:${hashOf(token)}`;
  return {
    lifeSeconds,
    async issue(grant) {
      const token = newSecret();
      const facts: AccessFacts = { ...grant, expiresAt: Math.floor(now() / 1000) + lifeSeconds };
      await state.put(keyOf(token), facts, lifeSeconds);
      return token;
    },
    read: (token) => state.get<AccessFacts>(keyOf(token)),
    revoke: (token) => state.delete(keyOf(token)),
  };
}
