/** Keys, signatures and what they bind, by the commands as a user types them. */
import { chmod, chown, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { signManifest } from '../../src/governance/manifest.ts';
import { manifestV1Of } from '../../src/governance/manifest-content.ts';
import { setInConfig } from '../../src/governance/set-in-config.ts';
import { keyPair, type Place, place } from '../governance/looks-kit.ts';
import { PROJECT, testServer } from '../governance/sandbox-kit.ts';
import { putFile } from '../kit/temp.ts';

const KEYS = '.config/quire/keys';

/** A configuration as people write it, with a comment beside everything. */
const YAML = (folder: string) => `# my servers
notebooks:
  personal: { folder: ./notes }
control_plane: # governed
  mcp_sandbox: { backend: process, policy: warn } # no sandbox in this test
  mcp_servers:
    - name: app # the app
      transport: stdio
      command: node
      args: [${folder}/app/server.mjs]
      env: { MODE: plain, TOKEN: "\${env:APP_TOKEN}" }
      stdio_allowed_commands: [node]
      sandbox_profile: restricted
      sandbox_cwd: ./work
      sandbox_read: [${PROJECT}]
      client_consent: approved
      trust: reviewed
# the end
`;

interface Signed extends Place {
  readonly yaml: () => Promise<string>;
  edit(from: string | RegExp, to: string): Promise<void>;
  row(): Promise<{ status: string; code: string | null; reason: string | null }>;
}

async function app(): Promise<Signed> {
  const at = await place();
  await putFile(at.folder, 'app/server.mjs', `import ${JSON.stringify(testServer('library.mjs'))};\n`);
  await chmod(join(at.folder, 'app'), 0o755);
  await putFile(at.folder, 'quire.yaml', YAML(at.folder));
  const run: Place['run'] = (words, environment = {}) => at.run(words, { APP_TOKEN: 'one', ...environment });
  const yaml = () => readFile(join(at.folder, 'quire.yaml'), 'utf8');
  return {
    ...at,
    run,
    yaml,
    edit: async (from, to) => putFile(at.folder, 'quire.yaml', (await yaml()).replace(from, to)),
    row: async () => JSON.parse((await run(['servers', '--json'])).stdout).data.servers[0],
  };
}

async function signedApp(): Promise<Signed> {
  const at = await app();
  for (const words of [
    ['keygen', '--write'],
    ['manifest', 'app', '--sign', '--write'],
  ]) {
    const { code, stderr } = await at.run(words);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  }
  return at;
}

describe('a server that is signed with two commands', () => {
  it('is verified and runs, and every other byte of the file is as it was', async () => {
    const at = await signedApp();
    expect(await at.row()).toMatchObject({ status: 'ready', code: null });
    expect((await at.run(['discover', 'app'])).code).toBe(0);
    const doctor = JSON.parse((await at.run(['doctor', 'app', '--json'])).stdout).data.checks;
    expect(doctor).toContainEqual(
      expect.objectContaining({ check: 'manifest', status: 'ok', detail: 'signed by a known key' }),
    );
    const written = await at.yaml();
    const added = /^ {2}mcp_manifest_keys:\n {4}alex: .*\n|^ {6}manifest_(?:digest|signature): .*\n/gm;
    expect(written.match(added)).toHaveLength(3);
    expect(written.replace(added, '')).toBe(YAML(at.folder));
  });

  it.each<[string, (at: Signed) => Promise<void>, string]>([
    ['more to read', (at) => at.edit(/sandbox_read: .*/, 'sandbox_read: [/]'), 'sandbox_read'],
    ['another folder', (at) => at.edit('sandbox_cwd: ./work', 'sandbox_cwd: /'), 'sandbox_cwd'],
    ['another profile', (at) => at.edit('profile: restricted', 'profile: network'), 'sandbox_profile'],
    ['another literal', (at) => at.edit('MODE: plain', 'MODE: other'), 'the variable MODE'],
    ['a literal for a reference', (at) => at.edit(`"\${env:APP_TOKEN}"`, 'x'), 'the variable TOKEN'],
    ['a further argument', (at) => at.edit('server.mjs]', 'server.mjs, --x]'), 'args'],
    ['another script', (at) => putFile(at.folder, 'app/server.mjs', '// evil\n'), 'the file server.mjs'],
    ['a script that is gone', (at) => rm(join(at.folder, 'app/server.mjs')), 'the file server.mjs'],
  ])('is not started after a change: %s', async (_, change, named) => {
    const at = await signedApp();
    await change(at);
    expect(await at.row()).toMatchObject({
      status: 'blocked',
      code: 'manifest_mismatch',
      reason: expect.stringContaining(
        `since it was signed, ${named} changed. Review it, then run quire mcp manifest app`,
      ),
    });
  });

  it('is neither listed nor called nor given points after a change', async () => {
    const at = await signedApp();
    await at.edit(/sandbox_read: .*/, 'sandbox_read: [/]');
    for (const words of [
      ['discover', 'app'],
      ['call', 'app', 'get_book'],
    ])
      expect(await at.run(words)).toMatchObject({
        code: 11,
        stderr: expect.stringContaining('manifest_mismatch'),
      });
    const { stdout } = await at.run(['score', 'app', '--json']);
    expect(JSON.parse(stdout).data.servers[0]).toMatchObject({ grade: 'F' });
  });

  it('stays so with another secret, and is right again when it is signed anew', async () => {
    const at = await signedApp();
    const renewed = await at.run(['discover', 'app'], { APP_TOKEN: 'two' });
    expect(renewed.code).toBe(0);
    await at.edit('MODE: plain', 'MODE: other');
    expect(await at.row()).toMatchObject({ status: 'blocked' });
    expect((await at.run(['manifest', 'app', '--sign', '--write'])).code).toBe(0);
    expect(await at.row()).toMatchObject({ status: 'ready', code: 'definition_pending' });
  });

  it('is not started again in a process that has checked it before the script changed', async () => {
    const at = await signedApp();
    const plane = await at.plane({ APP_TOKEN: 'one' });
    const server = plane.server('app');
    await (await plane.upstream(server)).connect();
    await plane.stop('app');
    await putFile(at.folder, 'app/server.mjs', '// evil\n');
    await expect((await plane.upstream(server)).connect()).rejects.toMatchObject({
      reason: 'manifest_mismatch',
      hint: expect.stringContaining('the file server.mjs changed'),
    });
  });
});

it('a signature of version 1 still counts, and everything says what it does not cover', async () => {
  const at = await signedApp();
  const plane = await at.plane({ APP_TOKEN: 'one' });
  const key = await readFile(join(at.folder, KEYS, 'alex.pem'));
  const { digest, signature } = signManifest(manifestV1Of(plane.server('app')), key, 'alex');
  await at.edit(/manifest_digest: .*/, `manifest_digest: ${digest}`);
  await at.edit(/manifest_signature: .*/, `manifest_signature: "${signature}"`);
  await at.edit('MODE: plain', 'MODE: other');
  const again = /does not cover the files.*quire mcp manifest/;
  expect(await at.row()).toMatchObject({
    status: 'ready',
    code: 'manifest_v1',
    reason: expect.stringMatching(again),
  });
  expect((await at.run(['discover', 'app'])).code).toBe(0);
  const { stdout } = await at.run(['score', 'app', '--json']);
  expect(JSON.parse(stdout).data.servers[0]).toMatchObject({ grade: 'C', cap: expect.stringMatching(again) });
  const { checks } = JSON.parse((await at.run(['doctor', 'app', '--json'])).stdout).data;
  expect(checks).toContainEqual(
    expect.objectContaining({
      check: 'manifest',
      status: 'warn',
      detail: expect.stringContaining('does not cover'),
      fix: 'quire mcp manifest app --sign --write',
    }),
  );
  expect((await at.run(['report'])).stdout).toContain('signed as v1');
});

describe('quire mcp keygen', () => {
  it('makes a key for its owner alone, and prints the line of the configuration', async () => {
    const at = await app();
    const { code, stdout } = await at.run(['keygen', '--id', 'team']);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/mcp_manifest_keys:\n {2}team: "ed25519:[A-Za-z0-9+/]{43}="\n$/),
    });
    const modeOf = async (path: string) => (await stat(join(at.folder, path))).mode & 0o777;
    expect(await modeOf(`${KEYS}/team.pem`)).toBe(0o600);
    expect(await modeOf(KEYS)).toBe(0o700);
    expect(await at.yaml()).toBe(YAML(at.folder));
  });

  it('needs no configuration, and follows XDG_CONFIG_HOME', async () => {
    const at = await app();
    await rm(join(at.folder, 'quire.yaml'));
    const environment = { XDG_CONFIG_HOME: join(at.folder, 'conf') };
    expect((await at.run(['keygen'], environment)).code).toBe(0);
    expect(await readdir(join(at.folder, 'conf/quire/keys'))).toEqual(['alex.pem']);
    expect(await at.run(['keygen', '--id', 'b', '--write'], environment)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No configuration file'),
    });
  });

  it('never replaces a key, neither the file nor the line', async () => {
    const at = await signedApp();
    const before = await readFile(join(at.folder, KEYS, 'alex.pem'), 'utf8');
    for (const words of [['keygen'], ['keygen', '--write'], ['keygen', '--id', 'alex', '--write']])
      expect((await at.run(words)).stderr).toContain('already');
    await rm(join(at.folder, KEYS, 'alex.pem'));
    expect((await at.run(['keygen', '--write'])).stderr).toContain('mcp_manifest_keys has a key of this id');
    await writeFile(join(at.folder, KEYS, 'alex.pem'), before, { mode: 0o600 });
    expect(await at.row()).toMatchObject({ status: 'ready' });
  });

  it('says which servers are to be signed from now on, and which reach the keys', async () => {
    const at = await app();
    await at.edit(/sandbox_read: .*/, `sandbox_read: [${at.folder}]`);
    const { stderr } = await at.run(['keygen', '--write']);
    expect(stderr).toContain('quire mcp manifest app --sign --write');
    expect(stderr).toContain('The sandbox of app names a folder that holds the keys');
    expect(await at.row()).toMatchObject({ status: 'blocked', code: 'manifest_missing' });
  });

  it.each([
    ['an id that is none', ['keygen', '--id', '../x'], 2, 'Not an id of a key'],
    ['keys in the state folder', ['keygen'], 2, 'state folder'],
  ])('refuses %s', async (_, words, exit, says) => {
    const at = await app();
    if (says === 'state folder')
      await at.edit('control_plane:', 'state_dir: ./.config/quire\ncontrol_plane:');
    expect(await at.run(words)).toMatchObject({ code: exit, stderr: expect.stringContaining(says) });
  });
});

