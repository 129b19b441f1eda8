/** ULIDs: 48 bits of time and 80 random bits in Crockford's base 32, which sort by time. */
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

/** Packs strings into one byte array, for fast transfer to a worker or file; strings must not contain NUL. */
export function packStrings(strings: Iterable<string>): Uint8Array {
  return Buffer.from([...strings].join('\0'));
}

/** `count` distinguishes an empty list from a list with one empty string. */
export function unpackStrings({ buffer, byteOffset, length }: Uint8Array, count: number): string[] {
  return count === 0 ? [] : Buffer.from(buffer, byteOffset, length).toString().split('\0');
}
