/** Canonical JSON, digests and signatures, against the examples of their documents. */
import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { rm, symlink } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UpstreamServer } from '../../src/config/control-plane.ts';
import { canonicalJson } from '../../src/governance/digest.ts';
import {
  judgeManifest,
  parsePrivateKey,
  privateKeyOf,
  signedText,
  signManifest,
  verifyManifest,
} from '../../src/governance/manifest.ts';
import {
  changedParts,
  digestOfManifest,
  manifestV1Of,
  manifestV2Of,
} from '../../src/governance/manifest-content.ts';
import { parsePublicKey, publicKeyOf } from '../../src/shared/public-keys.ts';
import { temporaryFolder } from '../kit/temp.ts';
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

const FILES = [{ path: '/srv/app/server.js', sha256: `sha256:${'1'.repeat(64)}` }];

async function manifestOf(server: UpstreamServer, version: 1 | 2, files = FILES) {
  return version === 1 ? manifestV1Of(server) : manifestV2Of(server, files);
}

/** Signed as `settings` say, and then changed. */
async function signed(version: 1 | 2, changed: Record<string, unknown> = {}) {
  const { digest, signature } = signManifest(await manifestOf(serverOf(SERVER), version), SEED, 'me');
  return serverOf({ ...SERVER, manifest_digest: digest, manifest_signature: signature, ...changed });
}

/** The record of what was signed is there. */
async function verdictOf(server: UpstreamServer, keys: Record<string, string> = KEYS, files = FILES) {
  return verifyManifest(server, keys, {
    present: () => manifestV2Of(server, files),
    signed: async (digest) => {
      const known = await manifestV2Of(serverOf(SERVER), FILES);
      return digestOfManifest(known) === digest ? known : undefined;
    },
  });
}

const V1_TEXT =
  '{"args":["example-mcp-server"],"command":"uvx","env_keys":["A","B"],"name":"example","sandbox_profile":"restricted","transport":"stdio","version":1}';

describe.each([1, 2] as const)('manifests of version %d', (version) => {
  const good = version === 1 ? 'verified_v1' : 'verified';
  const state = async (changed: Record<string, unknown>, keys = KEYS) =>
    (await verdictOf(await signed(version, changed), keys)).state;

  test('are verified with the key that signed them', async () => {
    expect(await state({})).toBe(good);
  });

  test.each([
    ['another argument', { args: ['other'] }],
    ['another command', { command: 'npx' }],
    ['a further variable', { env: { ...SERVER.env, C: 'x' } }],
    ['another sandbox', { sandbox_profile: 'network' }],
    ['another name', { name: 'other' }],
  ])('%s is a mismatch', async (_, changed) => {
    expect(await state(changed)).toBe('mismatch');
  });

  test('without keys only the form counts', async () => {
    expect(await state({ manifest_signature: 'review-system-signature' }, {} as never)).toBe('unverified');
    expect(await state({ manifest_digest: 'sha256:xyz' }, {} as never)).toBe('malformed');
    expect((await verdictOf(serverOf(SERVER), {})).state).toBe('missing');
  });

  test('a signature of something else, by another key or in no form', async () => {
    const { manifestSignature = '', manifestDigest = '' } = await signed(version);
    const [, base64 = ''] = manifestSignature.split(':');
    const bytes = Buffer.from(base64, 'base64');
    bytes[3] = (bytes[3] ?? 0) ^ 1;
    const by = (signature: string) => state({ manifest_signature: signature });
    expect(await by(`me:${bytes.toString('base64')}`)).toBe('signature_invalid');
    expect(await by(`you:${base64}`)).toBe('key_unknown');
    expect(await by(`constructor:${base64}`)).toBe('key_unknown');
    expect(await by('review-system-signature')).toBe('malformed');
    expect(await by(`me:${base64.slice(0, -3)}`)).toBe('malformed');
    expect(await state({}, { me: 'ed25519:AAAA' })).toBe('key_unknown');
    const undomained = sign(null, Buffer.from(manifestDigest), privateKeyOf(SEED));
    expect(await by(`me:${undomained.toString('base64')}`)).toBe('signature_invalid');
    const otherVersion = sign(null, signedText(manifestDigest, version === 1 ? 2 : 1), privateKeyOf(SEED));
    expect(await by(`me:${otherVersion.toString('base64')}`)).toBe('signature_invalid');
  });

  test.each([
    ['missing', { manifest_digest: undefined }, 'manifest_missing'],
    ['malformed', { manifest_digest: 'x' }, 'manifest_malformed'],
    ['mismatch', { command: 'npx' }, 'manifest_mismatch'],
    ['invalid', { manifest_signature: `me:${Buffer.alloc(64).toString('base64')}` }, 'signature_invalid'],
    ['unknown', { manifest_signature: `x:${Buffer.alloc(64).toString('base64')}` }, 'key_unknown'],
  ])('%s is a reason not to start', async (_, changed, code) => {
    const { manifest_digest, ...rest } = { manifest_digest: 'kept', ...changed };
    const server = await signed(version, {
      ...rest,
      ...(manifest_digest !== undefined && manifest_digest !== 'kept' && { manifest_digest }),
    });
    const judged = manifest_digest === undefined ? serverOf(SERVER) : server;
    const rejections = judgeManifest(judged, await verdictOf(judged));
    expect(rejections.map((rejection) => rejection.code)).toEqual([code]);
  });
});

