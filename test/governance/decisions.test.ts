/** Decisions of people: who made them and how is in the audit log, and a pipe alone decides nothing. */
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openNotices } from '../../src/governance/audit/noticed.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';
import { planeOf } from './kit.ts';
import { OPERATOR, onTerminal, type PlaneFolder, planeFolder, shop } from './plane-kit.ts';

const UID = process.getuid?.();
const WRITE = ['call', 'shop', 'write_note', '--arg', 'path=a'] as const;

async function pending(plane: PlaneFolder): Promise<string> {
  const { stdout } = await plane.run(...WRITE, '--json');
  return JSON.parse(stdout).error.details.approval;
}

const decisions = async (plane: PlaneFolder) => (await plane.audit()).filter(({ via }) => via !== undefined);

const state = (plane: PlaneFolder, name: string) => join(plane.folder, '.quire/plane', name);

describe('an approval', () => {
  it('is refused in a pipe, also with --yes or a wrong key, and says how', async () => {
    const plane = await planeFolder([shop()]);
    const id = await pending(plane);
    for (const words of [
      ['approvals', 'approve', id],
      [...WRITE, '--yes'],
      ['discover', 'shop', '--accept-baseline'],
      ['enable', 'shop'],
    ]) {
      const { code, stderr } = await plane.runAs({}, ...words);
      expect({ words, code, stderr }).toMatchObject({ code: 11, stderr: expect.stringContaining('keygen') });
    }
    const piped = await plane.start(['approvals', 'approve', id], 'y\n').ended;
    expect(piped).toMatchObject({ code: 11, stderr: expect.stringContaining('a person at a terminal') });
    const wrong = await plane.runAs({ QUIRE_APPROVAL_KEY: 'x'.repeat(40) }, 'approvals', 'approve', id);
    expect(wrong).toMatchObject({ code: 11, stderr: expect.stringContaining('may not approve') });
    expect(await decisions(plane)).toEqual([]);
  });

  it('is given with a key that a program has, by its name', async () => {
    const plane = await planeFolder([shop()], { mcp_approval_keys: {} });
    const made = await plane.runAs({}, 'approvals', 'keygen', 'ci.key', '--name', 'ci');
    const config = await fileText(plane.folder, 'quire.yaml');
    await putFile(plane.folder, 'quire.yaml', config.replace('mcp_approval_keys: {}', made.stdout.trim()));
    const id = JSON.parse((await plane.runAs({}, ...WRITE, '--json')).stdout).error.details.approval;
    const done = await plane.runAs({}, 'approvals', 'approve', id, '--key-file', 'ci.key');
    expect(done).toMatchObject({ code: 0 });
    expect((await decisions(plane)).at(-1)).toMatchObject({
      event: 'answered',
      approval: id,
      outcome: 'approved',
      by: OPERATOR,
      uid: UID,
      via: 'automation',
      key: 'ci',
    });
    expect(JSON.stringify(await plane.audit())).not.toContain(
      (await fileText(plane.folder, 'ci.key')).trim(),
    );
  });

  it('is given on a terminal after a question that shows what would be sent', async () => {
    const plane = await planeFolder([shop()]);
    const id = await pending(plane);
    const no = await onTerminal(plane, ['approvals', 'approve', id], [['[y/N]', 'n\n']]);
    expect(no.code).toBe(12);
    const yes = await onTerminal(plane, ['approvals', 'approve', id], [['[y/N]', 'y\n']]);
    expect(yes.screen).toContain('"path": "a"');
    expect(yes.code).toBe(0);
    expect(await decisions(plane)).toMatchObject([
      { outcome: 'approved', by: OPERATOR, uid: UID, via: 'terminal' },
    ]);
  });
});

