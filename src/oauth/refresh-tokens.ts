/**
 * Refresh tokens with rotation and reuse detection (RFC 9700 §4.14). A grant has one token family: the current token
 * and its predecessor. The successor is derived from the token and a secret of the family, so a repeated request
 * (after a lost answer, or from two parts of a client) gets the same successor: the line never forks. The
 * predecessor stays exchangeable until its successor is used, because only then the answer has certainly arrived.
 * Use of an older token means theft. The first half of a token names its family, so old tokens need not be stored:
 * the line followed from a genuine old token ends at the current one. All this is decided by one conditional write, so it
 * holds also when several servers exchange the same token at the same time.
 */
import { changeValue, type ValueChange } from '../state/change-value.ts';
import type { OAuthContext } from './context.ts';
import type { Grant } from './grants.ts';
import { derivedSecret, hashOf, isSame, newSecret } from './tickets.ts';

interface RefreshFacts {
  readonly grant: Grant;
  readonly offline: boolean;
  /** Thumbprint of the key that has to prove a refresh (RFC 9449 §5); of public clients only. */
  readonly jkt?: string;
}

/** A token as found, without exchanging it. */
interface FoundToken extends RefreshFacts {
  /** False for a token that was exchanged so long ago that using it means theft. */
  readonly isExchangeable: boolean;
  /** The token was exchanged, and a key came with that or later: without the key, its use means theft. */
  readonly isBoundSince: boolean;
}

type Rotation =
  | {
      readonly kind: 'rotated';
      readonly facts: RefreshFacts;
      readonly next: string;
      /** Whether this answer repeats an earlier one. */
      readonly isRepeat: boolean;
    }
  | { readonly kind: 'reused'; readonly grantId: string }
  | { readonly kind: 'unknown' };

/** As stored: tokens as hashes; the secret is useless without a token. */
interface Family extends SingleToken {
  readonly current: string;
  /** Absent until the first exchange. */
  readonly previous?: string;
  /** Number of exchanges. */
  readonly generation: number;
  /** Whether the key came with an exchange, not with the first token. */
  readonly isBoundLater?: true;
}

/** Record of versions before families, one per token; such a token begins a family when it is exchanged. */
interface SingleToken extends RefreshFacts {
  readonly familySecret: string;
}

const TOKEN = /^[0-9a-f]{64}$/;
const FAMILY_LENGTH = 32;
/** How far back reuse is detected: three months at one exchange an hour. */
const LONGEST_LINE = 2_000;

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

export function createRefreshTokens({ state }: OAuthContext, lifeSeconds: number) {
  const familyOf = (token: string) => state.get<Family>(familyKey(token));
  const singleOf = (token: string) => state.get<SingleToken>(`refresh:${hashOf(token)}`);
  const keeping = (current: string, family: Omit<Family, 'current'>) => ({
    value: { ...family, current: hashOf(current) } satisfies Family,
    ttlSeconds: lifeSeconds,
  });

  const rotateIn = (
    family: Family,
    token: string,
    jkt: string | undefined,
  ): ValueChange<Family, Rotation> => {
    const { grant, offline, familySecret, generation } = family;
    const next = successorOf(token, familySecret);
    const rotated = { kind: 'rotated' as const, facts: { grant, offline }, next };
    switch (placeOf(token, family)) {
      case 'current':
        // A single write: a crash before it leaves the token unexchanged, one after it leaves token and successor
        // linked.
        return {
          put: keeping(next, {
            ...family,
            ...(family.jkt === undefined && jkt !== undefined && { jkt, isBoundLater: true as const }),
            previous: hashOf(token),
            generation: generation + 1,
          }),
          result: { ...rotated, isRepeat: false },
        };
      case 'previous':
        return { result: { ...rotated, isRepeat: true } };
      case 'older':
        return { result: { kind: 'reused', grantId: grant.id } };
      case 'none':
        return { result: { kind: 'unknown' } };
    }
  };

  /** Whether the successor of a single token was exchanged; undefined when there is none yet. */
  const isSuccessorUsed = async (
    next: string,
    familySecret: string,
    family: Family | undefined,
  ): Promise<boolean | undefined> => {
    if (family) return !isSame(family.current, hashOf(next));
    if (!(await singleOf(next))) return undefined;
    const afterNext = derivedSecret(next, familySecret);
    return (await familyOf(afterNext)) !== undefined || (await singleOf(afterNext)) !== undefined;
  };

  const rotateSingle = (single: SingleToken, token: string, jkt: string | undefined): Promise<Rotation> => {
    const { grant, offline, familySecret } = single;
    const next = derivedSecret(token, familySecret);
    return changeValue<Family, Rotation>(state, familyKey(next), async (family) => {
      const isUsed = await isSuccessorUsed(next, familySecret, family);
      if (isUsed === true) return { result: { kind: 'reused', grantId: grant.id } };
      return {
        ...(isUsed === undefined && {
          put: keeping(next, { grant, offline, jkt, familySecret, generation: 0 }),
        }),
        result: { kind: 'rotated', facts: { grant, offline }, next, isRepeat: isUsed === false },
      };
    });
  };

  return {
    lifeSeconds,
    async issue(facts: RefreshFacts): Promise<string> {
      const token = newSecret();
      const { value, ttlSeconds } = keeping(token, { ...facts, familySecret: newSecret(), generation: 0 });
      await state.put(familyKey(token), value, ttlSeconds);
      return token;
    },
    /** Facts of a token without exchanging it; also for tokens exchanged before. */
    async find(token: string): Promise<FoundToken | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const family = await familyOf(token);
      const place = family ? placeOf(token, family) : 'none';
      const found = place === 'none' ? await singleOf(token) : family;
      if (!found) return undefined;
      const { grant, offline, jkt } = found;
      const isBoundSince = family?.isBoundLater === true && place !== 'current';
      return { grant, offline, jkt, isExchangeable: place !== 'older', isBoundSince };
    },
    /** `jkt` binds what was not bound before. */
    async rotate(token: string, jkt?: string): Promise<Rotation> {
      if (!TOKEN.test(token)) return { kind: 'unknown' };
      const rotation = await changeValue<Family, Rotation | undefined>(state, familyKey(token), (family) =>
        family ? rotateIn(family, token, jkt) : { result: undefined },
      );
      if (rotation) return rotation;
      const single = await singleOf(token);
      return single ? rotateSingle(single, token, jkt) : { kind: 'unknown' };
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
