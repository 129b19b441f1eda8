/** Public Ed25519 keys as people write them down: raw, or the line of a minisign public key. */
import { createPublicKey, type KeyObject } from 'node:crypto';

/** RFC 8410: what stands before the 32 bytes in DER. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
export const KEY_BYTES = 32;
/** minisign: two letters for the algorithm, eight bytes for the key's number, the key. */
const MINISIGN_KEY_BYTES = 2 + 8 + KEY_BYTES;

export interface PublicKey {
  readonly key: KeyObject;
  /** In hex, of a minisign key. */
  readonly minisignId?: string;
}

/** Undefined for what is no key. */
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

/** Base64 in its one right form, of so many bytes. */
export function bytesOf(base64: string, length: number): Buffer | undefined {
  if (base64.length > 4 * Math.ceil(length / 3)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === length && bytes.toString('base64') === base64 ? bytes : undefined;
}
