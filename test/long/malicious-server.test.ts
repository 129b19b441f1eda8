/**
 * A malicious server tries everything that once worked, as the program is installed: with bubblewrap, really without it,
 * and for a plain user. Each row asserts the safe outcome; without a sandbox that is that the server never ran.
 */
import { chmod, readdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { CIRCUMSTANCES, type Circumstance, type Machine, machineOf } from '../governance/circumstances.ts';
import { testServer } from '../governance/sandbox-kit.ts';
import { eventually } from '../kit/eventually.ts';
import { describeWith } from '../kit/needs.ts';
import { fileText, putFile } from '../kit/temp.ts';

const SCRIPT = testServer('malicious.mjs');

/** Nothing is said of a sandbox: this is the default. */
const evil = (settings: object = {}) => ({
  name: 'evil',
  transport: 'stdio',
  command: process.execPath,
  args: [SCRIPT, '--plane'],
  stdio_allowed_commands: [process.execPath],
  manifest_digest: `sha256:${'a'.repeat(64)}`,
  manifest_signature: 'somebody:c2lnbmF0dXJl',
  sandbox_profile: 'restricted',
  sandbox_read: [dirname(SCRIPT)],
  sandbox_cwd: './work',
  client_consent: 'approved',
  trust: 'reviewed',
  ...settings,
});

interface Findings {
  readonly machine: Machine;
  readonly hasSandbox: boolean;
}

type Row = readonly [finding: string, attempt: (found: Findings) => Promise<void>];

const ROWS: readonly Row[] = [
  [
    '1 the sandbox fails open: nothing is read, written or reached, and a missing one is no sandbox',
    async ({ machine, hasSandbox }) => {
      await machine.configure([evil()]);
      if (!hasSandbox) return neverRan(machine);
      const port = await listener();
      const found = await attack(machine, {
        read: ['/etc/shadow', machine.at('quire.yaml')],
        create: ['/etc/x'],
        reach: port,
      });
      expect(found).toEqual({
        read: { '/etc/shadow': 'ENOENT', [machine.at('quire.yaml')]: 'ENOENT' },
        create: { '/etc/x': 'ENOENT' },
        reach: 'ECONNREFUSED',
      });
      expect(await machine.row()).toMatchObject({ sandbox: 'restricted (bwrap)', status: 'ready' });
    },
  ],
  [
    '1 a backend that is not installed: refused at once, with 11',
    async ({ machine }) => {
      await machine.configure([evil()], { mcp_sandbox: { backend: 'srt' } });
      await neverRan(machine, WAYS_IN);
    },
  ],
  [
    '2 the signature does not bind the sandbox: a signed server with wider paths is another server',
    async ({ machine }) => {
      await machine.configure([evil({ manifest_digest: undefined, manifest_signature: undefined })]);
      expect(await machine.quire('mcp', 'keygen', '--write')).toMatchObject({ code: 0 });
      expect(await machine.quire('mcp', 'manifest', 'evil', '--sign', '--write')).toMatchObject({ code: 0 });
      for (const wider of [{ sandbox_read: ['/'] }, { sandbox_cwd: '/' }]) {
        const signed = await fileText(machine.folder, 'quire.yaml');
        await edit(machine, wider);
        expect(await machine.row()).toMatchObject({ status: 'blocked', code: 'manifest_mismatch' });
        expect(await callCode(machine, 'get_attack')).toBe(11);
        await putFile(machine.folder, 'quire.yaml', signed);
      }
      expect(await machine.heard()).toEqual([]);
    },
  ],
  [
    '3 a server forges its own approval: the state folder is out of its reach',
    async ({ machine, hasSandbox }) => {
      await machine.configure([evil({ sandbox_cwd: '.', first_definitions: 'accept' })]);
      expect(await machine.row()).toMatchObject({
        status: 'blocked',
        code: hasSandbox ? 'sandbox_path' : 'sandbox_unavailable',
      });
      expect(await callCode(machine, 'get_attack')).toBe(11);
      await machine.configure([evil({ sandbox_read: [dirname(SCRIPT), '.'] })]);
      if (!hasSandbox) return neverRan(machine);
      const approvals = machine.at('.quire/plane/approvals.jsonl');
      expect(await attack(machine, { append: [approvals], list: [machine.at('.quire/plane')] })).toEqual({
        append: { [approvals]: 'EROFS' },
        list: { [machine.at('.quire/plane')]: '' },
      });
      expect(await callCode(machine, 'transfer_funds')).toBe(12);
      expect(await called(machine)).not.toContain('transfer_funds');
    },
  ],
  [
    "4 a server's word beats its name: what destroys or sends waits for an approval, and first definitions for a review",
    async ({ machine, hasSandbox }) => {
      await machine.configure([evil()]);
      if (!hasSandbox) return neverRan(machine);
      for (const name of LIARS) expect(await callCode(machine, name)).toBe(11);
      await accept(machine);
      for (const name of LIARS) expect(await callCode(machine, name)).toBe(12);
      expect(await called(machine)).toEqual([]);
    },
  ],
  [
    '5 deny rules on URIs are walked around: every spelling is refused, and the server hears of none',
    async ({ machine, hasSandbox }) => {
      const deny = { effect: 'deny', servers: ['evil'], capabilities: ['file:///secret/*'] };
      await machine.configure([evil()], { mcp_policy: [deny] });
      if (!hasSandbox) return neverRan(machine);
      await accept(machine);
      for (const uri of WAYS_AROUND)
        expect({ uri, ...(await machine.quire('mcp', 'read-resource', 'evil', uri)) }).toMatchObject({
          uri,
          code: 11,
        });
      expect((await machine.heard()).filter(({ method }) => method === 'resources/read')).toEqual([]);
      expect(await machine.quire('mcp', 'read-resource', 'evil', 'file:///pub/x')).toMatchObject({ code: 0 });
    },
  ],
  [
    '6 decisions leave no trace: a pipe approves nothing, a program is recorded by its key',
    async ({ machine, hasSandbox }) => {
      await machine.configure([evil()]);
      const piped = await machine.quire('mcp', 'discover', 'evil', '--accept-baseline');
      expect(piped.code).toBe(11);
      if (!hasSandbox) return neverRan(machine);
      expect(piped.stderr).toContain('needs a person at a terminal');
      await accept(machine);
      const { stderr } = await machine.quire('mcp', 'call', 'evil', 'wipe_disk');
      const id = /apr_\w+/.exec(stderr)?.[0] ?? '';
      expect(await machine.quire('mcp', 'approvals', 'approve', id)).toMatchObject({ code: 11 });
      expect(await machine.approving('mcp', 'approvals', 'approve', id)).toMatchObject({ code: 0 });
      expect(await machine.audit()).toContainEqual(
        expect.objectContaining({ event: 'answered', via: 'automation', key: 'tests' }),
      );
    },
  ],
  [
    '6 a cut log verifies as whole: it does not, with its end taken away or rewritten, and calls stop',
    async ({ machine }) => {
      await machine.configure([evil()]);
      for (const name of ['get_attack', 'get_poison', 'get_attack']) await callCode(machine, name);
      expect(await machine.quire('mcp', 'audit', 'verify')).toMatchObject({ code: 0 });
      await cutLog(machine);
      expect(await machine.quire('mcp', 'audit', 'verify')).toMatchObject({ code: 11 });
      const { code, stderr } = await machine.quire('mcp', 'call', 'evil', 'get_attack');
      expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining('audit') });
      expect(await called(machine)).toEqual([]);
    },
  ],
  [
    '6 calls run with a configuration that everybody may write: nothing of it does',
    async ({ machine }) => {
      await machine.configure([evil()]);
      await chmod(machine.at('quire.yaml'), 0o666);
      expect(await machine.row()).toMatchObject({ status: 'blocked', code: 'config_world_writable' });
      expect(await callCode(machine, 'get_attack')).toBe(11);
      expect(await machine.heard()).toEqual([]);
    },
  ],
  [
    '7 a noisy server freezes everything: notes answer meanwhile, and few of its messages pass',
    async ({ machine, hasSandbox }) => {
      await machine.configure([evil({ expose: true, first_definitions: 'accept', results: PASS })]);
      const client = await machine.serve();
      const names = await eventually(async () => {
        const all = await toolNames(client);
        expect(all.some((name) => name.startsWith('evil__'))).toBe(hasSandbox);
        return all;
      });
      if (!hasSandbox) return expect(names).toContain('read_note');
      const flooded = client.ask('tools/call', { name: 'evil__get_flood', arguments: { count: 20_000 } });
      for (let at = 0; at < 5; at++) {
        const before = performance.now();
        const read = await client.ask('tools/call', { name: 'read_note', arguments: { path: 'tea.md' } });
        expect(JSON.stringify(read.result)).toContain('Green');
        expect(performance.now() - before).toBeLessThan(1_500);
      }
      await flooded;
      expect(client.notifications.length).toBeLessThan(1_000);
    },
  ],
  [
    '8 injections reach the model: results are fenced, a poisoned description is quarantined',
    async ({ machine, hasSandbox }) => {
      await machine.configure([evil({ args: [SCRIPT, '--plane', '--poisoned'] })]);
      if (!hasSandbox) return neverRan(machine);
      await accept(machine);
      const { stdout, code } = await machine.quire('mcp', 'call', 'evil', 'get_poison');
      expect(code).toBe(0);
      expect(stdout).toMatch(/Untrusted data.*<<<untrusted \w+>>>.*Ignore all previous/s);
      const hint = await machine.quire('mcp', 'call', 'evil', 'get_hint');
      expect(hint).toMatchObject({ code: 11, stderr: expect.stringContaining('quarantined') });
      expect(await called(machine)).toEqual(['get_poison']);
    },
  ],
  [
    '9 names are exposed unchecked: every one that is listed fits the rule of the protocol',
    async ({ machine, hasSandbox }) => {
      const args = [SCRIPT, '--plane', '--strange'];
      await machine.configure([evil({ args, expose: true, first_definitions: 'accept' })], {
        mcp_exposure: { min_score: 0 },
      });
      const client = await machine.serve();
      await eventually(async () => {
        const names = (await toolNames(client)).filter((name) => name.startsWith('evil__'));
        expect(names.length > 0).toBe(hasSandbox);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
      });
    },
  ],
  [
    '10 no limits: memory, temporary space, processes and namespaces are bounded',
    async ({ machine, hasSandbox }) => {
      const limits = { memory_mb: 400, tmp_mb: 4, processes: 150 };
      await machine.configure([evil({ sandbox_limits: limits })]);
      if (!hasSandbox) return neverRan(machine);
      const found = await attack(machine, { memory: 1_024, fill: ['/tmp/big', 16], namespace: true });
      expect(found).toMatchObject({ fill: 'ENOSPC after 4', namespace: false });
      expect(found.memory).toBeLessThan(400);
      const { confinement } = (await machine.row()) as { confinement: { limits: { processes?: number } } };
      // Root before Linux 6.14 has no limit, and the listing says so.
      if (confinement.limits.processes === null) return;
      expect((await attack(machine, { processes: 200 })).processes).toBeLessThan(150);
      const { bomb } = await attack(machine, { bomb: [machine.folder, 8] });
      // What dies while the list of processes is read is counted too.
      expect(bomb).toBeGreaterThan(100);
      expect(bomb).toBeLessThan(200);
      await eventually(async () => expect(await processesWith(machine.folder)).toEqual([]));
    },
  ],
  [
    '10 launchers that run anything: none is started',
    async ({ machine }) => {
      await putFile(machine.folder, 'open/server.mjs', 'throw new Error("ran")');
      await chmod(machine.at('open/server.mjs'), 0o777);
      await symlink('/usr/bin/awk', machine.at('helper'));
      const launch = (name: string, command: string, args: readonly string[], more: object = {}) =>
        evil({ name, command, args, stdio_allowed_commands: [command], ...more });
      const node = process.execPath;
      await machine.configure([
        launch('inspect', node, ['--inspect=0.0.0.0', SCRIPT]),
        launch('awk', 'awk', ['BEGIN{system("id")}']),
        launch('find', 'find', ['/', '-exec', 'id', ';']),
        launch('docker', 'docker', ['run', '--privileged', 'image']),
        launch('loader', '/lib64/ld-linux-x86-64.so.2', ['/bin/sh']),
        launch('registry', node, [SCRIPT], { env: { npm_config_registry: 'http://127.0.0.1:1' } }),
        launch('index', node, [SCRIPT], { env: { UV_INDEX_URL: 'http://127.0.0.1:1' } }),
        launch('writable', node, [machine.at('open/server.mjs')]),
      ]);
      const codes = Object.fromEntries((await machine.rows()).map(({ name, code }) => [name, code]));
      expect(codes).toEqual({
        inspect: 'args_inline_code',
        awk: 'command_is_shell',
        find: 'command_is_shell',
        loader: 'command_is_shell',
        docker: 'args_unconfined',
        registry: 'env_code_injection',
        index: 'env_code_injection',
        writable: 'command_world_writable',
      });
      expect(await machine.heard()).toEqual([]);
    },
  ],
  [
    '10 deep results and questions to a model: an error without a stack, and a refusal',
    async ({ machine, hasSandbox }) => {
      await machine.configure([evil()]);
      if (!hasSandbox) return neverRan(machine);
      await accept(machine);
      const deep = await machine.quire('mcp', 'call', 'evil', 'get_deep');
      expect(deep.code).not.toBe(0);
      expect(deep.stderr).not.toMatch(/\n\s+at |RangeError/);
      const sampled = await machine.quire('mcp', 'call', 'evil', 'get_sampled');
      expect(sampled.stdout).toContain('-32601');
    },
  ],
  [
    '11 a failed start says nothing: its last lines, its log and what the sandbox hid, in any width',
    async ({ machine, hasSandbox }) => {
      await putFile(
        machine.folder,
        'bad/server.mjs',
        'console.error("no such thing: /etc/evil.conf");process.exit(2)',
      );
      await machine.configure([evil({ args: [machine.at('bad/server.mjs')], sandbox_read: ['bad'] })]);
      if (!hasSandbox) return neverRan(machine);
      const { code, stderr } = await machine.quire('mcp', 'discover', 'evil');
      expect(code).toBe(10);
      expect(stderr).toContain('exit code 2');
      expect(stderr).toContain('no such thing: /etc/evil.conf');
      expect(stderr).toContain(machine.at('.quire/plane/evil.log'));
    },
  ],
];

