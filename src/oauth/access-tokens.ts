/** Tokens that open the notes. */
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import type { StateStore } from '../state/memory.ts';
import type { Grant } from './grants.ts';
import { hashOf, newSecret } from './tickets.ts';

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

/** What a person's approval is exchanged for: a code that works once, soon, and only for who asked for it. */

interface CodeFacts extends CodeBinding {
  readonly grant: Grant;
  /** Asked for `offline_access`. */
  readonly offline: boolean;
}

/** Who may redeem a code, and with what proof. */
interface CodeBinding {
  readonly redirectUri: string;
  readonly challenge: string;
}

/** A code that was redeemed, or is too old to be. */
interface SpentCode extends CodeBinding {
  readonly grantId: string;
  readonly clientId: string;
}

export interface Codes {
  issue(facts: CodeFacts): Promise<string>;
  /** Whose it is, without using it: what must be checked before anything is done with the code. */
  find(code: string): Promise<SpentCode | undefined>;
  /** Undefined when it was taken before or is too old. */
  take(code: string): Promise<CodeFacts | undefined>;
}

const CODE_SECONDS = 5 * 60;

export function createCodes(state: StateStore, rememberedSeconds: number): Codes {
  return {
    async issue(facts) {
      const { grant, redirectUri, challenge } = facts;
      const code = newSecret();
      const hash = hashOf(code);
      const binding: SpentCode = { grantId: grant.id, clientId: grant.clientId, redirectUri, challenge };
      // Whose a code is outlives the code. Written first, so that of two who redeem it at once the one who is late finds it.
      await state.put(`code-grant:${hash}`, binding, rememberedSeconds);
      await state.put(`code:${hash}`, facts, CODE_SECONDS);
      return code;
    },
    async find(code) {
      const hash = hashOf(code);
      const found = await state.get<SpentCode | string>(`code-grant:${hash}`);
      if (typeof found === 'object') return found;
      // Older versions kept the id of the grant alone: such a code can be redeemed, but its replay proves nothing.
      const facts = await state.get<CodeFacts>(`code:${hash}`);
      return facts && { ...facts, grantId: facts.grant.id, clientId: facts.grant.clientId };
    },
    take: (code) => state.take<CodeFacts>(`code:${hashOf(code)}`),
  };
}
