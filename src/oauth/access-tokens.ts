/** Tokens that open the notes. */
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import type { StateStore } from '../state/state-store.ts';
import type { Grant } from './grants.ts';
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

/** Of one holder at a time; a client that asks without end loses its oldest, and fills no disk. */
const MOST_OF_A_GRANT = 20;
const MOST_OF_A_CLIENT = 100;

/** Tokens that mean nothing by themselves: what they stand for is in the state, under their hash. */
export function createOpaqueTokens({ state, now, lifeSeconds }: AccessTokensOptions): AccessTokens {
  const oneByOne = new KeyedMutex();
  const keyOf = (token: string) => `access:${hashOf(token)}`;

  /** Notes a new token of the grant, and ends those that are too many. */
  const list = (key: string, grant: Grant): Promise<void> => {
    const { name, most } = holderOf(grant);
    return oneByOne.run(name, async () => {
      const keys = [...((await state.get<string[]>(name)) ?? []), key];
      const tooMany = keys.splice(0, Math.max(0, keys.length - most));
      await state.put(name, keys, lifeSeconds);
      for (const oldest of tooMany) await state.delete(oldest);
    });
  };

  return {
    lifeSeconds,
    async issue(grant) {
      const token = newSecret();
      const facts: AccessFacts = { ...grant, expiresAt: Math.floor(now() / 1000) + lifeSeconds };
      await state.put(keyOf(token), facts, lifeSeconds);
      await list(keyOf(token), grant);
      return token;
    },
    read: (token) => state.get<AccessFacts>(keyOf(token)),
    revoke: (token) => state.delete(keyOf(token)),
  };
}

/** Each token that a client gets by its secret alone is a grant of its own. */
function holderOf({ id, subject }: Grant): { readonly name: string; readonly most: number } {
  return subject.kind === 'client'
    ? { name: `access-of:client ${hashOf(subject.name)}`, most: MOST_OF_A_CLIENT }
    : { name: `access-of:${id}`, most: MOST_OF_A_GRANT };
}
