/** The plane in one process: what is known of servers, and calls through it. */
import { describe, expect, it, test } from 'vitest';
import { callCapability, decideCall } from '../../src/governance/call.ts';
import type { CallRequest } from '../../src/governance/judge-call.ts';
import type { Plane } from '../../src/governance/plane.ts';
import { openSwitches } from '../../src/governance/switches.ts';
import type { AppError } from '../../src/shared/errors.ts';
import { CLEAN_ENVIRONMENT, putFile, temporaryFolder } from '../kit/temp.ts';
import { BLOCKED, openedPlane, shop } from './plane-kit.ts';
import { testServer } from './sandbox-kit.ts';

const want = (name: string, parts: Partial<CallRequest> = {}): CallRequest => ({
  server: 'shop',
  kind: 'tool',
  name,
  args: name.endsWith('_note') ? { path: 'a.md' } : {},
  by: 'test',
  ...parts,
});

const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no refusal',
    ({ reason }: AppError) => reason,
  );

async function eventsOf(plane: Plane): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for await (const event of plane.audit.read()) events.push({ ...event });
  return events;
}

async function asked(call: Promise<unknown>): Promise<string> {
  const error: AppError = await call.then(
    () => Promise.reject(new Error('it ran')),
    (thrown) => thrown,
  );
  expect(error.code).toBe('approval_required');
  return String(error.details.approval);
}

