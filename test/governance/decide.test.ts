/** The order of decisions, the matrix, and what no rule can change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ControlPlane } from '../../src/config/control-plane.ts';
import { decide, type PolicyQuery, policyVersion } from '../../src/governance/policy/decide.ts';
import type { ActionClass, CatalogEntry, Decision, PinState } from '../../src/governance/types.ts';
import type { Rejection } from '../../src/upstream/definition.ts';
import { planeOf, serverOf } from './kit.ts';

const CLASSES = ['read_only', 'local_write', 'external', 'destructive'] as const;
const TRUSTS = ['untrusted', 'reviewed', 'trusted'] as const;
const NAME_OF: Readonly<Record<ActionClass, string>> = {
  read_only: 'get_x',
  local_write: 'save_x',
  external: 'ponder_x',
  destructive: 'delete_x',
};

const entryOf = (name: string, state: PinState = 'approved'): CatalogEntry => ({
  server: 'example',
  definition: { kind: 'tool', name },
  fingerprint: '0',
  state,
  findings: [],
});

const open = { command: 'x', client_consent: 'approved' };
const question = (
  settings: Record<string, unknown> = {},
  more: Partial<PolicyQuery> & { name?: string } = {},
): PolicyQuery => ({
  server: serverOf({ ...open, ...settings }),
  entry: entryOf(more.name ?? 'get_x'),
  rejections: [],
  ...more,
});

const policyOf = (mode = 'ask', rules: readonly Record<string, unknown>[] = []): ControlPlane =>
  planeOf({ mcp_permission_mode: mode, mcp_policy: rules }, [
    { name: 'example', transport: 'stdio', ...open },
  ]);

/** From a step that no rule and no approval can lift. */
const isHardStop = ({ outcome, code }: Decision): boolean =>
  outcome === 'deny' && code !== 'policy' && code !== 'default';

describe('the order', () => {
  /** Each row breaks its own step and all that come after it. */
  const allow = policyOf('auto', [{ effect: 'allow' }]);
  const late = { argumentProblem: () => 'wrong', limitProblem: () => 'too many', approval: 'apr_1' };
  const rejections: Rejection[] = [
    { code: 'command_is_shell', reason: 'a shell' },
    { code: 'sandbox_disabled', reason: 'no sandbox' },
  ];
  const denied = { deny_tools: ['GET_*'] };
  const blocked = { ...denied, trust: 'blocked' };
  test.each<[string, PolicyQuery]>([
    ['unknown_capability', { ...question({ enabled: false }, late), server: undefined }],
    ['unknown_capability', { ...question({ enabled: false }, late), entry: undefined }],
    ['unknown_capability', { ...question({}, late), entry: { ...entryOf('get_x'), server: 'other' } }],
    ['server_disabled', question({ ...blocked, enabled: false }, { ...late, rejections })],
    ['command_is_shell', question({ ...blocked, client_consent: 'pending' }, { ...late, rejections })],
    ['consent_required', question({ ...blocked, client_consent: 'pending' }, late)],
    ['consent_denied', question({ ...blocked, client_consent: 'denied' }, late)],
    ['server_blocked', question(blocked, { ...late, entry: entryOf('get_x', 'changed') })],
    ['definition_pending', question(denied, { ...late, entry: entryOf('get_x', 'pending') })],
    ['definition_changed', question(denied, { ...late, entry: entryOf('get_x', 'changed') })],
    ['quarantined', question(denied, { ...late, entry: entryOf('get_x', 'quarantined') })],
    ['tool_denied', question(denied, late)],
    ['tool_denied', question({ allow_tools: ['Get_*', 'list'] }, late)],
    ['invalid_arguments', question({}, late)],
    ['rate_limited', question({}, { ...late, argumentProblem: () => undefined })],
  ])('%s', (code, asked) => {
    expect(decide(asked, allow)).toMatchObject({ outcome: 'deny', code });
    expect(isHardStop(decide(asked, allow))).toBe(true);
  });

  test('no limit is counted for a call that was stopped before', () => {
    let counted = 0;
    const limitProblem = () => String(counted++);
    decide(question({ enabled: false }, { limitProblem }), allow);
    decide(question({}, { limitProblem, argumentProblem: () => 'wrong' }), allow);
    expect(counted).toBe(0);
  });

  test('what is unknown is not named', () => {
    const decision = decide({ ...question({}, { name: 'secret_tool' }), server: undefined }, allow);
    expect(JSON.stringify(decision)).not.toMatch(/secret_tool|example/);
  });
});

