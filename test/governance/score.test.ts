/** The formulas of score, usage and exposure, as tables. */
import { describe, expect, it } from 'vitest';
import type { AuditEvent, AuditRecord, CallOutcome } from '../../src/governance/audit/audit.ts';
import { type ExposureCandidate, expose } from '../../src/governance/exposure/visibility.ts';
import { type ScoreFacts, score } from '../../src/governance/score.ts';
import { NO_USAGE, percentile, readUsage, usageSince } from '../../src/governance/usage.ts';

const BEST: ScoreFacts = {
  transport: 'stdio',
  trust: 'trusted',
  consent: 'approved',
  manifest: 'verified',
  sandbox: 'enforced',
  isProtected: true,
  isBlocked: false,
  definitions: ['approved'],
  usage: { calls: 50, ok: 50, toolErrors: 0, p95Ms: 100 },
  hardFindings: 0,
  softFindings: 0,
};

describe('the score', () => {
  it.each<[string, Partial<ScoreFacts>, number]>([
    ['all', {}, 100],
    ['reviewed', { trust: 'reviewed' }, 90],
    ['untrusted', { trust: 'untrusted' }, 70],
    ['manifest unverified', { manifest: 'unverified' }, 88],
    ['manifest of version 1', { manifest: 'verified_v1' }, 92],
    ['no manifest', { manifest: 'absent' }, 80],
    ['process only', { sandbox: 'process' }, 88],
    ['no sandbox', { sandbox: 'none' }, 80],
    ['consent pending', { consent: 'pending' }, 90],
    ['one pending', { definitions: ['approved', 'pending'] }, 90],
    ['nothing seen yet', { definitions: [] }, 90],
    ['http', { transport: 'streamable_http', manifest: 'absent', sandbox: 'none' }, 92],
    ['http, not encrypted', { transport: 'streamable_http', isProtected: false }, 72],
  ])('posture, %s', (_, change, posture) => {
    expect(score({ ...BEST, ...change }).posture).toBe(posture);
  });

  it.each([
    [{ ...NO_USAGE }, 60],
    [{ calls: 50, ok: 50, toolErrors: 0, p95Ms: 2_000 }, (100 * 51) / 52],
    [{ calls: 8, ok: 0, toolErrors: 0, p95Ms: 10 }, 10],
    [{ calls: 8, ok: 4, toolErrors: 4, p95Ms: 10 }, 70],
    [{ calls: 8, ok: 8, toolErrors: 0, p95Ms: 10_000 }, 45],
    [{ calls: 8, ok: 8, toolErrors: 0, p95Ms: 6_000 }, 67.5],
    [{ calls: 8, ok: 8, toolErrors: 0, p95Ms: 900_000 }, 45],
  ])('reliability of %j: %d', (usage, reliability) => {
    expect(score({ ...BEST, usage }).reliability).toBeCloseTo(reliability, 8);
  });

  it.each([
    [0, 0, 100],
    [1, 0, 75],
    [3, 0, 50],
    [100, 0, 20],
    [0, 1, 94],
    [0, 1_000, 75],
    [1_000, 1_000, 0],
  ])('safety with %d hard and %d soft findings: %d', (hardFindings, softFindings, safety) => {
    expect(score({ ...BEST, hardFindings, softFindings }).safety).toBeCloseTo(safety, 8);
  });

  it.each<[Partial<ScoreFacts>, number, string, string | undefined]>([
    [{}, 99, 'A', undefined],
    [{ usage: NO_USAGE }, 86, 'A', undefined],
    [{ usage: NO_USAGE, trust: 'untrusted', manifest: 'unverified', sandbox: 'process' }, 64, 'C', undefined],
    [{ manifest: 'verified_v1' }, 69, 'C', expect.stringContaining('does not cover')],
    [{ definitions: ['approved', 'changed'] }, 49, 'D', 'a definition is changed'],
    [{ definitions: ['quarantined'] }, 49, 'D', 'a definition is quarantined'],
    [{ isBlocked: true }, 0, 'F', 'blocked'],
    [{ trust: 'blocked' }, 0, 'F', 'blocked'],
    [{ consent: 'denied' }, 0, 'F', 'consent denied'],
  ])('of %j is %d, %s, held down by %s', (change, points, grade, cap) => {
    expect(score({ ...BEST, ...change })).toMatchObject({ score: points, grade });
    expect(score({ ...BEST, ...change }).cap).toEqual(cap);
  });

  it.each([
    [0, 'low'],
    [4, 'low'],
    [5, 'medium'],
    [19, 'medium'],
    [20, 'high'],
  ])('after %d calls has the confidence %s', (calls, confidence) => {
    expect(score({ ...BEST, usage: { calls, ok: calls, toolErrors: 0, p95Ms: 1 } }).confidence).toBe(
      confidence,
    );
  });

  it('explains every point', () => {
    const { explain } = score({ ...BEST, definitions: ['changed'], softFindings: 2 });
    expect(explain).toEqual([
      'posture +40: trust trusted',
      'posture +20: manifest verified',
      'posture +20: sandbox enforced',
      'posture +10: consent approved',
      'posture +0: definitions not all approved',
      'posture 90 x 0.40',
      'reliability 98.1 x 0.35: 50 of 50 calls ok, 0 tool errors, p95 100 ms',
      'safety 90.5 x 0.25: 0 hard findings, 2 soft ones',
      'score 93',
      'at most 49: a definition is changed',
    ]);
  });
});

