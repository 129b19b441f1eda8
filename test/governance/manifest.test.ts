/** Canonical JSON, digests and signatures, against the examples of their documents. */
import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/governance/digest.ts';
import {
  judgeManifest,
  manifestDigest,
  manifestOf,
  manifestState,
  parsePrivateKey,
  privateKeyOf,
  signedText,
  signManifest,
} from '../../src/governance/manifest.ts';
import { parsePublicKey, publicKeyOf } from '../../src/shared/public-keys.ts';
import { serverOf } from './kit.ts';

describe('canonical JSON (RFC 8785)', () => {
  test('the example of 3.2.2 and 3.2.3', () => {
    const given = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(given)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('keys are in order of their UTF-16 units', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    const written = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(written))).toEqual([
      '1', // Objects list whole numbers first; the text does not.
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\u{1f600}',
      '\ufb33',
    ]);
    expect(written.startsWith('{"\\r":0,"1":0,')).toBe(true);
  });

  test('any JSON comes back, and its spelling does not matter', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
        expect(canonicalJson(JSON.parse(JSON.stringify(plain, null, 2)))).toBe(canonicalJson(plain));
      }),
    );
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800'], [{ '\udfff': 1 }], [1n]])(
    '%s is refused',
    (value) => {
      expect(() => canonicalJson(value)).toThrow('This is not JSON');
    },
  );
});

describe('Ed25519 (RFC 8032, 7.1)', () => {
  test.each([
    [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
  ])('with the seed %s', (seed, publicKey, message, signature) => {
    const text = Buffer.from(message, 'hex');
    const made = sign(null, text, privateKeyOf(Buffer.from(seed, 'hex')));
    expect(made.toString('hex')).toBe(signature);
    expect(verify(null, text, publicKeyOf(Buffer.from(publicKey, 'hex')), made)).toBe(true);
  });
});

const SEED = Buffer.alloc(32, 7);
const PUBLIC = Buffer.from(parsePrivateKey(SEED).export({ format: 'jwk' }).x ?? '', 'base64url');
const KEYS = { me: `ed25519:${PUBLIC.toString('base64')}` };
const SERVER = {
  command: 'uvx',
  args: ['example-mcp-server'],
  env: { B: 'secret', A: 'other' },
  sandbox_profile: 'restricted',
};

function signed(settings: Record<string, unknown> = {}, changed: Record<string, unknown> = {}) {
  const { digest, signature } = signManifest(serverOf({ ...SERVER, ...settings }), SEED, 'me');
  return serverOf({
    ...SERVER,
    ...settings,
    manifest_digest: digest,
    manifest_signature: signature,
    ...changed,
  });
}

describe('manifests', () => {
  test('hold how a server is started and no secret', () => {
    expect(canonicalJson(manifestOf(serverOf(SERVER)))).toBe(
      '{"args":["example-mcp-server"],"command":"uvx","env_keys":["A","B"],"name":"example","sandbox_profile":"restricted","transport":"stdio","version":1}',
    );
  });

  test('have a digest that any tool can compute', () => {
    const text =
      '{"args":["example-mcp-server"],"command":"uvx","env_keys":["A","B"],"name":"example","sandbox_profile":"restricted","transport":"stdio","version":1}';
    const expected = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(manifestDigest(serverOf(SERVER))).toBe(expected);
  });

  test('are verified with the key that signed them', () => {
    expect(manifestState(signed(), KEYS)).toBe('verified');
    expect(manifestState(signed({}, { env: { A: 'new secret', B: 'x' } }), KEYS)).toBe('verified');
  });

  test.each([
    ['another argument', { args: ['other'] }],
    ['another command', { command: 'npx' }],
    ['a further variable', { env: { A: 'x', B: 'x', C: 'x' } }],
    ['another sandbox', { sandbox_profile: 'network' }],
    ['another name', { name: 'other' }],
  ])('%s is a mismatch', (_, changed) => {
    expect(manifestState(signed({}, changed), KEYS)).toBe('mismatch');
  });

  test('without keys only the form counts', () => {
    expect(manifestState(signed({}, { manifest_signature: 'review-system-signature' }), {})).toBe(
      'unverified',
    );
    expect(manifestState(signed({}, { manifest_digest: 'sha256:xyz' }), {})).toBe('malformed');
    expect(manifestState(serverOf(SERVER), {})).toBe('missing');
  });

  test('a signature of something else, by another key or in no form', () => {
    const [, base64 = ''] = signed().manifestSignature?.split(':') ?? [];
    const bytes = Buffer.from(base64, 'base64');
    bytes[3] = (bytes[3] ?? 0) ^ 1;
    const state = (signature: string) => manifestState(signed({}, { manifest_signature: signature }), KEYS);
    expect(state(`me:${bytes.toString('base64')}`)).toBe('signature_invalid');
    expect(state(`you:${base64}`)).toBe('key_unknown');
    expect(state(`constructor:${base64}`)).toBe('key_unknown');
    expect(state('review-system-signature')).toBe('malformed');
    expect(state(`me:${base64.slice(0, -3)}`)).toBe('malformed');
    expect(manifestState(signed(), { me: 'ed25519:AAAA' })).toBe('key_unknown');
    const undomained = sign(null, Buffer.from(signed().manifestDigest ?? ''), privateKeyOf(SEED));
    expect(state(`me:${undomained.toString('base64')}`)).toBe('signature_invalid');
  });

  test.each([
    ['missing', serverOf(SERVER), 'manifest_missing'],
    ['malformed', signed({}, { manifest_digest: 'x' }), 'manifest_malformed'],
    ['mismatch', signed({}, { command: 'npx' }), 'manifest_mismatch'],
    [
      'invalid',
      signed({}, { manifest_signature: `me:${Buffer.alloc(64).toString('base64')}` }),
      'signature_invalid',
    ],
    [
      'unknown',
      signed({}, { manifest_signature: `x:${Buffer.alloc(64).toString('base64')}` }),
      'key_unknown',
    ],
  ])('%s is a reason not to start', (_, server, code) => {
    expect(judgeManifest(server, KEYS).map((rejection) => rejection.code)).toEqual([code]);
  });
});

describe('private keys', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  const same = (key: KeyObject) => expect(key.equals(privateKey)).toBe(true);

  test('are PEM, raw or base64', () => {
    same(parsePrivateKey(pem));
    same(parsePrivateKey(seed));
    same(parsePrivateKey(Buffer.from(`${seed.toString('base64')}\n`)));
    same(parsePrivateKey(Buffer.from(`ed25519:${seed.toString('base64')}\n`)));
  });

  test('and nothing else, without a word of what was read', () => {
    const { privateKey: rsa } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const wrong = [Buffer.from('secret text'), rsa.export({ format: 'pem', type: 'pkcs8' }), ''];
    for (const content of wrong)
      expect(() => parsePrivateKey(Buffer.from(content))).toThrow(/^Not a private Ed25519 key$/);
    expect(() => signManifest(serverOf(SERVER), seed, 'a:b')).toThrow('Not an id of a key');
  });
});

