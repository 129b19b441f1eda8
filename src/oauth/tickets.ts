/**
 * What a form carries from one page to the next: signed, bound to the browser it was made for, good once and for
 * a few minutes. Nothing is stored for a form that nobody sends, so pages cost an attacker's visits nothing.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import type { StateStore } from '../state/memory.ts';

/** Codes, tokens and secrets: made at random, kept only as hashes, compared without telling how far they agree. */

export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Names something that is not secret. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** Always the same from the same two; unguessable for whoever lacks one of them. */
export function derivedSecret(secret: string, salt: string): string {
  return createHmac('sha256', secret).update(salt).digest('hex');
}

interface TicketFacts {
  /** The authorization request, as it came. */
  readonly query: string;
  /** Who has logged in on the way here. Absent: nobody yet. */
  readonly user?: string;
}

type OpenedTicket =
  | { readonly kind: 'good'; readonly facts: TicketFacts }
  /** Ours, but sent before or too late: the same request may begin again. */
  | { readonly kind: 'over'; readonly facts: Pick<TicketFacts, 'query'> }
  /** Not ours, or made for another browser. */
  | { readonly kind: 'foreign' };

export interface Tickets {
  issue(facts: TicketFacts, browser: string): Promise<string>;
  open(ticket: string, browser: string | undefined): Promise<OpenedTicket>;
}

interface SignedTicket extends TicketFacts {
  readonly id: string;
  readonly browser: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const LIFE_SECONDS = 10 * 60;
const KEY = 'ticket-key';

export function createTickets(state: StateStore, now: () => number): Tickets {
  const oneByOne = new KeyedMutex();
  let key: string | undefined;
  const sign = async (body: string) => {
    key ??= await oneByOne.run(KEY, () => signingKey(state));
    return createHmac('sha256', key).update(body).digest('base64url');
  };

  const read = async (ticket: string): Promise<SignedTicket | undefined> => {
    const [body = '', signature = ''] = ticket.split('.', 2);
    if (!isSame(signature, await sign(body))) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as SignedTicket;
  };

  /** False when it was used before. */
  const use = (id: string) =>
    oneByOne.run(id, async () => {
      if ((await state.get(`ticket:${id}`)) !== undefined) return false;
      await state.put(`ticket:${id}`, true, LIFE_SECONDS);
      return true;
    });

  return {
    async issue(facts, browser) {
      const signed: SignedTicket = {
        ...facts,
        id: newId(),
        browser: hashOf(browser),
        until: now() + LIFE_SECONDS * 1000,
      };
      const body = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return `${body}.${await sign(body)}`;
    },
    async open(ticket, browser) {
      const signed = await read(ticket);
      if (!signed || browser === undefined || !isSame(hashOf(browser), signed.browser))
        return { kind: 'foreign' };
      const { id, query, user, until } = signed;
      if (until <= now() || !(await use(id))) return { kind: 'over', facts: { query } };
      return { kind: 'good', facts: { query, user } };
    },
  };
}

/** Kept, so that a restart between two pages is not noticed. */
async function signingKey(state: StateStore): Promise<string> {
  const found = await state.get<string>(KEY);
  if (found !== undefined) return found;
  const made = newSecret();
  await state.put(KEY, made);
  return made;
}