it('every decision is in the log with who and how; to take away needs no person', async () => {
  const plane = await planeFolder([shop()]);
  const secret = `ghp_${'a1B2c3'.repeat(6)}`;
  await plane.runAs({}, 'approvals', 'deny', await pending(plane), '--note', `token ${secret}`);
  await plane.runAs({}, 'disable', 'shop');
  await plane.run('enable', 'shop');
  await plane.says({ description: 'Reads a note. And more.' });
  await plane.run('discover', 'shop', '--accept-baseline');
  expect(await decisions(plane)).toMatchObject([
    { event: 'answered', outcome: 'denied', by: OPERATOR, via: 'command' },
    { event: 'switched', outcome: 'off', by: OPERATOR, via: 'command' },
    { event: 'switched', outcome: 'on', by: OPERATOR, via: 'automation', key: 'tests' },
    ...(await decisions(plane)).slice(3).map(() => ({ event: 'accepted', via: 'automation' })),
  ]);
  expect((await decisions(plane)).length).toBeGreaterThan(3);
  expect(JSON.stringify(await plane.audit())).not.toContain(secret);
});

describe('a configuration that was edited', () => {
  it('is in the log before the next thing that happens, and once', async () => {
    const plane = await planeFolder([shop()]);
    await plane.run(...WRITE);
    const config = await fileText(plane.folder, 'quire.yaml');
    const policy = '\n  mcp_policy: [{ effect: deny, capabilities: ["write*"] }]';
    await putFile(
      plane.folder,
      'quire.yaml',
      config
        .replace('control_plane:', `control_plane:${policy}`)
        .replace('client_consent: approved', 'client_consent: denied'),
    );
    await plane.run(...WRITE);
    await plane.run(...WRITE);
    const log = await plane.audit();
    expect(await decisions(plane)).toMatchObject([
      { event: 'policy_changed', changes: ['consent shop', 'policy'], via: 'configuration' },
      { event: 'consented', server: 'shop', outcome: 'denied', via: 'configuration' },
    ]);
    expect(log.findIndex(({ event }) => event === 'policy_changed')).toBe(
      log.findLastIndex(({ event, outcome }) => event === 'decided' && outcome === 'ask') + 1,
    );
    // Who takes the note of the last policy away hides nothing.
    await rm(state(plane, 'policy-seen.json'));
    await plane.run(...WRITE);
    expect((await decisions(plane)).at(-1)).toMatchObject({ event: 'policy_changed' });
  });

  it('shows a waiver when it is first seen and when it changes', async () => {
    const folder = await temporaryFolder();
    let isNewLog = true;
    const waived = (why: string | undefined) => {
      const config = planeOf({}, [{ name: 'a', transport: 'stdio' }], folder);
      const servers = config.servers.map((one) => ({
        ...one,
        ...(why && { sandboxWaiver: { by: 'alex', why, until: '2999-12-31' } }),
      }));
      return openNotices({ config: { ...config, servers }, seal: async () => undefined });
    };
    const seen = async (why?: string) => {
      const notices = waived(why);
      const events = await notices.changes(async () => isNewLog);
      await notices.keep();
      return events;
    };
    const waiver = {
      event: 'waived',
      server: 'a',
      waiver: { by: 'alex', why: 'no bwrap', until: '2999-12-31' },
    };
    expect(await seen('no bwrap')).toMatchObject([waiver]);
    expect(await seen('no bwrap')).toEqual([]);
    isNewLog = false;
    expect(await seen('other')).toMatchObject([
      { event: 'policy_changed' },
      { ...waiver, waiver: { why: 'other' } },
    ]);
  });
});

