/**
 * Proof that a decision comes from the view in a person's chat, and not from the model. It has two halves, on two ways
 * that hosts keep from the model: a value in the page of the view, which the host loads as a resource, and a ticket for
 * one proposal in the metadata of an answer, which works once. Both live as long as the process.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { TtlCache } from '../shared/memoize.ts';
import type { Caller } from '../shared/principal.ts';

const TICKETS = { forMs: 3_600_000, most: 5_000 };

export class ViewKeys {
  readonly #secret = randomBytes(32);
  /** What each ticket is for, and for whom. */
  readonly #tickets: TtlCache<string>;

  constructor(now: () => number = Date.now) {
    this.#tickets = new TtlCache({ ...TICKETS, now });
  }

  /** The same for all pages of a login: hosts may keep a page and show it again. */
  pageKey(caller: Caller): string {
    return createHmac('sha256', this.#secret).update(loginOf(caller)).digest('base64url');
  }

  /** A ticket for one decision on a proposal. */
  issue(proposal: string, caller: Caller): string {
    const ticket = randomBytes(18).toString('base64url');
    this.#tickets.set(ticket, subjectOf(proposal, caller));
    return ticket;
  }

  /** Whether both are right; the ticket is used up, whatever it was given with. */
  take(proposal: string, caller: Caller, given: { readonly page: string; readonly ticket: string }): boolean {
    const known = this.#tickets.get(given.ticket);
    this.#tickets.delete(given.ticket);
    return known === subjectOf(proposal, caller) && isSame(given.page, this.pageKey(caller));
  }
}

function loginOf({ principal }: Caller): string {
  return principal?.id ?? '';
}

function subjectOf(proposal: string, caller: Caller): string {
  return JSON.stringify([proposal, loginOf(caller)]);
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