describe('quire mcp manifest --sign', () => {
  it.each([
    ['without a key', [], ['manifest', 'app', '--sign'], 4, 'quire mcp keygen --write'],
    ['with several keys', ['a', 'b'], ['manifest', 'app', '--sign'], 2, 'There are several keys: a, b'],
    [
      'with a key that is not there',
      ['a'],
      ['manifest', 'app', '--sign', '--key', 'b'],
      4,
      'no key to sign with',
    ],
    ['with --write alone', ['a'], ['manifest', 'app', '--write'], 2, '--write need --sign'],
  ])('%s says what to do', async (_, ids, words, exit, says) => {
    const at = await app();
    for (const id of ids) await at.run(['keygen', '--id', id]);
    expect(await at.run(words)).toMatchObject({ code: exit, stderr: expect.stringContaining(says) });
  });

  it('takes the one of several keys that the configuration knows', async () => {
    const at = await signedApp();
    await at.run(['keygen', '--id', 'second']);
    expect((await at.run(['manifest', 'app', '--sign'])).stdout).toContain('manifest_signature: "alex:');
  });

  it('refuses a key that others may read, and one that is not the configured one', async () => {
    const at = await signedApp();
    await chmod(join(at.folder, KEYS, 'alex.pem'), 0o640);
    expect(await at.run(['manifest', 'app', '--sign'])).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('chmod 600'),
    });
    await chmod(join(at.folder, KEYS, 'alex.pem'), 0o600);
    await writeFile(join(at.folder, 'other.pem'), keyPair().privatePem);
    expect(await at.run(['manifest', 'app', '--sign', 'other.pem', '--key', 'alex'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('another key under this id'),
    });
  });
});