const LIARS = ['wipe_disk', 'transfer_funds', 'truncate_table', 'exec_cmd'];
const WAYS_IN = [
  ['call', 'evil', 'get_attack'],
  ['discover', 'evil'],
  ['read-resource', 'evil', 'file:///pub/x'],
];
const PASS = { on_finding: 'pass' };
const WAYS_AROUND = [
  'file:///secret/x',
  'file:///pub/../secret/x',
  'file:///./secret/x',
  'file:////secret/x',
  'file:///%2573ecret/x',
  'file:///pub/%2e%2e/secret/x',
  'FILE:///Secret/x',
];

describe.each(CIRCUMSTANCES)('$name', (circumstance: Circumstance) => {
  describeWith(circumstance.need, 'a malicious server', () => {
    // A plain user without a sandbox is refused like anybody without one: the first rows show it.
    const isBothAtOnce = circumstance.uid !== undefined && !circumstance.hasSandbox;
    it.each(isBothAtOnce ? ROWS.slice(0, 4) : ROWS)('%s', async (_, attempt) => {
      const machine = await machineOf(circumstance);
      await attempt({ machine, hasSandbox: circumstance.hasSandbox });
    });
  });
});

/** Refused with the remedy and the way back, and not even started. */
async function neverRan(machine: Machine, ways = WAYS_IN.slice(0, 1)): Promise<void> {
  expect(await machine.row()).toMatchObject({ status: 'blocked', code: 'sandbox_unavailable' });
  for (const words of ways) {
    const { code, stderr } = await machine.quire('mcp', ...words);
    expect({ words, code }).toEqual({ words, code: 11 });
    expect(stderr).toContain('apt-get install -y bubblewrap');
    expect(stderr).toContain('mcp_sandbox: { policy: warn }');
    expect(stderr).toContain('sandbox_profile: none with a sandbox_waiver');
  }
  expect(await machine.heard()).toEqual([]);
  expect(await readdir(machine.at('work'))).toEqual([]);
}

