/** Approvals: the life cycle, what each is good for, and what several processes can do to each other. */
import { spawn } from 'node:child_process';
import { appendFile, chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ApprovalRequest } from '../../src/governance/approvals/approval.ts';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';
import { sha256 } from '../../src/governance/digest.ts';
import { temporaryFolder } from '../kit/temp.ts';

const REQUEST: ApprovalRequest = {
  kind: 'call',
  server: 'mail',
  capability: 'send',
  class: 'external',
  args: { to: 'alex@example.com', subject: 'Hello' },
  fingerprint: 'f1',
  policyVersion: 'p1',
  requestedBy: 'agent',
  session: 's1',
};
const START = async () => 'ran';
const BY = { by: 'operator' };

async function setUp(seed = {}) {
  const folder = join(await temporaryFolder(seed), 'state');
  const clock = { now: 1_800_000_000_000 };
  const open = () => openApprovals({ folder, now: () => clock.now });
  const approvals = open();
  const ask = async (request: ApprovalRequest = REQUEST) => {
    const claim = await approvals.claim(request, START);
    expect(claim.outcome).toBe('pending');
    return claim.approval.id;
  };
  const outcome = async (request: ApprovalRequest = REQUEST) =>
    (await approvals.claim(request, START)).outcome;
  return { folder, file: join(folder, 'approvals.jsonl'), clock, approvals, open, ask, outcome };
}

