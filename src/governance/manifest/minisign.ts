/**
 * Signatures in minisign's form: an untrusted comment, the signature with its key's number, and then, in files, a trusted
 * comment with a signature over both. Old files sign the text itself (`Ed`), newer ones its BLAKE2b-512 (`ED`).
 */
import { createHash, type KeyObject, verify } from 'node:crypto';
import { bytesOf } from '../../shared/public-keys.ts';

const SIGNATURE_BYTES = 64;
const LINE_BYTES = 2 + 8 + SIGNATURE_BYTES;

export interface MinisignSignature {
  readonly keyId: string;
  readonly isPrehashed: boolean;
  readonly signature: Buffer;
  readonly trusted?: { readonly comment: string; readonly signature: Buffer };
}

export function looksLikeMinisign(text: string): boolean {
  return text.trimStart().startsWith('untrusted comment:');
}

/** From a whole file, or from its signature line alone. Undefined for what is neither. */
export function parseMinisign(text: string): MinisignSignature | undefined {
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

export function verifyMinisign(
  { isPrehashed, signature, trusted }: MinisignSignature,
  text: Uint8Array,
  key: KeyObject,
): boolean {
  const signed = isPrehashed ? createHash('blake2b512').update(text).digest() : text;
  if (!verify(null, signed, key, signature)) return false;
  if (!trusted) return true;
  return verify(null, Buffer.concat([signature, Buffer.from(trusted.comment)]), key, trusted.signature);
}