const NOW = 1_800_000_000_000;

async function* returned(calls: readonly (readonly [CallOutcome, number, number?])[]) {
  for (const [outcome, ms, at = NOW] of calls)
    yield {
      event: 'returned',
      call: 'c',
      server: 's',
      capability: 'x',
      kind: 'tool',
      outcome,
      ms,
      seq: 1,
      prev: '',
      time: new Date(at).toISOString(),
    } as AuditRecord<AuditEvent>;
}

describe('usage', () => {
  it('counts the last fifty, and neither denied nor cancelled ones', async () => {
    const calls = [
      ...Array.from({ length: 30 }, () => ['transport', 9_000] as const),
      ...Array.from({ length: 10 }, () => ['denied', 1] as const),
      ...Array.from({ length: 10 }, () => ['cancelled', 1] as const),
      ...Array.from({ length: 45 }, (_, n) => ['ok', n + 1] as const),
      ['tool_error', 100] as const,
    ];
    expect((await readUsage(returned(calls), NOW)).get('s')).toEqual({
      calls: 50,
      ok: 45,
      toolErrors: 1,
      p95Ms: 9_000,
    });
  });

  it('forgets what is older than thirty days', async () => {
    const calls = [['timeout', 5, usageSince(NOW) - 1] as const, ['ok', 7, usageSince(NOW)] as const];
    expect((await readUsage(returned(calls), NOW)).get('s')).toMatchObject({ calls: 1, ok: 1, p95Ms: 7 });
  });

  it.each([
    [[], 0],
    [[5], 5],
    [Array.from({ length: 100 }, (_, n) => n + 1), 95],
    [Array.from({ length: 20 }, (_, n) => 20 - n), 19],
  ])('knows the 95th percentile of %j', (values, expected) => {
    expect(percentile(values, 0.95)).toBe(expected);
  });
});

const LIMITS = { minScore: 50, maxTools: 40, minTrust: 'reviewed' } as const;
const ALLOW = { outcome: 'allow', code: 'default', rule: 'default', reason: '' } as const;

type Change = Partial<Omit<ExposureCandidate, 'server'>> & { server?: Partial<ExposureCandidate['server']> };

function candidate(name: string, { server, ...change }: Change = {}): ExposureCandidate {
  return {
    entry: {
      server: 'srv',
      definition: { kind: 'tool', name },
      fingerprint: 'f',
      state: 'approved',
      findings: [],
    },
    class: 'read_only',
    decision: ALLOW,
    ...change,
    server: { isEnabled: true, consent: 'approved', trust: 'reviewed', score: 80, ...server },
  };
}

const withState = (state: 'changed' | 'pending' | 'quarantined'): Change => ({
  entry: { ...candidate('x').entry, state },
});