describe('where no rule says anything', () => {
  /** untrusted, reviewed, trusted */
  test.each([
    ['ask', 'read_only', 'ask allow allow'],
    ['ask', 'local_write', 'ask ask allow'],
    ['ask', 'external', 'ask ask ask'],
    ['ask', 'destructive', 'deny ask ask'],
    ['auto', 'read_only', 'ask allow allow'],
    ['auto', 'local_write', 'ask ask allow'],
    ['auto', 'external', 'ask ask allow'],
    ['auto', 'destructive', 'deny ask ask'],
    ['read-only', 'read_only', 'ask allow allow'],
    ['read-only', 'local_write', 'deny deny deny'],
    ['read-only', 'external', 'deny deny deny'],
    ['read-only', 'destructive', 'deny deny deny'],
  ] as const)('mode %s, %s: %s', (mode, actionClass, expected) => {
    const decisions = TRUSTS.map((trust) =>
      decide(question({ trust }, { name: NAME_OF[actionClass] }), policyOf(mode)),
    );
    expect(decisions.map(({ outcome }) => outcome).join(' ')).toBe(expected);
    expect(decisions.every(({ code, rule }) => code === 'default' && rule === 'default')).toBe(true);
  });
});

describe('rules', () => {
  const decided = (
    rules: readonly Record<string, unknown>[],
    more: Partial<PolicyQuery> & { name?: string } = {},
    trust = 'reviewed',
  ) => decide(question({ trust }, more), policyOf('ask', rules));

  test('the strictest that matches decides, whatever the order', () => {
    const deny = { effect: 'deny', capabilities: ['get_*'], reason: 'no reading' };
    const rules = [{ effect: 'allow' }, deny, { effect: 'ask', servers: ['ex*'] }];
    expect(decided(rules)).toEqual({
      outcome: 'deny',
      code: 'policy',
      rule: 'mcp_policy[1]',
      reason: 'no reading',
    });
    expect(decided(rules.toReversed())).toMatchObject({ outcome: 'deny', rule: 'mcp_policy[1]' });
    expect(decided(rules, { name: 'list_x' })).toMatchObject({ outcome: 'ask', rule: 'mcp_policy[2]' });
  });

  test('match the whole name; those that hold back in any case, those that let through exactly', () => {
    expect(decided([{ effect: 'deny', capabilities: ['*DELETE*'] }], { name: 'Delete_x' }).outcome).toBe(
      'deny',
    );
    expect(decided([{ effect: 'deny', capabilities: ['get'] }]).outcome).toBe('allow');
    expect(decided([{ effect: 'deny', capabilities: ['get_?'] }]).outcome).toBe('deny');
    expect(decided([{ effect: 'allow', capabilities: ['SAVE_*'] }], { name: 'save_x' }).outcome).toBe('ask');
    expect(decided([{ effect: 'allow', capabilities: ['save_*'] }], { name: 'save_x' }).outcome).toBe(
      'allow',
    );
    expect(decided([{ effect: 'deny', classes: ['read_only'] }]).outcome).toBe('deny');
    expect(decided([{ effect: 'deny', classes: ['external'] }]).outcome).toBe('allow');
  });

  test('lift an ask, but no deny and nothing that destroys', () => {
    const allow = [{ effect: 'allow' }];
    expect(decided(allow, { name: 'ponder' })).toMatchObject({ outcome: 'allow', rule: 'mcp_policy[0]' });
    expect(decided(allow, { name: 'delete_x' })).toMatchObject({ outcome: 'ask', rule: 'default' });
    expect(decided(allow, { name: 'delete_x' }, 'untrusted').outcome).toBe('deny');
    expect(
      decide(question({ trust: 'trusted' }, { name: 'save_x' }), policyOf('read-only', allow)).outcome,
    ).toBe('deny');
  });

  test('an approval turns an ask into an allow, and nothing else', () => {
    const approval = 'apr_1';
    expect(decided([], { name: 'delete_x', approval })).toMatchObject({
      outcome: 'allow',
      rule: 'approval:apr_1',
    });
    expect(decided([{ effect: 'deny' }], { approval }).outcome).toBe('deny');
    expect(decided([], { approval })).toMatchObject({ outcome: 'allow', rule: 'default' });
  });
});

