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