describe('exposure', () => {
  it.each<[string, Change]>([
    ['ok', {}],
    ['disabled', { server: { isEnabled: false, consent: 'denied', score: 0 } }],
    [
      'blocked:command_is_shell',
      { server: { rejection: { code: 'command_is_shell', reason: '' }, consent: 'pending' } },
    ],
    ['blocked:server_blocked', { server: { trust: 'blocked' } }],
    ['consent', { server: { consent: 'pending', trust: 'untrusted' } }],
    ['trust', { server: { trust: 'untrusted', score: 0 } }],
    ['definition_changed', { ...withState('changed'), decision: { ...ALLOW, outcome: 'deny' } }],
    ['definition_pending', withState('pending')],
    ['quarantined', withState('quarantined')],
    [
      'policy:mcp_policy[2]',
      { decision: { ...ALLOW, outcome: 'deny', rule: 'mcp_policy[2]' }, server: { score: 0 } },
    ],
    ['score 42<50', { server: { score: 42 } }],
  ])('gives the first reason: %s', (reason, change) => {
    const [only] = expose([candidate('x', change)], LIMITS);
    expect(only).toMatchObject({ name: 'srv__x', reason, isVisible: reason === 'ok' });
  });

  it('spends its budget on what needs no approval, then on better servers, then by name', () => {
    const ask = { ...ALLOW, outcome: 'ask' } as const;
    const all = [
      candidate('a', { decision: ask, server: { score: 99 } }),
      candidate('d'),
      candidate('c'),
      candidate('b', { server: { score: 90 } }),
      candidate('e', { server: { score: 10 } }),
    ];
    const show = (maxTools: number) =>
      expose(all, { ...LIMITS, maxTools })
        .filter(({ isVisible }) => isVisible)
        .map(({ name }) => name.slice(5));
    expect([1, 2, 3, 4, 9].map(show)).toEqual([
      ['b'],
      ['b', 'c'],
      ['b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ]);
    expect(expose(all, { ...LIMITS, maxTools: 1 }).map(({ reason }) => reason)).toEqual([
      'budget',
      'ok',
      'budget',
      'budget',
      'score 10<50',
    ]);
  });

  it('names plainly what is to be, gives a name once, and none that looks like another server’s', () => {
    const plain = { isPlain: true };
    const of = (server: string, name: string, kind: 'tool' | 'prompt' | 'resource') => ({
      entry: { ...candidate('x').entry, server, definition: { kind, name } },
      ...(server !== 'prefixed' && { server: plain }),
    });
    const all = [
      candidate('', of('one', 'search', 'tool')),
      candidate('', of('two', 'search', 'tool')),
      candidate('', of('two', 'search', 'prompt')),
      candidate('', of('two', 'mail__send', 'tool')),
      candidate('', of('prefixed', 'search', 'tool')),
      candidate('', of('prefixed', 'doc://a', 'resource')),
      candidate('', of('one', 'doc://a', 'resource')),
    ];
    const shown = expose(all, { ...LIMITS, maxTools: 2, servers: ['one', 'two', 'mail', 'prefixed'] });
    expect(shown.map(({ name, candidate: { entry }, reason }) => [name, entry.server, reason])).toEqual([
      ['doc://a', 'one', 'name_taken'],
      ['doc://a', 'prefixed', 'ok'],
      ['mail__send', 'two', 'name_taken'],
      ['prefixed__search', 'prefixed', 'ok'],
      ['search', 'two', 'ok'],
      ['search', 'one', 'ok'],
      ['search', 'two', 'name_taken'],
    ]);
  });

  it('shows what needs an approval, and says so', () => {
    const [only] = expose([candidate('x', { decision: { ...ALLOW, outcome: 'ask' } })], LIMITS);
    expect(only).toMatchObject({ isVisible: true, needsApproval: true });
  });

  it('is the same whatever the order', () => {
    const all = ['b', 'a', 'c', 'B', 'ä'].map((name) => candidate(name));
    const names = (list: ExposureCandidate[]) =>
      expose(list, { ...LIMITS, maxTools: 3 }).map(({ name, reason }) => [name, reason]);
    expect(names(all)).toEqual(names(all.toReversed()));
    expect(names(all).map(([name]) => name)).toEqual([
      'srv__B',
      'srv__a',
      'srv__b',
      'srv__c',
      'srv__tool_33e6d73f',
    ]);
  });
});