describe('version 1', () => {
  test('has a digest that any tool can compute, and no secret', () => {
    expect(canonicalJson(manifestV1Of(serverOf(SERVER)))).toBe(V1_TEXT);
    const expected = `sha256:${createHash('sha256').update(V1_TEXT).digest('hex')}`;
    expect(digestOfManifest(manifestV1Of(serverOf(SERVER)))).toBe(expected);
  });

  test('does not see values of variables, folders or files', async () => {
    const changed = { env: { A: 'new', B: 'x' }, sandbox_read: ['/'], sandbox_cwd: '/' };
    expect((await verdictOf(await signed(1, changed), KEYS, [])).state).toBe('verified_v1');
  });
});

describe('version 2', () => {
  test('holds how a server is started, what it runs and what it reaches, and no value of a variable', async () => {
    const server = serverOf({
      ...SERVER,
      env: { A: 'secret', B: `\${env:KEY}` },
      sandbox_read: ['/nowhere/data'],
    });
    expect(JSON.parse(canonicalJson(await manifestV2Of(server, FILES)))).toEqual({
      version: 2,
      name: 'example',
      transport: 'stdio',
      command: 'uvx',
      args: ['example-mcp-server'],
      env: { A: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), B: `\${env:KEY}` },
      files: FILES,
      sandbox: { profile: 'restricted', read: ['/nowhere/data'], write: [] },
    });
  });

  test.each([
    ['a literal value', { env: { ...SERVER.env, A: 'changed' } }, 'the variable A'],
    ['a literal that becomes a reference', { env: { ...SERVER.env, A: `\${env:A}` } }, 'the variable A'],
    ['paths to read', { sandbox_read: ['/'] }, 'sandbox_read'],
    ['the folder it runs in', { sandbox_cwd: '/' }, 'sandbox_cwd'],
    ['the profile', { sandbox_profile: 'network' }, 'sandbox_profile'],
    ['the arguments', { args: [] }, 'args'],
    ['several', { command: 'npx', sandbox_cwd: '/' }, 'command and sandbox_cwd'],
  ])('%s is a mismatch that is named', async (_, changed, named) => {
    const server = await signed(2, changed);
    const verdict = await verdictOf(server);
    expect(verdict.state).toBe('mismatch');
    expect(judgeManifest(server, verdict)[0]?.reason).toContain(`since it was signed, ${named} changed.`);
  });

  test('another content of a file, another file, or none of it', async () => {
    const server = await signed(2);
    const [file] = FILES;
    const others = [
      [{ path: file?.path ?? '', sha256: `sha256:${'2'.repeat(64)}` }],
      [{ path: '/srv/other/server.js', sha256: file?.sha256 ?? '' }],
      [],
    ];
    for (const files of others) {
      const verdict = await verdictOf(server, KEYS, files);
      expect(verdict.state).toBe('mismatch');
      expect(judgeManifest(server, verdict)[0]?.reason).toContain('the file server.js');
    }
  });

  test('a setting of the sandbox that is added later is covered without a change', async () => {
    const now = serverOf(SERVER);
    const waived = {
      ...now,
      sandboxNetwork: ['api.example.com:443'],
      sandboxWaiver: { by: 'alex', why: 'x', until: '2999-12-31' },
      sandboxMaxMemoryMb: 5,
    } as UpstreamServer;
    const [before, after] = [await manifestV2Of(now, []), await manifestV2Of(waived, [])];
    expect(changedParts(before, after)).toEqual([
      'sandbox_network',
      'sandbox_waiver',
      'sandbox_max_memory_mb',
    ]);
    expect(after.sandbox.waiver).toEqual({ by: 'alex', why: 'x', until: '2999-12-31' });
  });

  test('a link that is turned to another folder is another path', async () => {
    const folder = await temporaryFolder({ 'a/x': '', 'b/x': '' });
    await symlink(`${folder}/a`, `${folder}/link`);
    const server = serverOf({ ...SERVER, sandbox_read: [`${folder}/link`, `${folder}/link/later/on`] });
    const before = await manifestV2Of(server, []);
    expect(before.sandbox.read).toEqual([`${folder}/a`, `${folder}/a/later/on`]);
    await rm(`${folder}/link`);
    await symlink(`${folder}/b`, `${folder}/link`);
    expect(changedParts(before, await manifestV2Of(server, []))).toEqual(['sandbox_read']);
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
    expect(() => signManifest(manifestV1Of(serverOf(SERVER)), seed, 'a:b')).toThrow('Not an id of a key');
  });
});

