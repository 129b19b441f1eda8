/** What second factors need of libraries: WebAuthn, and QR codes. Loaded only when somebody uses one. */
import { createHash } from 'node:crypto';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { renderSVG } from 'uqr';

/** A passkey as stored: nothing of it is secret. */
export interface Passkey {
  readonly id: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports?: readonly string[];
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly addedAt: number;
}

interface Site {
  /** The host of the server. */
  readonly id: string;
  readonly origin: string;
}

/** What a browser answered, and the challenge it was given. */
interface Ceremony {
  readonly site: Site;
  readonly challenge: string;
  readonly response: unknown;
}

type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>;

/** Without direct attestation: which maker an authenticator is of does not matter here. */
export async function registrationOptions(
  site: Site,
  challenge: Uint8Array<ArrayBuffer>,
  { user, known }: { readonly user: string; readonly known: readonly Passkey[] },
): Promise<object> {
  return generateRegistrationOptions({
    rpName: 'Quire',
    rpID: site.id,
    userName: user,
    // A user handle has 64 bytes at most, and a name of 64 characters may have more.
    userID: new Uint8Array(createHash('sha256').update(user).digest()),
    challenge,
    attestationType: 'none',
    excludeCredentials: known.map(credentialOf),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  });
}

/** Undefined for an answer that proves nothing. */
export async function verifyRegistration(
  { site, challenge, response }: Ceremony,
  about: Pick<Passkey, 'label' | 'addedAt'>,
): Promise<Passkey | undefined> {
  const verified = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    // The password comes before: that a person is there is enough.
    requireUserVerification: false,
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { id, publicKey, counter, transports } = verified.registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports, ...about };
}

export async function assertionOptions(
  site: Site,
  challenge: Uint8Array<ArrayBuffer>,
  known: readonly Passkey[],
): Promise<object> {
  return generateAuthenticationOptions({
    rpID: site.id,
    challenge,
    allowCredentials: known.map(credentialOf),
    userVerification: 'preferred',
  });
}

/** The passkey with its counter raised; undefined for an answer that proves nothing. */
export async function verifyAssertion(
  { site, challenge, response }: Ceremony,
  known: readonly Passkey[],
): Promise<Passkey | undefined> {
  const passkey = known.find(({ id }) => id === (response as { id?: unknown } | undefined)?.id);
  if (!passkey) return undefined;
  const { id, counter } = passkey;
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64url'));
  const verified = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: { id, publicKey, counter },
    requireUserVerification: false,
  }).catch(() => undefined);
  return verified?.verified ? { ...passkey, counter: verified.authenticationInfo.newCounter } : undefined;
}

function credentialOf({ id, transports }: Passkey) {
  return { id, transports: transports as Transports | undefined };
}

/** As an SVG element. */
export function qrCode(text: string): string {
  return renderSVG(text, { border: 2 });
}
