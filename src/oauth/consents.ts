/** What a person has allowed a client before, for the place its answers go to. */
import { SCOPES, type Scope } from '../shared/principal.ts';
import type { StateStore } from '../state/state-store.ts';
import { hashOf } from './secrets.ts';

export interface ConsentFacts {
  readonly user: string;
  readonly clientId: string;
  /** Where answers go: another place is another question. */
  readonly destination: string;
  readonly scopes: readonly Scope[];
}

export interface Consents {
  covers(facts: ConsentFacts): Promise<boolean>;
  remember(facts: ConsentFacts): Promise<void>;
  forget(facts: Omit<ConsentFacts, 'scopes'>): Promise<void>;
}

const REMEMBERED_SECONDS = 365 * 24 * 60 * 60;

export function createConsents(state: StateStore): Consents {
  const keyOf = ({ user, clientId, destination }: Omit<ConsentFacts, 'scopes'>) =>
    `consent:${hashOf(JSON.stringify([user, clientId, destination]))}`;
  const allowed = async (facts: ConsentFacts) => (await state.get<ConsentFacts>(keyOf(facts)))?.scopes ?? [];
  return {
    async covers(facts) {
      const before = await allowed(facts);
      return facts.scopes.every((scope) => before.includes(scope));
    },
    async remember(facts) {
      const before = await allowed(facts);
      const scopes = SCOPES.filter((scope) => facts.scopes.includes(scope) || before.includes(scope));
      await state.put(keyOf(facts), { ...facts, scopes }, REMEMBERED_SECONDS);
    },
    forget: (facts) => state.delete(keyOf(facts)),
  };
}