describe('a script behind an interpreter', () => {
  test.each([
    ['the script', 'app/server.mjs', 0o646],
    ['its folder', 'app', 0o757],
  ])('is refused when everybody may write %s', async (_, path, mode) => {
    const at = await app();
    await at.edit(
      'client_consent',
      `manifest_digest: sha256:${'a'.repeat(64)}\n      manifest_signature: x\n      client_consent`,
    );
    expect(await at.row()).toMatchObject({ status: 'ready' });
    await chmod(join(at.folder, path), mode);
    expect(await at.row()).toMatchObject({
      status: 'blocked',
      code: 'command_world_writable',
      reason: expect.stringContaining('server.mjs'),
    });
  });

  test.runIf(process.getuid?.() === 0)('of another user or group is a warning of doctor', async () => {
    const at = await signedApp();
    const check = async () => {
      const { checks } = JSON.parse((await at.run(['doctor', 'app', '--json'])).stdout).data;
      return checks.find((one: { check: string }) => one.check === 'command.writable');
    };
    expect(await check()).toMatchObject({ status: 'ok' });
    await chown(join(at.folder, 'app/server.mjs'), 12_345, 0);
    expect(await check()).toMatchObject({ status: 'warn', detail: expect.stringContaining('another user') });
    await chown(join(at.folder, 'app/server.mjs'), 0, 12_345);
    await chmod(join(at.folder, 'app/server.mjs'), 0o664);
    expect(await check()).toMatchObject({ status: 'warn', detail: expect.stringContaining('group') });
  });
});

