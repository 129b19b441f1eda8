/**
 * Tokens that are exchanged for the next ones. A grant has one family of them: the token that is current, and the
 * one before it. The next is computed from the one before and a secret of the family, so asking twice (because an
 * answer was lost, or two parts of a client ask at the same time) gives the same next one: there is one line of
 * tokens, never two. The one before leads to its successor until the successor is used, however long that takes:
 * only then is it certain that the answer arrived. Whoever comes with an older one has stolen it, or had it stolen.
 *
 * The first half of a token names its family, so that old ones need not be kept to be known: following the line from
 * a true old token ends at the current one.
 */
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import type { StateStore } from '../state/memory.ts';
import type { Grant } from './grants.ts';
import { derivedSecret, hashOf, isSame, newSecret } from './tickets.ts';

interface RefreshFacts {
  readonly grant: Grant;
  readonly offline: boolean;
}

type Rotation =
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
  /** Whose it is, without using it; also for tokens that were exchanged. */
  find(token: string): Promise<RefreshFacts | undefined>;
  rotate(token: string): Promise<Rotation>;
}

/** As it is stored. Tokens are there as hashes, and the secret is worth nothing without one of them. */
interface Family extends SingleToken {
  readonly current: string;
  /** Absent until the first is exchanged. */
  readonly previous?: string;
  /** How many were exchanged. */
  readonly generation: number;
}

/** What versions before families kept for each token; such a token begins a family when it is exchanged. */
interface SingleToken extends RefreshFacts {
  readonly familySecret: string;
}

interface RefreshTokensOptions {
  readonly state: StateStore;
  readonly lifeSeconds: number;
}

const TOKEN = /^[0-9a-f]{64}$/;
const FAMILY_LENGTH = 32;
/** How far back a stolen token is known for one: three months of one an hour. */
const LONGEST_LINE = 2_000;

export function createRefreshTokens({ state, lifeSeconds }: RefreshTokensOptions): RefreshTokens {
  const oneByOne = new KeyedMutex();
  const familyOf = (token: string) => state.get<Family>(familyKey(token));
  const singleOf = (token: string) => state.get<SingleToken>(`refresh:${hashOf(token)}`);
  const keep = (current: string, family: Omit<Family, 'current'>) =>
    state.put(familyKey(current), { ...family, current: hashOf(current) } satisfies Family, lifeSeconds);

  const rotateIn = async (family: Family, token: string): Promise<Rotation> => {
    const { grant, offline, familySecret, generation } = family;
    const next = successorOf(token, familySecret);
    switch (placeOf(token, family)) {
      case 'current':
        // One write: cut short before it, nothing was exchanged; after it, the token leads to its successor.
        await keep(next, { ...family, previous: hashOf(token), generation: generation + 1 });
        return { kind: 'rotated', facts: { grant, offline }, next, isRepeat: false };
      case 'previous':
        return { kind: 'rotated', facts: { grant, offline }, next, isRepeat: true };
      case 'older':
        return { kind: 'reused', grantId: grant.id };
      case 'none':
        return { kind: 'unknown' };
    }
  };

  /** Whether the successor of a single token was exchanged; undefined when there is no successor yet. */
  const isSuccessorUsed = async (next: string, familySecret: string): Promise<boolean | undefined> => {
    const family = await familyOf(next);
    if (family) return !isSame(family.current, hashOf(next));
    if (!(await singleOf(next))) return undefined;
    const afterNext = derivedSecret(next, familySecret);
    return (await familyOf(afterNext)) !== undefined || (await singleOf(afterNext)) !== undefined;
  };

  const rotateSingle = async (single: SingleToken, token: string): Promise<Rotation> => {
    const { grant, offline, familySecret } = single;
    const next = derivedSecret(token, familySecret);
    const isUsed = await isSuccessorUsed(next, familySecret);
    if (isUsed === true) return { kind: 'reused', grantId: grant.id };
    if (isUsed === undefined) await keep(next, { grant, offline, familySecret, generation: 0 });
    return { kind: 'rotated', facts: { grant, offline }, next, isRepeat: isUsed === false };
  };

  return {
    lifeSeconds,
    async issue(facts) {
      const token = newSecret();
      await keep(token, { ...facts, familySecret: newSecret(), generation: 0 });
      return token;
    },
    async find(token) {
      if (!TOKEN.test(token)) return undefined;
      const family = await familyOf(token);
      const found = family && placeOf(token, family) !== 'none' ? family : await singleOf(token);
      return found && { grant: found.grant, offline: found.offline };
    },
    async rotate(token) {
      if (!TOKEN.test(token)) return { kind: 'unknown' };
      return oneByOne.run(familyKey(token), async () => {
        const family = await familyOf(token);
        if (family) return rotateIn(family, token);
        const single = await singleOf(token);
        return single ? rotateSingle(single, token) : { kind: 'unknown' };
      });
    },
  };
}

function familyKey(token: string): string {
  return `refresh-family:${hashOf(token.slice(0, FAMILY_LENGTH))}`;
}

function successorOf(token: string, familySecret: string): string {
  return token.slice(0, FAMILY_LENGTH) + derivedSecret(token, familySecret).slice(FAMILY_LENGTH);
}

function placeOf(token: string, family: Family): 'current' | 'previous' | 'older' | 'none' {
  const hash = hashOf(token);
  if (isSame(hash, family.current)) return 'current';
  if (family.previous === undefined) return 'none';
  if (isSame(hash, family.previous)) return 'previous';
  let later = token;
  for (let step = Math.min(family.generation, LONGEST_LINE); step > 0; step--) {
    later = successorOf(later, family.familySecret);
    if (hashOf(later) === family.previous) return 'older';
  }
  return 'none';
}
