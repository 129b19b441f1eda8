/** Codes, tokens and secrets: made at random, kept only as hashes, compared without telling how far they agree. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

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