describe('no call runs', () => {
  it('after a broken link, until it is acknowledged; doctor, verify and the refusal say so', async () => {
    const plane = await planeFolder([shop()]);
    const READ = ['call', 'shop', 'get_note', '--arg', 'path=a'];
    expect((await plane.run(...READ)).code).toBe(0);
    const id = await pending(plane);
    const log = state(plane, 'audit.jsonl');
    await writeFile(log, (await readFile(log, 'utf8')).replace('"proposed"', '"propXsed"'));
    // What cannot be recorded is not given either.
    const text = await readFile(log, 'utf8');
    expect((await plane.run('approvals', 'approve', id)).code).toBe(11);
    expect((await plane.run('approvals', 'show', id, '--json')).stdout).toContain('"pending"');
    expect(await readFile(log, 'utf8')).toBe(text);
    const heard = (await plane.heard()).length;
    const refused = await plane.run(...READ);
    expect(refused).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('mcp audit acknowledge --reason'),
    });
    expect(await plane.heard()).toHaveLength(heard);
    const verified = await plane.run('audit', 'verify', '--json');
    expect(verified.code).toBe(11);
    expect(JSON.parse(verified.stdout)).toMatchObject({
      data: { verdict: 'broken' },
      error: { code: 'audit_broken' },
    });
    expect((await plane.runAs({}, 'audit', 'acknowledge', '--reason', 'x')).code).toBe(11);
    expect((await plane.run('audit', 'acknowledge')).code).toBe(2);
    const done = await plane.run('audit', 'acknowledge', '--reason', 'I tested it');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('audit-kept-') });
    expect((await plane.run(...READ)).code).toBe(0);
    expect((await plane.audit())[0]).toMatchObject({
      event: 'acknowledged',
      reason: 'I tested it',
      by: OPERATOR,
    });
    expect((await plane.run('audit', 'acknowledge', '--reason', 'again')).code).toBe(2);
  });

  it('with a configuration that everybody may change', async () => {
    const plane = await planeFolder([shop()]);
    await chmod(join(plane.folder, 'quire.yaml'), 0o666);
    const refused = await plane.run('call', 'shop', 'get_note', '--arg', 'path=a');
    expect(refused).toMatchObject({ code: 11, stderr: expect.stringContaining('chmod o-w') });
    expect(await plane.heard()).toEqual([]);
  });
});

describe('quire mcp audit', () => {
  it('lists by server, kind and time, shows by number and id, and exports what verifies elsewhere', async () => {
    const plane = await planeFolder([shop()]);
    const id = await pending(plane);
    await plane.run('approvals', 'approve', id);
    const listed = JSON.parse((await plane.run('audit', 'list', '--json')).stdout).data.records;
    expect(listed.map(({ event }: { event: string }) => event)).toEqual(['answered', 'decided', 'proposed']);
    const of = async (...words: string[]) =>
      JSON.parse((await plane.run('audit', ...words, '--json')).stdout).data.records.length;
    expect([
      await of('--kind', 'answered'),
      await of('--server', 'other'),
      await of('--since', '1h'),
    ]).toEqual([1, 0, 3]);
    expect((await plane.run('audit')).stdout).toMatch(/^No .*How\n.*answered/);
    expect((await plane.run('audit', 'show', '3')).stdout).toMatch(/^via +automation$/m);
    expect(await of('show', id)).toBe(2);
    expect((await plane.run('audit', 'show', '99')).code).toBe(4);

    expect((await plane.run('audit', 'export', '--out', 'out.jsonl')).stdout).toContain('(3 records)');
    expect((await plane.run('audit', 'export')).stdout).toBe(await fileText(plane.folder, 'out.jsonl'));
    const verify = (environment = {}) => plane.runAs(environment, 'audit', 'verify', '--file', 'out.jsonl');
    expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok: 3 records/) });
    expect(await verify({ QUIRE_AUDIT_KEY_FILE: join(plane.folder, 'no.key') })).toMatchObject({
      code: 14,
      stdout: expect.stringContaining('cannot tell'),
    });
  });

  it('prints records as they come', async () => {
    const plane = await planeFolder([shop()]);
    await pending(plane);
    const watching = plane.runAs({}, 'audit', 'watch', '--kind', 'switched', '--json', '--timeout', '1500');
    await new Promise((resolve) => setTimeout(resolve, 400));
    await plane.run('disable', 'shop');
    const { code, stdout } = await watching;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'switched', outcome: 'off', by: OPERATOR });
  });
});