describe('approvals', () => {
  it('lets one of two calls at once through, and asks anew for the other', async () => {
    const { plane } = await openedPlane([shop()]);
    const id = await asked(callCapability(plane, want('write_note')));
    await plane.approvals.approve(id, { by: 'me' });
    const ends = await Promise.allSettled([
      callCapability(plane, want('write_note')),
      callCapability(plane, want('write_note')),
    ]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const events = await eventsOf(plane);
    expect(events.filter(({ event }) => event === 'started')).toEqual([
      expect.objectContaining({ approval: id }),
    ]);
  });

  it('blocks no other request while an approved call runs', async () => {
    const { plane } = await openedPlane([shop({ action_classes: { get_slow: 'local_write' } })]);
    await plane.approvals.approve(await asked(callCapability(plane, want('get_slow'))), { by: 'me' });
    const stop = new AbortController();
    const slow = refusal(callCapability(plane, want('get_slow', { signal: stop.signal })));
    const other = await asked(callCapability(plane, want('write_note')));
    expect(await plane.approvals.get(other)).toMatchObject({ state: 'pending' });
    stop.abort();
    expect(await slow).toBe('cancelled');
  });

  it('is refused when a person denied it, and the log says so', async () => {
    const { plane } = await openedPlane([shop()]);
    const id = await asked(callCapability(plane, want('write_note')));
    await plane.approvals.deny(id, { by: 'me' });
    expect(await refusal(callCapability(plane, want('write_note')))).toBe('approval_denied');
    expect((await eventsOf(plane)).at(-1)).toMatchObject({ outcome: 'deny', code: 'approval_denied' });
  });

  it('tells once that it ran out, then asks anew', async () => {
    const clock = { now: Date.now() };
    const { plane } = await openedPlane([shop()], {}, { now: () => clock.now });
    const first = await asked(callCapability(plane, want('write_note')));
    clock.now += 901_000;
    expect(await refusal(callCapability(plane, want('write_note')))).toBe('approval_expired');
    expect(await asked(callCapability(plane, want('write_note')))).not.toBe(first);
  });

  it('is seen by a dry run, which takes nothing', async () => {
    const { plane } = await openedPlane([shop()]);
    expect(await decideCall(plane, want('write_note'))).toMatchObject({ outcome: 'ask', rule: 'default' });
    const id = await asked(callCapability(plane, want('write_note')));
    await plane.approvals.approve(id, { by: 'me' });
    for (let at = 0; at < 2; at++)
      expect(await decideCall(plane, want('write_note'))).toMatchObject({ rule: `approval:${id}` });
    await callCapability(plane, want('write_note'));
  });
});

describe('limits', () => {
  it('refuses calls beyond the rate until the minute is over; dry runs do not count', async () => {
    const clock = { now: Date.now() };
    const { plane } = await openedPlane(
      [shop()],
      { mcp_limits: { calls_per_minute: 2 } },
      { now: () => clock.now },
    );
    for (let at = 0; at < 5; at++)
      expect(await decideCall(plane, want('get_note'))).toMatchObject({ outcome: 'allow' });
    await callCapability(plane, want('get_note'));
    await callCapability(plane, want('get_note'));
    const third = callCapability(plane, want('get_note'));
    await expect(third).rejects.toMatchObject({ code: 'rate_limited', reason: 'rate_limited' });
    expect(await decideCall(plane, want('get_note'))).toMatchObject({ code: 'rate_limited' });
    clock.now += 61_000;
    await callCapability(plane, want('get_note'));
  });
});

describe('a server that changes', () => {
  it('is refused in the same session after list_changed, and again when it was accepted', async () => {
    const { plane } = await openedPlane([shop()]);
    await callCapability(plane, want('get_note'));
    await callCapability(plane, want('get_change'));
    expect(await refusal(callCapability(plane, want('get_note')))).toBe('definition_changed');
    const comparison = await plane.discover(plane.server('shop'));
    expect(comparison.changes).toEqual([
      expect.objectContaining({ change: 'changed', name: 'get_note', diff: expect.any(Array) }),
    ]);
    await plane.catalog.accept(
      comparison.entries.filter(({ state }) => state === 'changed'),
      'me',
    );
    await plane.discover(plane.server('shop'));
    await callCapability(plane, want('get_note'));
  });

  it('is looked at again when its process was started again', async () => {
    const { plane, folder } = await openedPlane([shop()]);
    await callCapability(plane, want('get_note'));
    await putFile(folder, 'work/says.json', JSON.stringify({ description: 'Reads and sends.' }));
    expect(await refusal(callCapability(plane, want('get_crash')))).toBe('closed');
    expect(await refusal(callCapability(plane, want('get_note')))).toBe('definition_changed');
  });

  it('is looked at again after a minute, though it says nothing', async () => {
    const clock = { now: Date.now() };
    const { plane, folder } = await openedPlane([shop()], {}, { now: () => clock.now });
    await callCapability(plane, want('get_note'));
    await putFile(folder, 'work/says.json', JSON.stringify({ description: 'Reads and sends.' }));
    await callCapability(plane, want('get_note'));
    clock.now += 60_001;
    expect(await refusal(callCapability(plane, want('get_note')))).toBe('definition_changed');
  });

  it('forgets what was removed when that is accepted', async () => {
    const { plane, folder } = await openedPlane([shop()]);
    const extra = { name: 'get_more', inputSchema: { type: 'object' } };
    await putFile(folder, 'work/says.json', JSON.stringify({ more: [extra] }));
    await plane.discover(plane.server('shop'));
    await putFile(folder, 'work/says.json', '{}');
    const comparison = await plane.discover(plane.server('shop'));
    expect(comparison.changes).toMatchObject([{ change: 'removed', name: 'get_more' }]);
    await plane.catalog.acceptRemovals(comparison);
    expect((await plane.discover(plane.server('shop'))).changes).toEqual([]);
  });
});

describe('what is asked for', () => {
  test.each([
    ['shop://items/5/text', undefined],
    ['shop://items/text', 'unknown_capability'],
    ['shop://items/5/html', 'unknown_capability'],
    ['shop://items/secret/text', 'tool_denied'],
    ['shop://items/%73ecret/text', 'tool_denied'],
    ['shop://items/rule/text', 'policy'],
  ])('%s of a template is judged by its own name too', async (name, code) => {
    const { plane } = await openedPlane([shop({ deny_tools: ['*secret*'] })], {
      mcp_policy: [{ effect: 'deny', capabilities: ['shop://items/rule*'] }],
    });
    const call = callCapability(plane, want(name, { kind: 'resource' }));
    if (code !== undefined) return expect(await refusal(call)).toBe(code);
    expect((await call).result).toMatchObject({ contents: [{ text: `text of ${name}` }] });
  });

  test('an unknown or hidden name is refused and written down', async () => {
    const { plane } = await openedPlane([shop({ deny_tools: ['get_note'] })]);
    await expect(callCapability(plane, want('no_such'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await refusal(callCapability(plane, want('get_note')))).toBe('tool_denied');
    expect(await eventsOf(plane)).toMatchObject([
      { event: 'proposed', capability: 'no_such' },
      { event: 'decided', outcome: 'deny', code: 'unknown_capability' },
      { event: 'proposed', capability: 'get_note' },
      { event: 'decided', outcome: 'deny', code: 'tool_denied' },
    ]);
  });

  test('of a server that may not be started nothing is, and the others go on', async () => {
    const { plane } = await openedPlane([BLOCKED, shop({ enabled: false, name: 'off' }), shop()]);
    expect(await refusal(callCapability(plane, want('get_note', { server: 'bad' })))).toBe(
      'no_reviewed_allowlist',
    );
    expect(await refusal(callCapability(plane, want('get_note', { server: 'off' })))).toBe('server_disabled');
    await callCapability(plane, want('get_note'));
    expect(() => plane.server('shpo')).toThrow(/No such server: shpo/);
  });

  test('arguments that do not fit are refused before the server sees them', async () => {
    const { plane } = await openedPlane([shop()]);
    const call = callCapability(plane, want('get_note', { args: { path: 5 } }));
    await expect(call).rejects.toMatchObject({
      code: 'invalid_input',
      reason: 'invalid_arguments',
    });
  });
});

describe('what comes back', () => {
  it('has no hidden characters, and says that it had', async () => {
    const { plane } = await openedPlane([shop()]);
    const { result, findings } = await callCapability(plane, want('get_hidden'));
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining('\nplain text[31m\n') }] });
    expect(findings).toMatchObject([{ code: 'unicode.hidden', severity: 'hard' }]);
    expect((await eventsOf(plane)).at(-1)).toMatchObject({
      event: 'returned',
      findings: ['unicode.hidden'],
      handling: 'fence',
    });
  });

  it('is a failure of transport when the server dies, and the next call runs', async () => {
    const { plane } = await openedPlane([shop()]);
    expect(await refusal(callCapability(plane, want('get_crash')))).toBe('closed');
    expect((await eventsOf(plane)).at(-1)).toMatchObject({ event: 'returned', outcome: 'transport' });
    await callCapability(plane, want('get_note'));
  });

  it("tells a tool's own failure from ours", async () => {
    const { plane } = await openedPlane([shop()]);
    expect(await callCapability(plane, want('get_fail'))).toMatchObject({ isError: true });
    expect((await eventsOf(plane)).at(-1)).toMatchObject({ outcome: 'tool_error' });
  });
});

