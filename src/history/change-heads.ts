/** Ids, groups and times of new changes. */
import { ulid } from '../shared/ids.ts';
import type { ChangeAuthor, ChangeHead } from './change.ts';

export type ChangeOrigin = Omit<ChangeHead, 'id' | 'group' | 'at'>;

/** A session that pauses longer begins a new group. */
export const GROUP_PAUSE_MS = 30 * 60_000;
const MOST_GROUPS = 1_000;
const ID_LENGTH = 16;
const TIME_LENGTH = 10;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The time in an id of a change or of a segment, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return [...id.slice(0, TIME_LENGTH)].reduce((time, digit) => time * 32 + DIGITS.indexOf(digit), 0);
}

export class ChangeHeads {
  readonly #clock: () => number;
  readonly #groups = new Map<string, { id: string; last: number }>();
  #lastId = '';
  #lastTime = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Never goes back, so that the order of edits is the order of their times. */
  now(): number {
    this.#lastTime = Math.max(this.#clock(), this.#lastTime);
    return this.#lastTime;
  }

  create(origin: ChangeOrigin): ChangeHead {
    const at = this.now();
    const id = this.#newId(at);
    return { id, group: this.#groupOf(origin.by, at, id), at, ...origin };
  }

  /** Later ids sort after earlier ones, also within a millisecond. */
  #newId(at: number): string {
    const idAt = (time: number) => ulid(time).slice(0, ID_LENGTH).toLowerCase();
    const id = idAt(at);
    this.#lastId = id > this.#lastId ? id : idAt(timeOfId(this.#lastId) + 1);
    return this.#lastId;
  }

  #groupOf({ principal, client, session }: ChangeAuthor, at: number, id: string): string {
    const key = JSON.stringify([principal, client, session]);
    const known = this.#groups.get(key);
    const group = known && at - known.last < GROUP_PAUSE_MS ? known.id : `g${id}`;
    this.#groups.delete(key);
    this.#groups.set(key, { id: group, last: at });
    if (this.#groups.size > MOST_GROUPS) this.#groups.delete(this.#groups.keys().next().value ?? '');
    return group;
  }
}
