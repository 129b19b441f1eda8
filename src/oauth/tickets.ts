/** Secrets and form tickets. Secrets are random, stored only as hashes and compared in constant time. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { claim, sharedValue } from '../state/change-value.ts';
import type { OAuthContext } from './context.ts';

export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** For identifiers that are not secret. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** A deterministic secret derived with HMAC; unpredictable without both inputs. */
export function derivedSecret(secret: string, salt: string): string {
  return createHmac('sha256', secret).update(salt).digest('hex');
}

interface TicketFacts {
  /** The raw query of the authorization request. */
  readonly query: string;
  /** The user who has logged in; undefined before the login. */
  readonly user?: string;
  /** The user whose password was right, and who has yet to give a second factor. */
  readonly pending?: string;
  /** Of `pending`, when the password was given; see `Subjects`. */
  readonly mark?: string;
}

export type OpenedTicket =
  | { readonly kind: 'good'; readonly facts: TicketFacts }
  /** Genuine but used or expired; the request can start again. */
  | { readonly kind: 'over'; readonly facts: Pick<TicketFacts, 'query'> }
  /** Forged, or made for another browser. */
  | { readonly kind: 'foreign' };

interface SignedTicket extends TicketFacts {
  readonly id: string;
  readonly browser: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const LIFE_SECONDS = 10 * 60;
const KEY = 'ticket-key';

export type Tickets = ReturnType<typeof createTickets>;

/**
 * Form tickets: signed, bound to the browser, single-use, valid for a few minutes. No state is stored for a form
 * that is never submitted, so serving pages costs no memory.
 */
export function createTickets({ state, now }: OAuthContext) {
  let key: string | undefined;
  const sign = async (body: string) => {
    // Stored, so that tickets survive a restart, and are good on another server.
    key ??= await sharedValue(state, KEY, newSecret);
    return createHmac('sha256', key).update(body).digest('base64url');
  };

  const read = async (ticket: string): Promise<SignedTicket | undefined> => {
    const [body = '', signature = ''] = ticket.split('.', 2);
    if (!isSame(signature, await sign(body))) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as SignedTicket;
  };

  /** False when the ticket was used before. */
  const use = (id: string) => claim(state, `ticket:${id}`, LIFE_SECONDS);

  return {
    async issue(facts: TicketFacts, browser: string): Promise<string> {
      const signed: SignedTicket = {
        ...facts,
        id: newId(),
        browser: hashOf(browser),
        until: now() + LIFE_SECONDS * 1000,
      };
      const body = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return `${body}.${await sign(body)}`;
    },
    async open(ticket: string, browser: string | undefined): Promise<OpenedTicket> {
      const signed = await read(ticket);
      if (!signed || browser === undefined || !isSame(hashOf(browser), signed.browser))
        return { kind: 'foreign' };
      const { id, query, user, pending, mark, until } = signed;
      if (until <= now() || !(await use(id))) return { kind: 'over', facts: { query } };
      return { kind: 'good', facts: { query, user, pending, mark } };
    },
  };
}
