/**
 * Signatures of manifests (manifest-content.ts). Their verification ensures that a server is started as it was reviewed,
 * and that the reviewer's key is known.
 */
import { createHash, createPrivateKey, type KeyObject, sign, verify } from 'node:crypto';
import type { UpstreamServer } from '../config/control-plane.ts';
import { AppError, type PolicyReason } from '../shared/errors.ts';
import { bytesOf, KEY_BYTES, type PublicKey, parsePublicKey } from '../shared/public-keys.ts';
import { type Rejection, rejection } from '../upstream/definition.ts';
import {
  changedParts,
  digestOfManifest,
  type Manifest,
  type ManifestV2,
  manifestV1Of,
} from './manifest-content.ts';

/** The first line separates domains: a signature made for another purpose, or another version, is none of a manifest. */
export function signedText(digest: string, version: Manifest['version']): Buffer {
  return Buffer.from(`sb-mcp-manifest/v${version}\n${digest}`);
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
    hint: 'Give an unencrypted PEM file (quire mcp keygen makes one), or 32 bytes in base64.',
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
export function signManifest(manifest: Manifest, keyFile: Uint8Array, keyId: string) {
  assertKeyId(keyId);
  const digest = digestOfManifest(manifest);
  const signature = sign(null, signedText(digest, manifest.version), parsePrivateKey(keyFile));
  return { digest, signature: `${keyId}:${signature.toString('base64')}` };
}

export function assertKeyId(keyId: string): void {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(keyId)) return;
  throw new AppError('invalid_input', 'Not an id of a key', {
    hint: 'Use 1 to 64 letters, digits, ".", "_" and "-".',
  });
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
  /** Rightly signed, as version 1: see `V1_GAPS`. */
  | 'verified_v1'
  | 'unverified'
  | 'mismatch'
  | 'signature_invalid'
  | 'key_unknown'
  | 'malformed'
  | 'missing';

/** What a signature of version 1 leaves open. */
export const V1_GAPS =
  'signed as v1, which does not cover the files it runs, the values of its variables, or the folders and hosts its sandbox lets it reach';

type Keys = Readonly<Record<string, string>>;

/** Parts of the judgement that read files; they are asked for only when they count. */
export interface ManifestSources {
  /** The manifest of the server as it is now. */
  present(): Promise<ManifestV2>;
  /** The manifest that has the configured digest, where one is known. */
  signed(digest: string): Promise<ManifestV2 | undefined>;
}

export interface ManifestVerdict {
  readonly state: ManifestState;
  /** The manifest that was verified. */
  readonly verified?: ManifestV2;
  /** What is not as it was signed, where that is known. */
  readonly changed?: readonly string[];
}

/** Without keys only the form is checked. */
export async function verifyManifest(
  server: UpstreamServer,
  keys: Keys,
  sources: ManifestSources,
): Promise<ManifestVerdict> {
  const { manifestDigest: digest, manifestSignature: signature } = server;
  if (digest === undefined || signature === undefined) return { state: 'missing' };
  if (!/^sha256:[0-9a-f]{64}$/.test(digest) || signature.trim() === '') return { state: 'malformed' };
  if (Object.keys(keys).length === 0) return { state: 'unverified' };
  if (digestIn(() => manifestV1Of(server)) === digest) {
    const state = signatureState(signature, signedText(digest, 1), keys);
    return { state: state === 'verified' ? 'verified_v1' : state };
  }
  const present = await sources.present().catch(() => undefined);
  if (!present || digestIn(() => present) !== digest)
    return { state: 'mismatch', changed: await changesOf(digest, present, sources) };
  const state = signatureState(signature, signedText(digest, 2), keys);
  return state === 'verified' ? { state, verified: present } : { state };
}

/** Undefined for a manifest that has no JSON form: it was never signed. */
function digestIn(manifest: () => Manifest): string | undefined {
  try {
    return digestOfManifest(manifest());
  } catch {
    return undefined;
  }
}

async function changesOf(
  digest: string,
  present: ManifestV2 | undefined,
  { signed }: ManifestSources,
): Promise<readonly string[] | undefined> {
  const before = present && (await signed(digest).catch(() => undefined));
  return before && present && changedParts(before, present);
}

/** The keys of a configuration are parsed once for all its servers. */
const PARSED = new WeakMap<Keys, ReadonlyMap<string, PublicKey>>();

function parsedKeys(keys: Keys): ReadonlyMap<string, PublicKey> {
  const known = PARSED.get(keys);
  if (known) return known;
  const parsed = Object.entries(keys).flatMap(([id, text]) => {
    const key = parsePublicKey(text);
    return key ? [[id, key] as const] : [];
  });
  const made = new Map(parsed);
  PARSED.set(keys, made);
  return made;
}

function signatureState(signature: string, text: Uint8Array, given: Keys): ManifestState {
  const keys = parsedKeys(given);
  if (looksLikeMinisign(signature)) return minisignState(signature, text, [...keys.values()]);
  const [, keyId = '', base64 = ''] = /^([A-Za-z0-9._-]{1,64}):(\S+)$/.exec(signature.trim()) ?? [];
  if (base64 === '') return 'malformed';
  const key = keys.get(keyId);
  const raw = bytesOf(base64, 64);
  if (!raw) return minisignState(base64, text, key ? [key] : []);
  if (!key) return 'key_unknown';
  return verify(null, text, key.key, raw) ? 'verified' : 'signature_invalid';
}

function minisignState(file: string, text: Uint8Array, known: readonly PublicKey[]): ManifestState {
  const signature = parseMinisign(file);
  if (!signature) return 'malformed';
  const key = known.find(({ minisignId }) => minisignId === signature.keyId);
  if (!key) return 'key_unknown';
  return verifyMinisign(signature, text, key.key) ? 'verified' : 'signature_invalid';
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
    'It is not what was reviewed: the digest is that of another command, other arguments, files, variables or sandbox.',
  ],
  signature_invalid: ['signature_invalid', 'manifest_signature is not of this manifest.'],
  key_unknown: ['key_unknown', 'It is signed with a key that control_plane.mcp_manifest_keys does not have.'],
};

export function isManifestRejection({ code }: Rejection): boolean {
  return Object.values(REFUSALS).some(([own]) => own === code);
}

export function judgeManifest(
  { name }: UpstreamServer,
  { state, changed = [] }: ManifestVerdict,
): Rejection[] {
  const [code, usual] = REFUSALS[state] ?? [];
  if (code === undefined) return [];
  const reason =
    changed.length > 0
      ? `It is not what was reviewed: since it was signed, ${inWords(changed)} changed.`
      : usual;
  const again =
    state === 'key_unknown' ? '' : ` Review it, then run quire mcp manifest ${name} --sign --write.`;
  return [rejection(code, `${reason}${again}`)];
}

const MAX_NAMED = 6;

function inWords(parts: readonly string[]): string {
  const named = parts.slice(0, MAX_NAMED);
  const all = parts.length > named.length ? [...named, `${parts.length - named.length} more`] : named;
  return all.length === 1 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}
