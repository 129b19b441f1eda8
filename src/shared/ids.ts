/** Ids that sort by the time they were made: 48 bits of time, 80 of chance, in Crockford's base 32. */
import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const CHANCE_DIGITS = 16;

export function ulid(now: number, chance: Uint8Array = randomBytes(CHANCE_DIGITS)): string {
  let time = '';
  for (let rest = now; time.length < TIME_DIGITS; rest = Math.floor(rest / 32))
    time = DIGITS[rest % 32] + time;
  return time + [...chance].map((byte) => DIGITS[byte % 32]).join('');
}

/** Very many strings as one array of bytes, which is quick to hand to another thread or to write; none may hold a NUL. */
export function packStrings(strings: Iterable<string>): Uint8Array {
  return Buffer.from([...strings].join('\0'));
}

/** `count` tells no strings from one that is empty. */
export function unpackStrings({ buffer, byteOffset, length }: Uint8Array, count: number): string[] {
  return count === 0 ? [] : Buffer.from(buffer, byteOffset, length).toString().split('\0');
}