/** Files as minisign writes them, by its documented format. */
describe('minisign', () => {
  const KEY_ID = Buffer.from('0102030405060708', 'hex');
  const line = (...parts: Uint8Array[]) => Buffer.concat(parts).toString('base64');
  const publicLine = line(Buffer.from('Ed'), KEY_ID, PUBLIC);
  const keys = { me: publicLine };

  /** Reviewers who sign with minisign sign the digest that is printed. */
  const digest = async () => digestOfManifest(await manifestOf(serverOf(SERVER), 2));

  async function file(algorithm: 'Ed' | 'ED', { trusted = 'timestamp:1', id = KEY_ID } = {}) {
    const comment = 'timestamp:1';
    const text = signedText(await digest(), 2);
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
  const state = async (signature: string, known: Record<string, string> = keys) =>
    (await verdictOf(await signed(2, { manifest_signature: signature }), known)).state;

  test('the public key, as a line or as a file', () => {
    expect(parsePublicKey(publicLine)?.minisignId).toBe('0102030405060708');
    expect(parsePublicKey(`untrusted comment: minisign public key\n${publicLine}\n`)).toBeDefined();
    expect(parsePublicKey(line(Buffer.from('XX'), KEY_ID, PUBLIC))).toBeUndefined();
    expect(parsePublicKey(publicLine.slice(4))).toBeUndefined();
  });

  test.each(['Ed', 'ED'] as const)('a file of the kind %s', async (kind) => {
    const text = await file(kind);
    expect(await state(text)).toBe('verified');
    expect(await state(text.split('\n').slice(0, 2).join('\n'))).toBe('verified');
    expect(await state(`me:${text.split('\n')[1]}`)).toBe('verified');
  });

  test('the other kind of hash is another signature', async () => {
    const swapped = Buffer.from((await file('ED')).split('\n')[1] ?? '', 'base64');
    swapped.write('Ed', 'latin1');
    expect(await state(`me:${swapped.toString('base64')}`)).toBe('signature_invalid');
  });

  test('a changed trusted comment, another key, half a file', async () => {
    expect(await state(await file('ED', { trusted: 'timestamp:2' }))).toBe('signature_invalid');
    expect(await state(await file('ED', { id: Buffer.alloc(8) }))).toBe('key_unknown');
    expect(await state(await file('ED'), KEYS)).toBe('key_unknown');
    expect(await state((await file('ED')).split('\n').slice(0, 3).join('\n'))).toBe('malformed');
    expect(await state('untrusted comment: x')).toBe('malformed');
  });
});
