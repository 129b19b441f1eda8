/** Ed25519 keys as people write them down: raw, PEM, or the line of a minisign public key. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';

/** RFC 8410: what stands before the 32 bytes in DER. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;
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

export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** The content of a key file: PEM, 32 bytes, or these in base64, with or without `ed25519:` before. */
export function parsePrivateKey(content: Uint8Array): KeyObject {
  if (content.length === KEY_BYTES) return privateKeyOf(content);
  const text = Buffer.from(content).toString('utf8').trim();
  const key = text.startsWith('-----BEGIN') ? fromPem(text) : fromSeed(text);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new AppError('invalid_input', 'Not a private Ed25519 key', {
    hint: 'Give an unencrypted PEM file (openssl genpkey -algorithm ed25519), or 32 bytes in base64.',
  });
}

function fromPem(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    // What the library says may quote the key.
    return undefined;
  }
}

function fromSeed(text: string): KeyObject | undefined {
  const seed = bytesOf(text.replace(/^ed25519:/, ''), KEY_BYTES);
  return seed && privateKeyOf(seed);
}

/** Base64 in its one right form, of so many bytes. */
export function bytesOf(base64: string, length: number): Buffer | undefined {
  if (base64.length > 4 * Math.ceil(length / 3)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === length && bytes.toString('base64') === base64 ? bytes : undefined;
}
