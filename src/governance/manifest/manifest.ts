/** The manifest of a server, which its reviewer signs: how the server is started, without its secrets. */

import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { AppError } from '../../shared/errors.ts';
import { bytesOf, KEY_BYTES } from '../../shared/public-keys.ts';
import { digestOf } from '../digest.ts';

interface Manifest {
  readonly version: 1;
  readonly name: string;
  readonly transport: UpstreamServer['transport'];
  readonly command: unknown;
  readonly args: unknown;
  /** Names only: a new secret needs no new review, a new variable does. */
  readonly env_keys: readonly string[];
  readonly sandbox_profile: string | null;
}

export type ManifestSource = Pick<
  UpstreamServer,
  'name' | 'transport' | 'command' | 'args' | 'env' | 'sandboxProfile'
>;

export function manifestOf(server: ManifestSource): Manifest {
  return {
    version: 1,
    name: server.name,
    transport: server.transport,
    command: server.command ?? null,
    args: server.args ?? [],
    env_keys: Object.keys(server.env).sort(),
    sandbox_profile: server.sandboxProfile ?? null,
  };
}

export function manifestDigest(server: ManifestSource): string {
  return `sha256:${digestOf(manifestOf(server))}`;
}

/** The first line keeps a signature made for something else from being one of a manifest. */
export function signedText(digest: string): Buffer {
  return Buffer.from(`sb-mcp-manifest/v1\n${digest}`);
}

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
    // The library's error may quote the key.
    return undefined;
  }
}

function fromSeed(text: string): KeyObject | undefined {
  const seed = bytesOf(text.replace(/^ed25519:/, ''), KEY_BYTES);
  return seed && privateKeyOf(seed);
}

interface ManifestSignature {
  readonly digest: string;
  readonly signature: string;
}

/** `keyFile` is the content of a private key's file. */
export function signManifest(server: ManifestSource, keyFile: Uint8Array, keyId: string): ManifestSignature {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(keyId))
    throw new AppError('invalid_input', 'Not an id of a key', {
      hint: 'Use 1 to 64 letters, digits, ".", "_" and "-".',
    });
  const digest = manifestDigest(server);
  const signature = sign(null, signedText(digest), parsePrivateKey(keyFile));
  return { digest, signature: `${keyId}:${signature.toString('base64')}` };
}
