/**
 * Tokens that are exchanged for the next ones. Each works once. The next is computed from the one before and a
 * secret of the family, so asking twice (because an answer was lost, or two parts of a client ask at the same
 * time) gives the same next one: there is one line of tokens, never two. Shortly after its exchange a token still
 * leads to its successor; later it is taken for stolen, and the whole family falls. A thief with an old token gets
 * at most the token its owner has too, and whichever of them comes second is found out.
 */
import type { StateStore } from '../state/state-store.ts';
import type { Grant } from './grant.ts';
import { derivedSecret, hashOf, newSecret } from './secrets.ts';

export interface RefreshFacts {
  readonly grant: Grant;
  readonly offline: boolean;
}

export type Rotation =
  | {
      readonly kind: 'rotated';
      readonly facts: RefreshFacts;
      readonly next: string;
      /** The same answer once more. */
      readonly isRepeat: boolean;
    }
  | { readonly kind: 'reused'; readonly grantId: string }
  | { readonly kind: 'unknown' };

export interface RefreshTokens {
  readonly lifeSeconds: number;
  issue(facts: RefreshFacts): Promise<string>;
  /** Whose it is, without using it. */
  find(token: string): Promise<RefreshFacts | undefined>;
  rotate(token: string): Promise<Rotation>;
}

interface Stored extends RefreshFacts {
  readonly familySecret: string;
}

export interface RefreshTokensOptions {
  readonly state: StateStore;
  readonly now: () => number;
  readonly lifeSeconds: number;
  readonly graceSeconds: number;
}

export function createRefreshTokens(options: RefreshTokensOptions): RefreshTokens {
  const { state, now, lifeSeconds, graceSeconds } = options;

  const find = (hash: string) => state.get<Stored>(`refresh:${hash}`);
  const keep = (token: string, stored: Stored) => state.put(`refresh:${hashOf(token)}`, stored, lifeSeconds);

  return {
    lifeSeconds,
    async issue(facts) {
      const token = newSecret();
      await keep(token, { ...facts, familySecret: newSecret() });
      return token;
    },
    find: (token) => find(hashOf(token)),
    async rotate(token) {
      const hash = hashOf(token);
      const stored = await find(hash);
      if (!stored) return { kind: 'unknown' };
      const next = derivedSecret(token, stored.familySecret);
      const exchangedAt = await state.get<number>(`exchanged:${hash}`);
      if (exchangedAt === undefined) {
        // The successor first: cut short in between, the token simply has not been exchanged yet.
        await keep(next, stored);
        await state.put(`exchanged:${hash}`, now(), lifeSeconds);
        return { kind: 'rotated', facts: stored, next, isRepeat: false };
      }
      if (now() - exchangedAt > graceSeconds * 1000) return { kind: 'reused', grantId: stored.grant.id };
      return { kind: 'rotated', facts: stored, next, isRepeat: true };
    },
  };
}
