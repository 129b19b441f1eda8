/**
 * Proof that a decision comes from the view in a person's chat, and not from the model. It has two halves, on two ways
 * that hosts keep from the model: a value in the page of the view, which the host loads as a resource, and a ticket for
 * one proposal in the metadata of an answer, which works once. Both are signed, so that each of several replicas takes
 * what another one gave; alone, a process makes a secret of its own for them.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { TtlCache } from '../shared/memoize.ts';
import type { Caller } from '../shared/principal.ts';

interface ViewKeysOptions {
  /** Signs the keys; the same for all replicas. */
  readonly secret?: Uint8Array;
  /** Whether nobody has used it before, on any replica; asked while it is good. */
  readonly isFirstUse?: (ticket: string, seconds: number) => Promise<boolean>;
  readonly now?: () => number;
}

const LIFE_SECONDS = 3_600;
/** Used tickets that one process alone remembers. */
const MOST_USED = 100_000;

export class ViewKeys {
  readonly #secret: Uint8Array;
  readonly #now: () => number;
  readonly #isFirstUse: NonNullable<ViewKeysOptions['isFirstUse']>;

  constructor({
    secret = randomBytes(32),
    now = Date.now,
    isFirstUse = firstUses(now),
  }: ViewKeysOptions = {}) {
    this.#secret = secret;
    this.#now = now;
    this.#isFirstUse = isFirstUse;
  }

  /** All pages of a login have the same key: hosts may keep a page and show it again. */
  pageKey(caller: Caller): string {
    return this.#sign(['view page', loginOf(caller)]);
  }

  /** A ticket for one decision on a proposal. */
  issue(proposal: string, caller: Caller): string {
    const named = `${randomBytes(18).toString('base64url')}.${this.#now() + LIFE_SECONDS * 1000}`;
    return `${named}.${this.#sign(['view ticket', named, proposal, loginOf(caller)])}`;
  }

  /** Whether both are right; the ticket is used up, whatever page it was given with. */
  async take(
    proposal: string,
    caller: Caller,
    { page, ticket }: { readonly page: string; readonly ticket: string },
  ): Promise<boolean> {
    const [name = '', until = '', proof = ''] = ticket.split('.', 3);
    const signed = this.#sign(['view ticket', `${name}.${until}`, proposal, loginOf(caller)]);
    if (!isSame(proof, signed) || Number(until) <= this.#now()) return false;
    const isFirst = await this.#isFirstUse(name, LIFE_SECONDS);
    return isFirst && isSame(page, this.pageKey(caller));
  }

  #sign(parts: readonly string[]): string {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest('base64url');
  }
}

function firstUses(now: () => number) {
  const used = new TtlCache<true>({ forMs: LIFE_SECONDS * 1000, most: MOST_USED, now });
  return async (ticket: string) => {
    if (used.get(ticket)) return false;
    used.set(ticket, true);
    return true;
  };
}

function loginOf({ principal }: Caller): string {
  return principal?.id ?? '';
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
