/** The doctor's findings at a Trilium, as a function and as a command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CheckResult } from '../../src/shared/checks.ts';
import { checkTrilium } from '../../src/stores/trilium/doctor.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { type FakeOptions, type FakeTrilium, startTrilium, TOKEN } from '../kit/trilium/server.ts';
import { clientFor } from './kit.ts';

interface Circumstances {
  readonly token?: string;
  readonly url?: string;
  readonly subtree?: string;
  readonly now?: () => number;
  readonly before?: (fake: FakeTrilium) => void;
}

async function examine(
  options: FakeOptions = {},
  { token = TOKEN, url, subtree, now, before }: Circumstances = {},
): Promise<readonly CheckResult[]> {
  const fake = await startTrilium(options);
  before?.(fake);
  const findings = await checkTrilium({
    notebook: 'wiki',
    url: url ?? fake.url,
    client: clientFor(url ?? fake.url, { token, retryPauses: [] }),
    stranger: clientFor(url ?? fake.url, { token: 'nobody', retryPauses: [] }),
    subtree,
    ...(now && { now }),
  });
  for (const { status, fix } of findings) expect(status === 'ok' || (fix ?? '').length > 10).toBe(true);
  expect(JSON.stringify(findings)).not.toContain(token);
  expect(fake.requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  return findings;
}

const levels = (findings: readonly CheckResult[]) =>
  Object.fromEntries(findings.map(({ check, status }) => [check, status]));
const of = (findings: readonly CheckResult[], check: string) =>
  findings.find((finding) => finding.check === check);

const NOTES = [{ id: 'abcd', title: 'Work' }];

test('a healthy Trilium', async () => {
  const findings = await examine({ notes: NOTES }, { subtree: 'abcd' });
  expect(levels(findings)).toEqual({ token: 'ok', version: 'ok', clock: 'ok', search: 'ok', subtree: 'ok' });
  expect(of(findings, 'version')?.detail).toBe('Trilium 0.105.0');
  expect(of(findings, 'subtree')?.detail).toContain('Work');
});

test('one that has been running for days has no wrong clock', async () => {
  const findings = await examine({ startedMs: Date.now() - 5 * 86_400_000 });
  expect(of(findings, 'clock')).toMatchObject({
    status: 'ok',
    detail: 'The clock of Trilium agrees with the one of this machine.',
  });
});

test('a wrong token', async () => {
  const findings = await examine({}, { token: 'wrong-token' });
  expect(levels(findings)).toEqual({ token: 'fail' });
  expect(findings[0]?.fix).toContain('TRILIUM_TOKEN');
});

test('no server at the address', async () => {
  const findings = await examine({}, { url: 'http://127.0.0.1:1' });
  expect(levels(findings)).toEqual({ reach: 'fail' });
  expect(findings[0]?.detail).toContain('127.0.0.1');
});

test('something else there', async () => {
  const findings = await examine({}, { before: ({ faults }) => (faults.fate = () => ({ kind: 'html' })) });
  expect(levels(findings)).toEqual({ reach: 'fail' });
  expect(findings[0]?.fix).toContain('/etapi');
});

test('a Trilium without authentication', async () => {
  const findings = await examine({ isOpen: true });
  expect(of(findings, 'open')).toMatchObject({ status: 'fail', fix: expect.stringContaining('config.ini') });
  expect(of(findings, 'token')).toBeUndefined();
});

test('an old Trilium', async () => {
  const version = of(await examine({ version: '0.101.3' }), 'version');
  expect(version).toMatchObject({ status: 'warn', fix: expect.stringContaining('0.102') });
  expect(version?.detail).toContain('0.101.3');
  expect(of(await examine({ version: '0.102.0' }), 'version')?.status).toBe('ok');
});

test.each([
  [-10 * 60_000, 'warn', /10 minutes ahead of/],
  [10 * 60_000, 'warn', /10 minutes behind/],
  [60_000, 'ok', /agree/],
])('clocks that differ by %i ms', async (difference, status, words) => {
  const at = Date.parse('2026-11-15T12:00:00Z');
  const clock = of(await examine({ now: () => at }, { now: () => at + difference }), 'clock');
  expect(clock?.status).toBe(status);
  expect(clock?.detail).toMatch(words);
});

test('a search that fails', async () => {
  const before = ({ faults }: FakeTrilium) => {
    faults.fate = ({ path }) =>
      path.endsWith('/notes') ? { kind: 'status', status: 500, applies: false } : undefined;
  };
  expect(levels(await examine({}, { before }))).toMatchObject({ version: 'ok', search: 'fail' });
});

test('a subtree that is not there', async () => {
  const subtree = of(await examine({ notes: NOTES }, { subtree: 'gone1' }), 'subtree');
  expect(subtree).toMatchObject({ status: 'fail', fix: expect.stringContaining('--subtree') });
});

describe('quire doctor', () => {
  const doctor = async (args: readonly string[], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [BINARY, 'doctor', ...args], {
      // The clients of the person who runs the tests are not looked at.
      env: { ...CLEAN_ENVIRONMENT, HOME: await temporaryFolder(), ...env },
    });
    onTestFinished(() => void child.kill());
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const [code] = await once(child, 'close');
    expect(out + err).not.toContain(TOKEN);
    return { code: code as number, out, err };
  };

  test('with flags, and with the environment', async () => {
    const { url } = await startTrilium({ notes: NOTES });
    const flags = await doctor(['-u', url, '-t', TOKEN, '--subtree', 'abcd']);
    expect(flags).toMatchObject({ code: 0, err: '' });
    expect(flags.out).toMatch(/ok +Trilium answers and accepts the token\.\n +ok +Trilium 0\.105\.0\n/);
    expect(flags.out).toMatch(/ok +The subtree is there: Work/);
    const env = await doctor(['--json'], { TRILIUM_URL: `${url}/etapi`, TRILIUM_TOKEN: TOKEN });
    expect(JSON.parse(env.out).notebook[0]).toMatchObject({ check: 'token', level: 'ok' });
  });

  test('says what must be fixed', async () => {
    const { url } = await startTrilium();
    const { code, out, err } = await doctor(['-u', url, '-t', 'wrong']);
    expect(code).not.toBe(0);
    expect(out).toMatch(/error +Trilium refuses the token \(127\.0\.0\.1:\d+\)\n +Make an ETAPI token/);
    expect(err).toContain('One thing must be fixed');
    const strange = await doctor(['-u', url, '-t', 'two words\n']);
    expect(strange.out).toMatch(/error +Not an ETAPI token\n/);
  });

  test('with a file: its own notebooks, whatever the environment names', async () => {
    const { url } = await startTrilium();
    const folder = await temporaryFolder({ 'a.md': 'a' });
    const file = join(folder, 'quire.yaml');
    const wiki = `{ trilium: { url: "${url}", token: "\${env:TRILIUM_TOKEN}" }, tools: trilium }`;
    await writeFile(file, `notebooks:\n  wiki: ${wiki}\n  here: { folder: . }\n`);
    const { code, out } = await doctor(['--config', file], { TRILIUM_TOKEN: TOKEN, SB_TOKEN: 'x' });
    expect(code).toBe(0);
    expect(out).toMatch(/^wiki\n +ok +Trilium answers/);
    expect(out).toMatch(/\nhere\n +ok +The folder can be read/);
    const alone = await doctor([folder], { TRILIUM_TOKEN: TOKEN, SB_URL: 'http://127.0.0.1:1' });
    expect(alone).toMatchObject({ code: 0, out: expect.stringContaining('The folder can be read') });
  });

  test('with nothing, and with half of it', async () => {
    const nothing = await doctor([]);
    expect(nothing).toMatchObject({ code: 0, err: '' });
    expect(nothing.out).toMatch(/warn +No notes are named: .*TRILIUM_TOKEN\.\n +.*quire init/);
    expect(nothing.out).toMatch(/\nMachine\n +ok +Quire \d/);
    const half = await doctor([], { TRILIUM_URL: 'http://127.0.0.1:1' });
    expect(half.code).not.toBe(0);
    expect(half.out).toContain('is missing; give --token or TRILIUM_TOKEN');
  });
});
