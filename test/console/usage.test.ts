/** The usage page, and the counts behind it: bounded, cheap, and still there after a restart. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { openUsage } from '../../src/app/usage.ts';
import { createUsage } from '../../src/http/usage.ts';
import type { ToolCallRecord } from '../../src/mcp/tool.ts';
import type { Principal } from '../../src/shared/principal.ts';
import { connectApp, connectClient, serveConsole, signIn } from '../kit/console.ts';
import { freePort } from '../kit/http.ts';
import { temporaryFolder } from '../kit/temp.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOON = Date.UTC(2026, 0, 15, 12, 30);
const CALL = {
  tool: 'read_note',
  isError: false,
  milliseconds: 5,
  characters: 1_000,
  principal: 'user:alex',
  client: 'c1',
};

function at(start = NOON) {
  const clock = { now: start };
  return { clock, usage: createUsage({ now: () => clock.now }) };
}

describe('counts', () => {
  it('are in the current slot of each period, and leave with time', () => {
    const { clock, usage } = at();
    usage.count(CALL);
    usage.count({ ...CALL, isError: true });
    for (const period of ['hour', 'day', 'month'] as const)
      expect(usage.report(period).slots.at(-1)).toMatchObject({ calls: 2, errors: 1 });
    clock.now += 2 * MINUTE;
    usage.count({ ...CALL, tool: 'write_note' });
    const { slots, tools } = usage.report('hour');
    expect(slots.slice(-3).map(({ calls }) => calls)).toEqual([2, 0, 1]);
    expect(tools.map(({ tool, calls }) => [tool, calls])).toEqual([
      ['read_note', 2],
      ['write_note', 1],
    ]);
    clock.now += 60 * MINUTE;
    expect(usage.report('hour').total).toEqual({ calls: 0, errors: 0 });
    expect(usage.report('day').total).toMatchObject({ calls: 3 });
    clock.now += 25 * 60 * MINUTE;
    expect([usage.report('day').total.calls, usage.report('month').total.calls]).toEqual([0, 3]);
    clock.now += 40 * DAY;
    expect(usage.report('month').total.calls).toBe(0);
    expect(usage.apps()).toEqual([]);
  });

  it('give quantiles within a fifth for times, and within a half for sizes', () => {
    const { usage } = at();
    for (let step = 1; step <= 1_000; step++)
      usage.count({ ...CALL, milliseconds: step, characters: step * 100 });
    const { p50 = 0, p95 = 0, size50 = 0, size95 = 0 } = usage.report('hour').total;
    for (const [found, real, within] of [
      [p50, 500, 0.2],
      [p95, 950, 0.2],
      [size50, 50_000, 0.5],
      [size95, 95_000, 0.5],
    ] as const)
      expect(Math.abs(found - real) / real).toBeLessThan(within);
  });

  it('take any number, and any number of tools and apps', () => {
    const usage = createUsage({ maxTools: 3, maxApps: 3, now: () => NOON });
    for (const milliseconds of [0, -1, Number.NaN, 1e12]) usage.count({ ...CALL, milliseconds });
    for (let i = 0; i < 50; i++) usage.count({ ...CALL, tool: `tool ${i}`, client: `app ${i}` });
    const { tools, total } = usage.report('hour');
    expect(tools.map(({ tool, calls }) => [tool, calls])).toEqual([
      ['other', 48],
      ['read_note', 4],
      ['tool 0', 1],
      ['tool 1', 1],
    ]);
    expect(total.calls).toBe(54);
    expect(usage.apps()).toHaveLength(3);
  });

  it('cost a few microseconds', () => {
    const { usage } = at();
    for (let i = 0; i < 20_000; i++) usage.count(CALL);
    const begun = performance.now();
    for (let i = 0; i < 100_000; i++) usage.count(CALL);
    expect((performance.now() - begun) / 100).toBeLessThan(20);
  });

  it('come back from a snapshot as they were', () => {
    const { clock, usage } = at();
    usage.count(CALL);
    clock.now += DAY;
    usage.count({ ...CALL, isError: true, tool: '<b>' });
    const other = createUsage({ now: () => clock.now });
    other.add(JSON.parse(JSON.stringify(usage.snapshot())));
    for (const period of ['hour', 'day', 'month'] as const)
      expect(other.report(period)).toEqual(usage.report(period));
    expect(other.apps()).toEqual(usage.apps());
  });
});

describe('the file of counts', () => {
  const principal: Principal = { id: 'user:alex', kind: 'user', scopes: [], clientId: 'c1' };
  const call: ToolCallRecord = { tool: 'x', effect: 'read', outcome: 'ok', milliseconds: 1, characters: 5 };

  test.each([
    ['no JSON', '{"version":1'],
    ['another shape', '{"tools":{}}'],
    [
      'slots that are none',
      '{"version":1,"tools":[{"tool":"x","hour":[["a",0,1]],"day":[],"month":[]}],"apps":[]}',
    ],
    [
      'counts that are none',
      '{"version":1,"tools":[{"tool":"x","hour":[[5,900,1]],"day":[],"month":[]}],"apps":[]}',
    ],
  ])('is begun anew when it is damaged: %s', async (_, damaged) => {
    const dir = await temporaryFolder({ 'usage.json': damaged });
    const lines: string[] = [];
    const open = () =>
      openUsage({
        config: { state: { dir } },
        serve: { port: 0 },
        origin: 'http://127.0.0.1',
        stateFolderFor: () => dir,
        log: (level, message) => void lines.push(`${level} ${message}`),
      });
    const usage = await open();
    expect(lines).toEqual(['warn the counts of tool calls could not be read; counting starts from zero']);
    expect(usage.counts.report('hour').total.calls).toBe(0);
    usage.called(call, 'x', principal);
    await usage.close();
    const again = await open();
    expect(again.counts.report('hour').total).toMatchObject({ calls: 1 });
    expect(lines).toHaveLength(1);
  });

  test('that cannot be written is no reason to fail', async () => {
    const dir = await temporaryFolder();
    await mkdir(join(dir, 'usage.json'));
    const lines: string[] = [];
    const usage = await openUsage({
      config: {},
      serve: { port: 1 },
      origin: 'http://127.0.0.1',
      stateFolderFor: () => dir,
      log: (level, message) => void lines.push(`${level} ${message}`),
    });
    usage.called(call, 'x', principal);
    await usage.close();
    expect(lines.at(-1)).toBe('warn the counts of tool calls could not be saved');
  });
});

test('the page shows calls of a real server to admins alone, and again after a restart', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const state = await temporaryFolder();
  const port = await freePort();
  const settings = {
    config: { notebooks: { mine: { folder } }, serve: { port }, state: { dir: state } },
    users: ['alex', 'bo'],
    admins: ['alex'],
  };
  const server = await serveConsole(settings);
  const empty = await (await signIn(server, 'alex')).get('/console/usage');
  expect(empty.text).toContain('No assistant has called a tool in the last day');
  const { token } = await connectApp(server, 'bo');
  const client = await connectClient(server, { token });
  for (let i = 0; i < 3; i++) await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
  await client.callTool({ name: 'read_note', arguments: { path: 'none.md' } });
  await client.close();
  expect(await server.stop()).toBe(0);
  expect(JSON.parse(await readFile(join(state, 'usage.json'), 'utf8'))).toMatchObject({ version: 1 });

  const again = await serveConsole(settings);
  const alex = await signIn(again, 'alex');
  for (const period of ['hour', 'day', 'month']) {
    const { text } = await alex.get(`/console/usage?period=${period}`);
    expect(text).toContain('<code>read_note</code>');
    expect(text).toMatch(/aria-label="Calls per \w+: 4 in all, 4 at most; 1 failed\."/);
    expect(text).not.toMatch(/\sstyle=|NaN|undefined/);
  }
  expect((await alex.get('/console/usage?period=year')).status).toBe(400);
  expect((await (await signIn(again, 'bo')).get('/console/usage')).status).toBe(403);
});
