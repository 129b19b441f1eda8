/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, thirty seconds, as every authenticator app has them. */
import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from '../tickets.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
/** Steps before and after the present one that count, for clocks that differ and people who type. */
const DRIFT = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** As long as the hash: RFC 4226, section 4. */
const SECRET_BYTES = 20;

/** In base 32, as people type it. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** The code of a step (RFC 4226, section 5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0x0f;
  return String((hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS).padStart(DIGITS, '0');
}

export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / STEP_MS);
}

/** The step whose code it is, if it is later than `after`. All steps are compared, whichever fits. */
export function matchingStep(secret: string, code: string, now: number, after: number): number | undefined {
  const present = stepAt(now);
  let found: number | undefined;
  for (let step = present - DRIFT; step <= present + DRIFT; step++) {
    const fits = isSame(totpCode(secret, step), code);
    if (fits && step > after) found = step;
  }
  return found;
}

/** The address that an authenticator app reads from a QR code. */
export function otpauthUri(secret: string, { user, issuer }: { user: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(user)}`;
  const query = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  return `otpauth://totp/${label}?${query}`;
}

function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((part) => BASE32[Number.parseInt(part.padEnd(5, '0'), 2)])
    .join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
