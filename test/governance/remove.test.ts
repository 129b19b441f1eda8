/** `quire mcp remove`: a server leaves the configuration and loses all that it was given; what it kept stays until a purge. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';
import { withoutServer } from '../../src/governance/marketplace/remove-server.ts';
import { fileText, putFile } from '../kit/temp.ts';
import { OPERATOR, type PlaneFolder, planeFolder, shop } from './plane-kit.ts';

describe('the configuration without a server', () => {
  const two = [
    '# mine',
    'control_plane:',
    '  mcp_servers: # all of them',
    '    # the first',
    '    - name: one',
    '      transport: stdio # here',
    '      env:',
    '        TEXT: |',
    '          a',
    '    # the second',
    '    - { name: two, transport: stdio,',
    '        command: x } # there',
    '  mcp_limits: {}',
    '',
  ].join('\n');

  it.each([
    ['one', two.split('\n').toSpliced(4, 5).join('\n')],
    ['two', two.split('\n').toSpliced(10, 2).join('\n')],
  ])('%s: only its lines go, and every other comment stays', async (name, expected) => {
    expect(await withoutServer(two, name)).toMatchObject({ text: expected, entry: { name } });
  });

  it.each([
    ['the only one', 'mcp_servers:\n  - name: one\n    url: x\nlog: {}\n', { mcp_servers: [], log: {} }],
    [
      'one in brackets',
      '# kept\nmcp_servers: [{ name: one }, { name: b }]\n',
      { mcp_servers: [{ name: 'b' }] },
    ],
    ['a dash alone', 'mcp_servers:\n  -\n    name: one\n  - name: b\n', { mcp_servers: [{ name: 'b' }] }],
    ['the end without a line end', 'mcp_servers:\n- name: b\n- name: one', { mcp_servers: [{ name: 'b' }] }],
    ['lines of Windows', 'mcp_servers:\r\n- name: one\r\n- name: b\r\n', { mcp_servers: [{ name: 'b' }] }],
  ])('%s', async (_, text, expected) => {
    const { text: after } = await withoutServer(text, 'one');
    expect(parse(after)).toEqual(expected);
    expect(after.includes('# kept')).toBe(text.includes('# kept'));
    expect(after.includes('\r\n')).toBe(text.includes('\r\n'));
  });

  it('is not written where another server refers to the lines, and says so', async () => {
    const text = 'mcp_servers:\n  - &a { name: one, env: &e { A: b } }\n  - { name: b, env: *e }\n';
    await expect(withoutServer(text, 'one')).rejects.toThrow('cannot be taken out');
  });

  it('names the server that was probably meant, and one that stands twice', async () => {
    await expect(withoutServer(two, 'tow')).rejects.toMatchObject({ hint: 'Did you mean two?' });
    await expect(withoutServer(two, 'mail')).rejects.toMatchObject({ hint: 'There are: one, two.' });
    await expect(withoutServer('mcp_servers: [{name: a}, {name: a}]', 'a')).rejects.toThrow('twice');
  });
});

const REQUEST = {
  kind: 'call',
  server: 'shop',
  capability: 'write_note',
  class: 'local_write',
  fingerprint: 'f1',
  policyVersion: 'p1',
  requestedBy: 'agent',
  session: 's1',
} as const;
const STATE = '.quire/plane';

/** A server with one approval given and one asked for, accepted definitions, a log, and data. */
async function used(servers = [shop()]): Promise<PlaneFolder> {
  const plane = await planeFolder(servers);
  const approvals = openApprovals({ folder: join(plane.folder, STATE) });
  const ids: string[] = [];
  for (const path of ['a', 'b']) {
    const claim = await approvals.claim({ ...REQUEST, args: { path } }, async () => undefined);
    ids.push(claim.approval.id);
  }
  await approvals.approve(ids[0] ?? '', { by: 'somebody' });
  const pins = JSON.stringify({ version: 1, servers: { shop: { pins: {} } } });
  const seen = JSON.stringify({ version: 1, servers: { shop: { at: 1, entries: [] } } });
  await putFile(plane.folder, `${STATE}/pins.json`, pins);
  await putFile(plane.folder, `${STATE}/last-seen.json`, seen);
  await putFile(plane.folder, `${STATE}/shop.log`, 'said\n');
  await putFile(plane.folder, '.quire/servers/shop/data/kept.json', '{}');
  return plane;
}

const configOf = async ({ folder }: PlaneFolder) => parse(await fileText(folder, 'quire.yaml'));

