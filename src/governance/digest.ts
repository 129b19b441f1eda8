/** Hashes of what the plane compares: sha256 in hex. */
import { hash } from 'node:crypto';
import { canonicalJson } from './manifest/canonical.ts';

export function sha256(text: string): string {
  return hash('sha256', text);
}

/** Equal for equal data, however it was written down. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
