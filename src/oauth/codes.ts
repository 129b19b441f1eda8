/** What a person's approval is exchanged for: a code that works once, soon, and only for who asked for it. */
import type { StateStore } from '../state/state-store.ts';
import type { Grant } from './grant.ts';
import { hashOf, newSecret } from './secrets.ts';

export interface CodeFacts {
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string;
  /** Asked for `offline_access`. */
  readonly offline: boolean;
}

export type Redeemed =
  | { readonly kind: 'valid'; readonly facts: CodeFacts }
  /** Taken before: what came of it must fall. */
  | { readonly kind: 'spent'; readonly grantId: string }
  | { readonly kind: 'unknown' };

export interface Codes {
  issue(facts: CodeFacts): Promise<string>;
  redeem(code: string): Promise<Redeemed>;
}

const CODE_SECONDS = 5 * 60;

export function createCodes(state: StateStore, rememberedSeconds: number): Codes {
  return {
    async issue(facts) {
      const code = newSecret();
      const hash = hashOf(code);
      // Which grant a code belongs to outlives the code. Written first, so that of two who redeem it at once the one who is late finds it.
      await state.put(`code-grant:${hash}`, facts.grant.id, rememberedSeconds);
      await state.put(`code:${hash}`, facts, CODE_SECONDS);
      return code;
    },
    async redeem(code) {
      const hash = hashOf(code);
      const facts = await state.take<CodeFacts>(`code:${hash}`);
      if (facts) return { kind: 'valid', facts };
      const grantId = await state.get<string>(`code-grant:${hash}`);
      return grantId === undefined ? { kind: 'unknown' } : { kind: 'spent', grantId };
    },
  };
}
