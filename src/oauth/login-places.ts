/** From where each person has come in: browsers by their cookie, and networks. Kept as hashes, a few for each. */

import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import { subscriberOf } from '../shared/ip-ranges.ts';
import type { StateStore } from '../state/state-store.ts';
import type { LoginPlace } from './login.ts';
import { hashOf } from './secrets.ts';

interface LoginPlaces {
  /** What names the place, when somebody has come in with this account from there; the browser before the network. */
  find(account: string, place: LoginPlace): Promise<string | undefined>;
  remember(account: string, place: LoginPlace): Promise<void>;
}

interface SeenPlace {
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export const REMEMBERED_SECONDS = 180 * 24 * 60 * 60;
const MAX_PLACES = 40;
const DAY_MS = 24 * 60 * 60_000;

export function createLoginPlaces(state: StateStore, now: () => number): LoginPlaces {
  const oneByOne = new KeyedMutex();
  const keyOf = (account: string) => `login-places:${hashOf(account)}`;
  const placesOf = async (account: string) => (await state.get<SeenPlace[]>(keyOf(account))) ?? [];
  return {
    async find(account, place) {
      const seen = await placesOf(account);
      return namesOf(account, place).find((name) => seen.some((one) => one.place === name));
    },
    remember: (account, place) =>
      oneByOne.run(account, async () => {
        const names = namesOf(account, place);
        const seen = await placesOf(account);
        const isFresh = (name: string) => seen.some((one) => one.place === name && now() - one.at < DAY_MS);
        if (names.every(isFresh)) return;
        const others = seen.filter((one) => !names.includes(one.place));
        const all = [...names.map((name) => ({ place: name, at: now() })), ...others].slice(0, MAX_PLACES);
        await state.put(keyOf(account), all, REMEMBERED_SECONDS);
      }),
  };
}

function namesOf(account: string, { address, device }: LoginPlace): string[] {
  return [
    ...(device === undefined ? [] : [hashOf(JSON.stringify(['device', account, device]))]),
    hashOf(JSON.stringify(['network', account, subscriberOf(address)])),
  ];
}