test('a server gets the variables it is configured with, and no others of ours', async () => {
  const env = { LANG: 'de_DE.UTF-8', KEY: `\${env:SOME_KEY}` };
  const odd = shop({ args: [testServer('odd.mjs')], env, action_classes: { where: 'read_only' } });
  const environment = { ...CLEAN_ENVIRONMENT, SOME_KEY: 'abc', OTHER: 'x' };
  const { plane } = await openedPlane([odd], {}, { environment });
  const { result } = await callCapability(plane, want('where'));
  const [first] = result.content as { text: string }[];
  const said = JSON.parse(first?.text ?? '{}').env;
  expect(said).toMatchObject({ LANG: 'de_DE.UTF-8', KEY: 'abc' });
  expect(said).not.toHaveProperty('OTHER');
  const { plane: without } = await openedPlane([odd]);
  await expect(callCapability(without, want('where'))).rejects.toThrow(
    /variables that are not set: shop: SOME_KEY/,
  );
});

test('the last catalog of a server is there for callers that must not start it', async () => {
  const { plane } = await openedPlane([shop()]);
  expect(await plane.snapshots.of('shop')).toBeUndefined();
  expect(await plane.snapshots.of('__proto__')).toBeUndefined();
  await plane.discover(plane.server('shop'));
  const seen = await plane.snapshots.of('shop');
  expect(seen).toMatchObject({ serverVersion: '1.2.3', protocolVersion: '2025-11-25' });
  expect(seen?.entries.find(({ definition }) => definition.name === 'get_note')).toMatchObject({
    state: 'approved',
    definition: { description: 'Reads a note.' },
  });
});

test('a switch of another process holds from the next look on, and so does the next', async () => {
  const folder = await temporaryFolder();
  const [ours, theirs] = [openSwitches({ folder, now: () => 1 }), openSwitches({ folder, now: () => 2 })];
  expect(await ours.of('shop')).toBeUndefined();
  await theirs.set('shop', false, 'ana');
  expect(await ours.of('shop')).toEqual({ at: 2, by: 'ana' });
  expect(await ours.of('shop')).toEqual({ at: 2, by: 'ana' });
  await theirs.set('shop', true, 'ana');
  expect(await ours.of('shop')).toBeUndefined();
});
