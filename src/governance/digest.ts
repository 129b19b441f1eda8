/** Hashes of what the plane compares: sha256 in hex. */
import { createHash } from 'node:crypto';
import { canonicalJson } from './manifest/canonical.ts';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Equal for equal data, however it was written down. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
