/** The two lines an operator puts into the configuration after a review. */
import { sign } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import { parsePrivateKey } from './keys.ts';
import { type Described, manifestDigest, signedText } from './manifest.ts';

export interface SignedManifest {
  readonly digest: string;
  readonly signature: string;
}

/** `keyFile` is the content of a private key's file. */
export function signManifest(server: Described, keyFile: Uint8Array, keyId: string): SignedManifest {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(keyId))
    throw new AppError('invalid_input', 'Not an id of a key', {
      hint: 'Use 1 to 64 letters, digits, ".", "_" and "-".',
    });
  const digest = manifestDigest(server);
  const signature = sign(null, signedText(digest), parsePrivateKey(keyFile));
  return { digest, signature: `${keyId}:${signature.toString('base64')}` };
}