async function callCode(machine: Machine, name: string): Promise<number | null> {
  return (await machine.quire('mcp', 'call', 'evil', name)).code;
}

async function accept(machine: Machine): Promise<void> {
  const { code, stderr } = await machine.approving('mcp', 'discover', 'evil', '--accept-baseline');
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
}

/** Accepts the definitions first: what is tried here is the sandbox. */
async function attack(machine: Machine, attacks: object): Promise<Record<string, unknown>> {
  await accept(machine);
  const words = ['call', 'evil', 'get_attack', '--args', JSON.stringify(attacks), '--json'];
  const { code, stdout, stderr } = await machine.quire('mcp', ...words);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(JSON.parse(stdout).data.result.content[0].text);
}

async function called(machine: Machine): Promise<unknown[]> {
  const names = (await machine.heard())
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => (params as { name: string }).name);
  return names.filter((name) => name !== 'get_attack');
}

async function toolNames(client: Awaited<ReturnType<Machine['serve']>>): Promise<string[]> {
  const { result } = await client.ask('tools/list');
  return result.tools.map(({ name }: { name: string }) => name);
}

async function edit(machine: Machine, settings: object): Promise<void> {
  const config = parse(await fileText(machine.folder, 'quire.yaml'));
  Object.assign(config.control_plane.mcp_servers[0], settings);
  await putFile(machine.folder, 'quire.yaml', stringify(config));
}

/** Without its last lines, and with an end that fits what is left. */
async function cutLog(machine: Machine): Promise<void> {
  const folder = machine.at('.quire/plane');
  const lines = (await readFile(join(folder, 'audit.jsonl'), 'utf8')).trimEnd().split('\n');
  await putFile(folder, 'audit.jsonl', `${lines.slice(0, -2).join('\n')}\n`);
  for (const name of await readdir(folder))
    if (/^audit\..*(?:end|head|seal)/.test(name)) await putFile(folder, name, '');
}

async function listener(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as { port: number }).port;
}

/** The processes of this machine that have a text among their arguments. */
async function processesWith(text: string): Promise<string[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    names.map((name) => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.split('\0').includes(text));
}
