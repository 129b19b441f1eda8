/** What a person's approval is exchanged for: a code that works once, soon, and only for who asked for it. */
import type { StateStore } from '../state/state-store.ts';
import type { Grant } from './grants.ts';
import { hashOf, newSecret } from './secrets.ts';

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
