/** Whether a server is started as somebody reviewed it, and whether that somebody is known. */
import { verify } from 'node:crypto';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { bytesOf, type PublicKey, parsePublicKey } from '../../shared/public-keys.ts';
import { type Described, manifestDigest, signedText } from './manifest.ts';
import { looksLikeMinisign, parseMinisign, verifyMinisign } from './minisign.ts';

export type ManifestState =
  | 'verified'
  | 'unverified'
  | 'mismatch'
  | 'signature_invalid'
  | 'key_unknown'
  | 'malformed'
  | 'missing';

export type Keys = Readonly<Record<string, string>>;
export type Signed = Described & Pick<UpstreamServer, 'manifestDigest' | 'manifestSignature'>;

/** Without keys nothing can be verified: then only the form is looked at. */
export function manifestState(server: Signed, keys: Keys): ManifestState {
  const { manifestDigest: digest, manifestSignature: signature } = server;
  if (digest === undefined || signature === undefined) return 'missing';
  if (!/^sha256:[0-9a-f]{64}$/.test(digest) || signature.trim() === '') return 'malformed';
  if (Object.keys(keys).length === 0) return 'unverified';
  return isDigestOf(server, digest) ? signatureState(signature, digest, keys) : 'mismatch';
}

function isDigestOf(server: Signed, digest: string): boolean {
  try {
    return manifestDigest(server) === digest;
  } catch {
    // What cannot be written as JSON was never signed.
    return false;
  }
}

type SignatureState = 'verified' | 'signature_invalid' | 'key_unknown' | 'malformed';

function signatureState(signature: string, digest: string, keys: Keys): SignatureState {
  if (looksLikeMinisign(signature)) return minisignState(signature, digest, keyring(keys));
  const [, keyId = '', base64 = ''] = /^([A-Za-z0-9._-]{1,64}):(\S+)$/.exec(signature.trim()) ?? [];
  if (base64 === '') return 'malformed';
  const text = Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
  const key = text === undefined ? undefined : parsePublicKey(text);
  const raw = bytesOf(base64, 64);
  if (!raw) return minisignState(base64, digest, key ? [key] : []);
  if (!key) return 'key_unknown';
  return verify(null, signedText(digest), key.key, raw) ? 'verified' : 'signature_invalid';
}

function keyring(keys: Keys): PublicKey[] {
  return Object.values(keys).flatMap((text) => parsePublicKey(text) ?? []);
}

function minisignState(text: string, digest: string, known: readonly PublicKey[]): SignatureState {
  const signature = parseMinisign(text);
  if (!signature) return 'malformed';
  const key = known.find(({ minisignId }) => minisignId === signature.keyId);
  if (!key) return 'key_unknown';
  return verifyMinisign(signature, signedText(digest), key.key) ? 'verified' : 'signature_invalid';
}
