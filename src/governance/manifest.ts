/**
 * The manifest of a server, which its reviewer signs: how the server is started, without its secrets. Its verification
 * ensures that the server is started as it was reviewed, and that the reviewer's key is known.
 */
import { createHash, createPrivateKey, type KeyObject, sign, verify } from 'node:crypto';
import type { UpstreamServer } from '../config/control-plane.ts';
import { AppError, type PolicyReason } from '../shared/errors.ts';
import { bytesOf, KEY_BYTES, type PublicKey, parsePublicKey } from '../shared/public-keys.ts';
import { type Rejection, rejection } from '../upstream/definition.ts';
import { digestOf } from './digest.ts';

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

type ManifestSource = Pick<
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

/** The first line separates domains: a signature made for another purpose is none of a manifest. */
export function signedText(digest: string): Buffer {
  return Buffer.from(`sb-mcp-manifest/v1\n${digest}`);
}

/** The DER prefix of the 32 bytes (RFC 8410). */
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

/** `keyFile` is the content of a private key's file. */
export function signManifest(server: ManifestSource, keyFile: Uint8Array, keyId: string) {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(keyId))
    throw new AppError('invalid_input', 'Not an id of a key', {
      hint: 'Use 1 to 64 letters, digits, ".", "_" and "-".',
    });
  const digest = manifestDigest(server);
  const signature = sign(null, signedText(digest), parsePrivateKey(keyFile));
  return { digest, signature: `${keyId}:${signature.toString('base64')}` };
}

/**
 * Signatures in minisign's form: an untrusted comment, the signature with its key's number, and then, in files, a trusted
 * comment with a signature over both. Old files sign the text itself (`Ed`), newer ones its BLAKE2b-512 (`ED`).
 */
const SIGNATURE_BYTES = 64;
const LINE_BYTES = 2 + 8 + SIGNATURE_BYTES;

interface MinisignSignature {
  readonly keyId: string;
  readonly isPrehashed: boolean;
  readonly signature: Buffer;
  readonly trusted?: { readonly comment: string; readonly signature: Buffer };
}

function looksLikeMinisign(text: string): boolean {
  return text.trimStart().startsWith('untrusted comment:');
}

/** From a whole file, or from its signature line alone. Undefined for what is neither. */
function parseMinisign(text: string): MinisignSignature | undefined {
  const lines = text.trim().split(/\r?\n/);
  if (!looksLikeMinisign(text)) return lines.length === 1 ? fromLine(lines[0] ?? '') : undefined;
  const [, line = '', commentLine, global, ...more] = lines;
  const found = fromLine(line.trim());
  if (!found || more.length > 0) return undefined;
  if (commentLine === undefined) return found;
  const comment = /^trusted comment: (.*)$/.exec(commentLine)?.[1];
  const signature = bytesOf(global?.trim() ?? '', SIGNATURE_BYTES);
  return comment === undefined || !signature ? undefined : { ...found, trusted: { comment, signature } };
}

function fromLine(line: string): MinisignSignature | undefined {
  const bytes = bytesOf(line, LINE_BYTES);
  const algorithm = bytes?.toString('latin1', 0, 2);
  if (!bytes || (algorithm !== 'Ed' && algorithm !== 'ED')) return undefined;
  return {
    keyId: bytes.toString('hex', 2, 10),
    isPrehashed: algorithm === 'ED',
    signature: bytes.subarray(10),
  };
}

function verifyMinisign(
  { isPrehashed, signature, trusted }: MinisignSignature,
  text: Uint8Array,
  key: KeyObject,
): boolean {
  const signed = isPrehashed ? createHash('blake2b512').update(text).digest() : text;
  if (!verify(null, signed, key, signature)) return false;
  if (!trusted) return true;
  return verify(null, Buffer.concat([signature, Buffer.from(trusted.comment)]), key, trusted.signature);
}

export type ManifestState =
  | 'verified'
  | 'unverified'
  | 'mismatch'
  | 'signature_invalid'
  | 'key_unknown'
  | 'malformed'
  | 'missing';

type Keys = Readonly<Record<string, string>>;
type SignatureFields = ManifestSource & Pick<UpstreamServer, 'manifestDigest' | 'manifestSignature'>;

/** Without keys only the form is checked. */
export function manifestState(server: SignatureFields, keys: Keys): ManifestState {
  const { manifestDigest: digest, manifestSignature: signature } = server;
  if (digest === undefined || signature === undefined) return 'missing';
  if (!/^sha256:[0-9a-f]{64}$/.test(digest) || signature.trim() === '') return 'malformed';
  if (Object.keys(keys).length === 0) return 'unverified';
  return isDigestOf(server, digest) ? signatureState(signature, digest, keys) : 'mismatch';
}

function isDigestOf(server: SignatureFields, digest: string): boolean {
  try {
    return manifestDigest(server) === digest;
  } catch {
    // A manifest that has no JSON form was never signed.
    return false;
  }
}

function signatureState(signature: string, digest: string, keys: Keys): ManifestState {
  const keyring = () => Object.values(keys).flatMap((text) => parsePublicKey(text) ?? []);
  if (looksLikeMinisign(signature)) return minisignState(signature, digest, keyring());
  const [, keyId = '', base64 = ''] = /^([A-Za-z0-9._-]{1,64}):(\S+)$/.exec(signature.trim()) ?? [];
  if (base64 === '') return 'malformed';
  const key = Object.hasOwn(keys, keyId) ? parsePublicKey(keys[keyId] ?? '') : undefined;
  const raw = bytesOf(base64, 64);
  if (!raw) return minisignState(base64, digest, key ? [key] : []);
  if (!key) return 'key_unknown';
  return verify(null, signedText(digest), key.key, raw) ? 'verified' : 'signature_invalid';
}

function minisignState(text: string, digest: string, known: readonly PublicKey[]): ManifestState {
  const signature = parseMinisign(text);
  if (!signature) return 'malformed';
  const key = known.find(({ minisignId }) => minisignId === signature.keyId);
  if (!key) return 'key_unknown';
  return verifyMinisign(signature, signedText(digest), key.key) ? 'verified' : 'signature_invalid';
}

/** Why a server with a manifest in this state is not started. */
const REFUSALS: Readonly<Partial<Record<ManifestState, readonly [code: PolicyReason, reason: string]>>> = {
  missing: ['manifest_missing', 'manifest_digest and manifest_signature are needed.'],
  malformed: [
    'manifest_malformed',
    "manifest_digest must be sha256: and 64 lower-case hex digits, manifest_signature <key id>:<base64> or minisign's.",
  ],
  mismatch: [
    'manifest_mismatch',
    'It is not what was reviewed: the digest is that of another command, other arguments, variables or sandbox.',
  ],
  signature_invalid: ['signature_invalid', 'manifest_signature is not of this manifest.'],
  key_unknown: ['key_unknown', 'It is signed with a key that control_plane.mcp_manifest_keys does not have.'],
};

export function isManifestRejection({ code }: Rejection): boolean {
  return Object.values(REFUSALS).some(([own]) => own === code);
}

export function judgeManifest(server: SignatureFields, keys: Keys): Rejection[] {
  const state = manifestState(server, keys);
  const [code, reason] = REFUSALS[state] ?? [];
  if (code === undefined) return [];
  const again = state === 'key_unknown' ? '' : ` Review it, then run quire mcp manifest ${server.name}.`;
  return [rejection(code, `${reason}${again}`)];
}