describe('quire mcp remove', () => {
  it('takes the server, its approvals and its pins away, and says what stays', async () => {
    const plane = await used([shop(), shop({ name: 'other' })]);
    const piped = await plane.runAs({}, 'remove', 'shop');
    expect(piped).toMatchObject({ code: 11, stderr: expect.stringContaining('keygen') });
    const done = await plane.run('remove', 'shop');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('shop is no longer in') });
    for (const left of ['servers/shop', 'shop.log', 'audit', '--purge']) expect(done.stdout).toContain(left);
    expect((await configOf(plane)).control_plane.mcp_servers).toMatchObject([{ name: 'other' }]);
    for (const file of ['pins.json', 'last-seen.json'])
      expect(JSON.parse(await fileText(plane.folder, `${STATE}/${file}`)).servers).toEqual({});
    const approvals = JSON.parse((await plane.run('approvals', '--json')).stdout).data.approvals;
    expect(approvals.map(({ state }: { state: string }) => state).sort()).toEqual(['denied', 'revoked']);
    expect(existsSync(join(plane.folder, '.quire/servers/shop/data/kept.json'))).toBe(true);
    const told = (await plane.audit()).slice(-4);
    expect(told).toMatchObject([
      { event: 'switched', server: 'shop', outcome: 'off' },
      { event: 'removed', server: 'shop', by: OPERATOR, via: 'automation', key: 'tests' },
      { event: 'answered' },
      { event: 'answered' },
    ]);
    // The command itself is the record: the next process finds nothing that changed behind its back.
    await plane.run('disable', 'other');
    expect((await plane.audit()).filter(({ event }) => event === 'policy_changed')).toEqual([]);
    expect((await plane.run('remove', 'shop')).code).toBe(4);
  });

  it('deletes what it kept only with --purge, after a second question that shows the places', async () => {
    const plane = await used();
    const no = await plane.answer(['y', 'n'], 'remove', 'shop', '--purge');
    expect(no).toMatchObject({ code: 12, stderr: expect.stringContaining('nothing was changed') });
    expect((await configOf(plane)).control_plane.mcp_servers).toHaveLength(1);
    const yes = await plane.answer(['y', 'y'], 'remove', 'shop', '--purge');
    expect(yes).toMatchObject({ code: 0, stderr: expect.stringContaining('.quire/servers/shop') });
    expect(existsSync(join(plane.folder, '.quire/servers/shop'))).toBe(false);
    expect(existsSync(join(plane.folder, STATE, 'shop.log'))).toBe(false);
    // A folder that the person gave it is not ours to delete.
    expect(existsSync(join(plane.folder, 'work'))).toBe(true);
    expect((await plane.audit()).find(({ event }) => event === 'removed')).toMatchObject({
      event: 'removed',
      via: 'terminal',
      isPurged: true,
    });
  });

  it('deletes what a server kept that was removed before', async () => {
    const plane = await used();
    expect(await plane.answer(['n'], 'remove', 'shop')).toMatchObject({ code: 12 });
    expect(await plane.answer(['y'], 'remove', 'shop')).toMatchObject({ code: 0 });
    const purged = await plane.answer(['y'], 'remove', 'shop', '--purge');
    expect(purged).toMatchObject({ code: 0, stdout: expect.stringContaining('Deleted: ') });
    expect(existsSync(join(plane.folder, '.quire/servers/shop'))).toBe(false);
    expect((await plane.answer(['y'], 'remove', 'shop', '--purge')).code).toBe(4);
  });

  it.each([
    ['disabled', { enabled: false }],
    ['without a valid manifest', { manifest_digest: 'nonsense', manifest_signature: 'nonsense' }],
    ['whose entry is wrong', { transport: 'pigeon', surprise: 1 }],
  ])('one that is %s', async (_, settings) => {
    const plane = await planeFolder([shop(settings), shop({ name: 'other' })]);
    expect(await plane.run('remove', 'shop')).toMatchObject({ code: 0 });
    expect((await configOf(plane)).control_plane.mcp_servers).toHaveLength(1);
  });

  it('is refused while a rule names the server, and the rule is named', async () => {
    const plane = await planeFolder([shop()], { mcp_policy: [{ effect: 'deny', servers: ['shop'] }] });
    const before = await fileText(plane.folder, 'quire.yaml');
    const { code, stderr } = await plane.run('remove', 'shop');
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('mcp_policy[0].servers[0]'),
    });
    expect(stderr).toContain('Nothing was changed');
    expect(await fileText(plane.folder, 'quire.yaml')).toBe(before);
  });

  it('keeps the folder of a name that another server uses, also with --purge', async () => {
    const plane = await used([shop(), shop({ name: 'other', sandbox_read: ['.quire/servers/shop/data'] })]);
    const { stdout } = await plane.run('remove', 'shop', '--purge');
    expect(stdout).toContain('other uses it');
    expect(existsSync(join(plane.folder, '.quire/servers/shop/data/kept.json'))).toBe(true);
  });
});