describe('an approval', () => {
  it('is asked for once, approved, used once, and then asked for anew', async () => {
    const { approvals, ask } = await setUp();
    const id = await ask();
    expect(id).toMatch(/^apr_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(await ask()).toBe(id);
    expect(await ask({ ...REQUEST, args: { subject: 'Hello', to: 'alex@example.com' } })).toBe(id);
    expect(await approvals.approve(id, { ...BY, note: 'fine' })).toMatchObject({
      state: 'approved',
      scope: 'once',
      usesLeft: 1,
      decidedBy: 'operator',
      note: 'fine',
    });
    expect(await approvals.claim(REQUEST, START)).toMatchObject({ outcome: 'started', started: 'ran' });
    expect(await approvals.get(id)).toMatchObject({ state: 'consumed', usesLeft: 0 });
    expect(await ask()).not.toBe(id);
  });

  it('shows everything that would be sent, without secrets, until it is answered', async () => {
    const { approvals, ask, folder, clock } = await setUp();
    const text = `${'long '.repeat(5_000)}and the end`;
    const args = { text, deep: { a: { b: { c: { d: { e: { f: { g: 'here' } } } } } } }, api_key: 'hidden' };
    const approval = await approvals.get(await ask({ ...REQUEST, args }));
    expect(approval.argsPreview.length).toBeLessThan(4_100);
    const whole = (await approvals.argumentsOf(approval)) ?? '';
    expect(JSON.parse(whole)).toEqual({ ...args, api_key: '[redacted]' });
    const kept = join(folder, 'approval-arguments');
    expect((await stat(join(kept, approval.id))).mode & 0o777).toBe(0o600);
    expect((await stat(kept)).mode & 0o777).toBe(0o700);
    const answered = await approvals.deny(approval.id, BY);
    expect(await approvals.argumentsOf(answered)).toBeUndefined();
    expect(await readdir(kept)).toEqual([]);
    await ask();
    clock.now += 86_400_000;
    const later = await ask({ ...REQUEST, args: { other: true } });
    expect(await readdir(kept)).toEqual([later]);
  });

  it('for a session is for its caller, and for always for all callers', async () => {
    const { approvals, ask, outcome } = await setUp();
    const other = { ...REQUEST, requestedBy: 'somebody' };
    await approvals.approve(await ask(), { ...BY, scope: 'session' });
    expect(await outcome()).toBe('started');
    expect(await outcome(other)).toBe('pending');
    const { approvals: again, ask: askAgain, outcome: outcomeAgain } = await setUp();
    await again.approve(await askAgain(), { ...BY, scope: 'always' });
    expect(await outcomeAgain(other)).toBe('started');
  });

  it('carries the digest of the canonical arguments', async () => {
    const { approvals, ask } = await setUp();
    const { argsDigest } = await approvals.get(await ask());
    expect(argsDigest).toBe(sha256('{"subject":"Hello","to":"alex@example.com"}'));
  });

  it.each([
    ['other arguments', { args: { to: 'eve@example.com', subject: 'Hello' } }],
    ['another server', { server: 'other' }],
    ['another capability', { capability: 'send_all' }],
    ['another kind', { kind: 'compile' as const }],
    ['another caller', { requestedBy: 'somebody' }],
  ])('is not good for %s', async (_, change) => {
    const { approvals, ask, outcome } = await setUp();
    await approvals.approve(await ask(), BY);
    expect(await outcome({ ...REQUEST, ...change })).toBe('pending');
    expect(await outcome()).toBe('started');
  });

  it.each([
    ['the definition', { fingerprint: 'f2' }],
    ['the policy', { policyVersion: 'p2' }],
    ['what the call may do', { class: 'destructive' as const }],
  ])('is superseded when %s changes, for good', async (_, change) => {
    const { approvals, ask, outcome } = await setUp();
    const id = await ask();
    await approvals.approve(id, BY);
    expect(await outcome({ ...REQUEST, ...change })).toBe('pending');
    expect((await approvals.get(id)).state).toBe('superseded');
    expect(await outcome()).toBe('pending');
  });

  it('supersedes a question too', async () => {
    const { approvals, ask } = await setUp();
    const id = await ask();
    await ask({ ...REQUEST, policyVersion: 'p2' });
    await expect(approvals.approve(id, BY)).rejects.toThrow(/superseded, not pending/);
  });

  it('for a session is good for any arguments of that session', async () => {
    const { approvals, ask, outcome } = await setUp();
    await approvals.approve(await ask(), { ...BY, scope: 'session' });
    expect(await outcome({ ...REQUEST, args: { n: 1 } })).toBe('started');
    expect(await outcome({ ...REQUEST, args: { n: 2 } })).toBe('started');
    expect(await outcome({ ...REQUEST, session: 's2' })).toBe('pending');
  });

  it('for always is good for any session, has no end, and can be revoked', async () => {
    const { approvals, ask, outcome, clock } = await setUp();
    const id = await ask();
    await approvals.approve(id, { ...BY, scope: 'always' });
    clock.now += 365 * 86_400_000;
    expect(await outcome({ ...REQUEST, args: {}, session: 's9' })).toBe('started');
    expect((await approvals.revoke(id, BY)).state).toBe('revoked');
    expect(await outcome()).toBe('pending');
  });

  it('for always is refused for what destroys', async () => {
    const { approvals, ask } = await setUp();
    const id = await ask({ ...REQUEST, class: 'destructive' });
    await expect(approvals.approve(id, { ...BY, scope: 'always' })).rejects.toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining('once'),
    });
    expect((await approvals.approve(id, BY)).state).toBe('approved');
  });

  it('that ran out unanswered is reported once, and then asked for anew', async () => {
    const { approvals, ask, outcome, clock } = await setUp();
    const id = await ask();
    clock.now += 900_000;
    expect((await approvals.get(id)).state).toBe('expired');
    await expect(approvals.approve(id, BY)).rejects.toMatchObject({ code: 'conflict' });
    expect(await outcome()).toBe('expired');
    expect(await ask()).not.toBe(id);
  });

  it('that ran out unused is reported, too, and never started', async () => {
    const { approvals, ask, clock } = await setUp();
    await approvals.approve(await ask(), { ...BY, ttlSeconds: 10 });
    clock.now += 10_000;
    let starts = 0;
    const claim = await approvals.claim(REQUEST, async () => starts++);
    expect([claim.outcome, starts]).toEqual(['expired', 0]);
  });

  it('that was denied stays denied until its time is over', async () => {
    const { approvals, ask, outcome, clock } = await setUp();
    await approvals.deny(await ask(), BY);
    expect(await outcome()).toBe('denied');
    clock.now += 900_001;
    expect(await outcome()).toBe('pending');
  });

  it('is used up even when the start fails', async () => {
    const { approvals, ask, outcome } = await setUp();
    await approvals.approve(await ask(), BY);
    await expect(approvals.claim(REQUEST, async () => Promise.reject(new Error('no audit')))).rejects.toThrow(
      'no audit',
    );
    expect(await outcome()).toBe('pending');
  });

  it('of an unknown id is a clear error', async () => {
    const { approvals } = await setUp();
    await expect(approvals.approve('apr_X', BY)).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([0, -1, Number.NaN, 1e12])('cannot last %s seconds', async (ttlSeconds) => {
    const { approvals, ask } = await setUp();
    const id = await ask();
    await expect(approvals.approve(id, { ...BY, ttlSeconds })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('shows the arguments without secrets and with what is hidden in them', async () => {
    const { approvals, ask } = await setUp();
    const key = `sk-${'a1'.repeat(20)}`;
    const { argsPreview } = await approvals.get(
      await ask({
        ...REQUEST,
        args: { password: 'hunter2', text: `use ${key} now`, url: 'https://u:p4ss@h/', odd: 'a\u202eb' },
      }),
    );
    for (const secret of ['hunter2', key, 'p4ss', '\u202e']) expect(argsPreview).not.toContain(secret);
    expect(argsPreview).toContain('\\\\u{202e}');
  });
});

describe('the file of approvals', () => {
  it('is readable by its owner alone, also after its mode was widened', async () => {
    const { folder, file, ask, outcome } = await setUp();
    await ask();
    await chmod(file, 0o644);
    await chmod(folder, 0o755);
    await outcome({ ...REQUEST, server: 'other' });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('only grows, and says the same to the next process', async () => {
    const { file, approvals, ask, open } = await setUp();
    const id = await ask();
    const before = await readFile(file, 'utf8');
    await approvals.approve(id, BY);
    expect((await readFile(file, 'utf8')).startsWith(before)).toBe(true);
    expect(await open().list({ state: 'approved', server: 'mail' })).toMatchObject([{ id }]);
    expect(await open().find(REQUEST)).toMatchObject({ id });
  });

  it.each([
    ['is no JSON', 'x\n'],
    ['is of an unknown kind', '{"event":"blessed","at":1,"id":"apr_01ARZ3NDEKTSV4RRFFQ69G5FAV"}\n'],
    [
      'approves a request that was never made',
      '{"event":"approved","at":1,"id":"apr_01ARZ3NDEKTSV4RRFFQ69G5FAV","by":"x","scope":"always"}\n',
    ],
  ])('denies everything when a line %s', async (_, line) => {
    const { file, approvals, ask } = await setUp();
    const id = await ask();
    await approvals.approve(id, BY);
    await appendFile(file, line);
    let starts = 0;
    const refusal = { code: 'forbidden', hint: expect.stringContaining('approvals.jsonl') };
    await expect(approvals.claim(REQUEST, async () => starts++)).rejects.toMatchObject(refusal);
    await expect(approvals.list()).rejects.toMatchObject(refusal);
    expect(starts).toBe(0);
  });

  it('does not let a used approval come back by a line at its end', async () => {
    const { file, approvals, ask } = await setUp();
    const id = await ask();
    await approvals.deny(id, BY);
    await appendFile(file, `${JSON.stringify({ event: 'approved', at: 1, id, by: 'x', scope: 'once' })}\n`);
    await expect(approvals.get(id)).rejects.toThrow(/approved after denied/);
  });

  it('notes a line that a crash left unfinished', async () => {
    const { file, approvals, ask } = await setUp();
    const id = await ask();
    await appendFile(file, '{"event":"approved","at":1,"id":');
    expect((await approvals.get(id)).state).toBe('pending');
    await approvals.approve(id, BY);
    expect(await readFile(file, 'utf8')).toMatch(/\n\{"event":"repaired","at":\d+,"bytes":32,/);
  });

  it('forgets what is long over when asked to, and nothing else', async () => {
    const { approvals, ask, clock } = await setUp();
    await approvals.deny(await ask(), BY);
    clock.now += 10_000_000;
    const kept = await ask({ ...REQUEST, args: {} });
    expect(await approvals.prune(clock.now)).toBe(1);
    expect((await approvals.list()).map(({ id }) => id)).toEqual([kept]);
  });

  it('takes only so many questions at once', async () => {
    const { folder, file, ask, outcome } = await setUp();
    const id = await ask();
    const line = (await readFile(file, 'utf8')).trim();
    const copies = Array.from({ length: 499 }, (_, n) =>
      line.replace(id, `apr_${String(n).padStart(26, '0')}`).replace('"send"', `"send${n}"`),
    );
    await writeFile(join(folder, 'approvals.jsonl'), `${[line, ...copies].join('\n')}\n`);
    await expect(outcome({ ...REQUEST, args: {} })).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

/** Says a line when it is ready, and one for each claim. */
function startRacer(program: string, input: string) {
  const child = spawn(process.execPath, [program, input], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    claim: (request: ApprovalRequest) => child.stdin.write(`${JSON.stringify(request)}\n`),
    answer: async () => (await lines.next()).value as string | undefined,
  };
}

describe('several callers of one approval', () => {
  it('in one process: one gets it', async () => {
    const { approvals, ask, outcome } = await setUp();
    await approvals.approve(await ask(), BY);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => outcome()));
    expect(outcomes.filter((one) => one === 'started')).toHaveLength(1);
  });

  it('in real processes: one gets it, every time', async () => {
    const { folder, approvals, ask, clock } = await setUp();
    const racer = join(await temporaryFolder(), 'racer.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('racer.ts', import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: racer,
    });
    const rounds = 20;
    const requests = Array.from({ length: rounds }, (_, n) => ({ ...REQUEST, args: { n } }));
    for (const request of requests) await approvals.approve(await ask(request), BY);
    const input = JSON.stringify({ folder, now: clock.now });
    const racers = [1, 2].map(() => startRacer(racer, input));
    await Promise.all(racers.map(({ answer }) => answer()));
    for (const request of requests) {
      for (const { claim } of racers) claim(request);
      const outcomes = await Promise.all(racers.map(({ answer }) => answer()));
      expect(outcomes.sort()).toEqual(['pending', 'started']);
    }
    expect(await approvals.list({ state: 'consumed' })).toHaveLength(rounds);
  });
});