describe('values in a configuration file', () => {
  test.each([
    ['an empty file', '', ['a', 'b'], 'a:\n  b: new\n'],
    ['a missing mapping', 'x: 1\n', ['a', 'b'], 'x: 1\na:\n  b: new\n'],
    ['an empty mapping', 'a: {}\nx: 1\n', ['a', 'b'], 'a:\n  b: new\nx: 1\n'],
    ['a key without a value', 'a:\nx: 1\n', ['a', 'b'], 'a:\n  b: new\nx: 1\n'],
    ['a further key', 'a:\n  c: 1 # one\n', ['a', 'b'], 'a:\n  c: 1 # one\n  b: new\n'],
    ['a value that is there', 'a: { b: "old" } # c\n', ['a', 'b'], 'a: { b: "new" } # c\n'],
    ['an entry of a list', 'a:\n  - c: 1\n  - d: 2\n', ['a', 1, 'b'], 'a:\n  - c: 1\n  - d: 2\n    b: new\n'],
    ['an entry in braces', 'a:\n  - { c: 1 } # d\n', ['a', 0, 'b'], 'a:\n  - { c: 1, b: new } # d\n'],
    ['lines of Windows', 'a:\r\n  c: 1\r\n', ['a', 'b'], 'a:\r\n  c: 1\r\n  b: new\r\n'],
  ])('%s', async (_, before, path, after) => {
    expect(await setInConfig(before, path, 'new')).toBe(after);
  });

  test('what is no mapping is left alone', async () => {
    await expect(setInConfig('a: [1]\n', ['a', 'b'], 'new')).rejects.toThrow('cannot be written');
    await expect(setInConfig('a: [\n', ['a', 'b'], 'new')).rejects.toThrow('not valid YAML');
  });
});