describe('for any policy and any capability', () => {
  const anyRule = fc.record(
    {
      effect: fc.constantFrom('allow', 'ask', 'deny'),
      servers: fc.constant(['*']),
      capabilities: fc.uniqueArray(fc.constantFrom('*', 'get_*', '*_x', 'delete_?', 'ponder_x'), {
        minLength: 1,
      }),
      classes: fc.uniqueArray(fc.constantFrom(...CLASSES), { minLength: 1 }),
    },
    { requiredKeys: ['effect'] },
  );
  /** A configuration refuses a rule that would do nothing. */
  const isUseful = ({ effect, classes }: { effect: string; classes?: string[] | undefined }) =>
    effect !== 'allow' || !classes?.every((name) => name === 'destructive');
  const rule = anyRule.filter(isUseful);
  const world = fc.record({
    mode: fc.constantFrom('read-only', 'ask', 'auto'),
    rules: fc.array(rule, { maxLength: 6 }),
    trust: fc.constantFrom('untrusted', 'reviewed', 'trusted', 'blocked'),
    consent: fc.constantFrom('approved', 'pending', 'denied'),
    enabled: fc.boolean(),
    state: fc.constantFrom<PinState>('approved', 'approved', 'pending', 'changed', 'quarantined'),
    actionClass: fc.constantFrom(...CLASSES),
    rejected: fc.boolean(),
    approval: fc.option(fc.constant<string>('apr_1'), { nil: undefined }),
  });
  type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

  const asked = (one: World, isOpen = false): PolicyQuery => {
    const settings = isOpen
      ? { trust: one.trust === 'blocked' ? 'trusted' : one.trust }
      : { trust: one.trust, client_consent: one.consent, enabled: one.enabled };
    return question(settings, {
      entry: entryOf(NAME_OF[one.actionClass], isOpen ? 'approved' : one.state),
      rejections: one.rejected && !isOpen ? [{ code: 'command_is_shell', reason: 'x' }] : [],
      ...(one.approval !== undefined && { approval: one.approval }),
    });
  };

  test('a deny that matches wins', () => {
    fc.assert(
      fc.property(world, fc.nat(6), (one, at) => {
        const rules = one.rules.toSpliced(at, 0, { effect: 'deny' });
        expect(decide(asked(one, true), policyOf(one.mode, rules)).outcome).toBe('deny');
      }),
    );
  });

  test('nothing lifts what comes before the rules', () => {
    fc.assert(
      fc.property(world, (one) => {
        const before = decide(asked(one), policyOf('ask'));
        fc.pre(isHardStop(before));
        expect(decide(asked(one), policyOf(one.mode, one.rules))).toEqual(before);
        expect(decide(asked({ ...one, approval: 'apr_2' }), policyOf('auto', [{ effect: 'allow' }]))).toEqual(
          before,
        );
      }),
    );
  });

  test('what destroys is never allowed without an approval', () => {
    fc.assert(
      fc.property(world, (one) => {
        const destructive = { ...one, actionClass: 'destructive' as const, approval: undefined };
        expect(decide(asked(destructive, true), policyOf(one.mode, one.rules)).outcome).not.toBe('allow');
      }),
    );
  });

  test('lists, searches and calls agree', () => {
    fc.assert(
      fc.property(world, fc.boolean(), (one, isOpen) => {
        const listed = asked(one, isOpen);
        const called = { ...listed, argumentProblem: () => undefined, limitProblem: () => undefined };
        const policy = policyOf(one.mode, one.rules);
        expect(decide(called, policy)).toEqual(decide(listed, policy));
      }),
    );
  });

  test('one more rule that holds back never lets more through', () => {
    const rank = { allow: 2, ask: 1, deny: 0 };
    fc.assert(
      fc.property(world, rule, (one, extra) => {
        fc.pre(extra.effect !== 'allow');
        const before = decide(asked(one, true), policyOf(one.mode, one.rules));
        const after = decide(asked(one, true), policyOf(one.mode, [...one.rules, extra]));
        expect(rank[after.outcome]).toBeLessThanOrEqual(rank[before.outcome]);
      }),
    );
  });
});

describe('the version of a policy', () => {
  const rules = [{ effect: 'deny', capabilities: ['x'] }, { effect: 'ask' }];
  test('is a sha256 that changes with the mode, a rule and their order', () => {
    const versions = [
      policyVersion(policyOf('ask', rules)),
      policyVersion(policyOf('auto', rules)),
      policyVersion(policyOf('ask', rules.toReversed())),
      policyVersion(policyOf('ask', rules.slice(1))),
    ];
    expect(new Set(versions).size).toBe(4);
    for (const version of versions) expect(version).toMatch(/^[0-9a-f]{64}$/);
  });

  test('and with nothing else', () => {
    const reordered = rules.map((one) => Object.fromEntries(Object.entries(one).reverse()));
    expect(policyVersion(policyOf('ask', reordered))).toBe(policyVersion(policyOf('ask', rules)));
  });
});