/** Files as minisign writes them, by its documented format. */
describe('minisign', () => {
  const KEY_ID = Buffer.from('0102030405060708', 'hex');
  const line = (...parts: Uint8Array[]) => Buffer.concat(parts).toString('base64');
  const publicLine = line(Buffer.from('Ed'), KEY_ID, PUBLIC);
  const keys = { me: publicLine };
  const digest = manifestDigest(serverOf(SERVER));

  function file(algorithm: 'Ed' | 'ED', { trusted = 'timestamp:1', id = KEY_ID } = {}) {
    const comment = 'timestamp:1';
    const text = signedText(digest);
    const message = algorithm === 'ED' ? createHash('blake2b512').update(text).digest() : text;
    const signature = sign(null, message, privateKeyOf(SEED));
    const global = sign(null, Buffer.concat([signature, Buffer.from(comment)]), privateKeyOf(SEED));
    return [
      'untrusted comment: signature from a secret key',
      line(Buffer.from(algorithm), id, signature),
      `trusted comment: ${trusted}`,
      global.toString('base64'),
      '',
    ].join('\n');
  }
  const state = (signature: string, known: Record<string, string> = keys) =>
    manifestState(signed({}, { manifest_signature: signature }), known);

  test('the public key, as a line or as a file', () => {
    expect(parsePublicKey(publicLine)?.minisignId).toBe('0102030405060708');
    expect(parsePublicKey(`untrusted comment: minisign public key\n${publicLine}\n`)).toBeDefined();
    expect(parsePublicKey(line(Buffer.from('XX'), KEY_ID, PUBLIC))).toBeUndefined();
    expect(parsePublicKey(publicLine.slice(4))).toBeUndefined();
  });

  test.each(['Ed', 'ED'] as const)('a file of the kind %s', (kind) => {
    expect(state(file(kind))).toBe('verified');
    expect(state(file(kind).split('\n').slice(0, 2).join('\n'))).toBe('verified');
    expect(state(`me:${file(kind).split('\n')[1]}`)).toBe('verified');
  });

  test('the other kind of hash is another signature', () => {
    const swapped = Buffer.from(file('ED').split('\n')[1] ?? '', 'base64');
    swapped.write('Ed', 'latin1');
    expect(state(`me:${swapped.toString('base64')}`)).toBe('signature_invalid');
  });

  test('a changed trusted comment, another key, half a file', () => {
    expect(state(file('ED', { trusted: 'timestamp:2' }))).toBe('signature_invalid');
    expect(state(file('ED', { id: Buffer.alloc(8) }))).toBe('key_unknown');
    expect(state(file('ED'), KEYS)).toBe('key_unknown');
    expect(state(file('ED').split('\n').slice(0, 3).join('\n'))).toBe('malformed');
    expect(state('untrusted comment: x')).toBe('malformed');
  });
});
