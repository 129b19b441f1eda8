/** Parses Ed25519 public keys: raw base64, or a minisign public key. */
import { createPublicKey, type KeyObject } from 'node:crypto';

/** DER prefix of an Ed25519 public key (RFC 8410). */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
export const KEY_BYTES = 32;
/** minisign: two bytes for the algorithm, eight for the key id, then the key. */
const MINISIGN_KEY_BYTES = 2 + 8 + KEY_BYTES;

export interface PublicKey {
  readonly key: KeyObject;
  /** Key id of a minisign key, in hex. */
  readonly minisignId?: string;
}

/** Undefined for invalid keys. */
export function parsePublicKey(text: string): PublicKey | undefined {
  const line = text.trim().split(/\r?\n/).at(-1)?.trim() ?? '';
  if (line.startsWith('ed25519:')) {
    const raw = bytesOf(line.slice('ed25519:'.length), KEY_BYTES);
    return raw && { key: publicKeyOf(raw) };
  }
  const bytes = bytesOf(line, MINISIGN_KEY_BYTES);
  if (bytes?.toString('latin1', 0, 2) !== 'Ed') return undefined;
  return { key: publicKeyOf(bytes.subarray(10)), minisignId: bytes.toString('hex', 2, 10) };
}

export function publicKeyOf(raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, raw]), format: 'der', type: 'spki' });
}

/** Decodes canonical base64 of exactly `length` bytes. */
export function bytesOf(base64: string, length: number): Buffer | undefined {
  if (base64.length > 4 * Math.ceil(length / 3)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === length && bytes.toString('base64') === base64 ? bytes : undefined;
}
