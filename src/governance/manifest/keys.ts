/** Private Ed25519 keys as people keep them: raw, in base64, or PEM. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import { bytesOf, KEY_BYTES } from '../../shared/public-keys.ts';

/** RFC 8410: what stands before the 32 bytes in DER. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

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
