/** The doctor's findings, on a server of each kind. */
import { expect, onTestFinished, test } from 'vitest';
import type { CheckResult } from '../../src/shared/checks.ts';
import { createSilverBulletClient } from '../../src/stores/silverbullet/client.ts';
import { checkSilverBullet } from '../../src/stores/silverbullet/doctor.ts';
import {
  type FakeOptions,
  type FakeSilverBullet,
  startSilverBullet,
  TOKEN,
} from '../kit/silverbullet/server.ts';
import { DIALECTS } from './kit.ts';

async function examine(
  options: FakeOptions,
  {
    url,
    token = TOKEN,
    before,
  }: {
    url?: (fake: FakeSilverBullet) => string;
    token?: string;
    before?: (fake: FakeSilverBullet) => void;
  } = {},
): Promise<readonly CheckResult[]> {
  const fake = await startSilverBullet(options);
  before?.(fake);
  const client = createSilverBulletClient({ url: url?.(fake) ?? fake.url, token, retryPauses: [1] });
  onTestFinished(() => client.close());
  const findings = await checkSilverBullet(client, 'space');
  for (const { status, fix } of findings) expect(status === 'ok' || (fix ?? '').length > 10).toBe(true);
  expect(JSON.stringify(findings)).not.toContain(token);
  expect(fake.happenings.filter(({ kind }) => kind !== 'get')).toEqual([]);
  return findings;
}

const levels = (findings: readonly CheckResult[]) =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));
const of = (findings: readonly CheckResult[], check: string) =>
  findings.find((finding) => finding.check === check);

test('a healthy server of today', async () => {
  const findings = await examine({ shellBackend: 'off', files: { 'a.md': 'x', 'b.png': 'x' } });
  expect(levels(findings)).toEqual({
    version: 'ok',
    token: 'ok',
    'read-only': 'ok',
    open: 'ok',
    shell: 'ok',
    events: 'ok',
    runtime: 'ok',
  });
  expect(of(findings, 'version')?.detail).toContain('2.10.0');
  expect(of(findings, 'token')?.detail).toContain('Pages in the space: 1.');
  expect(of(findings, 'events')?.detail).toContain('as they happen');
  expect(of(findings, 'runtime')?.detail).toContain('not there');
});

test('a healthy server of 2.8', async () => {
  const findings = await examine({ dialect: 'go', runtime: true });
  expect(levels(findings)).toMatchObject({
    version: 'ok',
    token: 'ok',
    'read-only': 'ok',
    open: 'ok',
    shell: 'warn',
  });
  expect(of(findings, 'version')?.detail).toContain('2.8.1');
  expect(of(findings, 'events')?.detail).toContain('looks for');
  expect(of(findings, 'runtime')?.detail).toContain('is there');
});

test.each(DIALECTS)('a wrong token: %s', async (dialect) => {
  const findings = await examine({ dialect }, { token: 'wrong-token' });
  expect(findings).toEqual([
    {
      check: 'token',
      target: 'space',
      status: 'fail',
      detail: expect.any(String),
      fix: expect.stringContaining('SB_TOKEN'),
    },
  ]);
});

test.each(DIALECTS)('a read-only server: %s', async (dialect) => {
  const findings = await examine({ dialect, readOnly: true });
  expect(levels(findings)).toMatchObject({ 'read-only': 'warn', shell: 'ok' });
  expect(of(findings, 'read-only')?.fix).toContain('SB_READ_ONLY');
});

test.each(DIALECTS)('a server open to everybody: %s', async (dialect) => {
  const findings = await examine({ dialect, open: true }, { token: 'wrong-token' });
  expect(of(findings, 'token')?.detail).toContain('could not be checked');
  const finding = of(findings, 'open');
  expect(finding?.status).toBe('fail');
  expect(finding?.fix).toContain('SB_USER');
});

test.each(DIALECTS)('a server whose token is a shell: %s', async (dialect) => {
  const finding = of(await examine({ dialect }), 'shell');
  expect(finding?.status).toBe('warn');
  expect(finding?.fix).toContain('SB_SHELL_BACKEND=off');
});

test('an address without the prefix', async () => {
  const findings = await examine({ prefix: '/notes' }, { url: ({ port }) => `http://127.0.0.1:${port}` });
  expect(levels(findings)).toEqual({ address: 'fail' });
  expect(findings[0]?.fix).toContain('prefix');
});

test.each(DIALECTS)('a web page instead of answers: %s', async (dialect) => {
  const findings = await examine(
    { dialect },
    { before: ({ faults }) => (faults.fate = () => ({ kind: 'html' })) },
  );
  expect(levels(findings)).toEqual({ address: 'fail' });
  expect(findings[0]?.fix).toContain('SB_URL');
});

test('SilverBullet 0.x', async () => {
  const findings = await examine({ ancient: true });
  expect(levels(findings)).toEqual({ version: 'fail' });
  expect(findings[0]?.fix).toContain('SilverBullet 2');
});

test('a server that is not there', async () => {
  const findings = await examine({}, { url: () => 'http://127.0.0.1:1' });
  expect(levels(findings)).toEqual({ reach: 'fail' });
});

test('a Runtime API that hangs', async () => {
  const wedge = async ({ url }: FakeSilverBullet) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    await fetch(`${url}/.runtime/lua_script`, { method: 'POST', headers, body: 'while true do end' });
  };
  const fake = await startSilverBullet({ dialect: 'go', runtime: true });
  await wedge(fake);
  const client = createSilverBulletClient({ url: fake.url, token: TOKEN });
  onTestFinished(() => client.close());
  expect(of(await checkSilverBullet(client, 'space'), 'runtime')).toMatchObject({
    status: 'warn',
    fix: expect.stringContaining('restarted'),
  });
});

test('a server that tells of no changes', async () => {
  expect(of(await examine({ events: false }), 'events')?.detail).toContain('looks for');
});
