/** Governed tools at our own endpoint beside everything else there is: several notebooks, old clients, metrics, slow servers. */
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { findExposed } from '../../src/governance/exposure/call.ts';
import { openExposed } from '../../src/governance/exposure/list.ts';
import { expectProgressAndCancel } from '../governance/expect-cancelled.ts';
import { SHIFTING, writePlane } from '../governance/exposed-kit.ts';
import { openedPlane, shop } from '../governance/plane-kit.ts';
import { testServer } from '../governance/sandbox-kit.ts';
import { until } from '../governance/upstream-kit.ts';
import { connectHttp, startHttp } from '../kit/http.ts';
import { putFile } from '../kit/temp.ts';

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
const call = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });
const NOON = { content: [{ type: 'text', text: 'noon' }] };

test('several notebooks are joined with exposed tools at /mcp; a notebook alone has its own', async () => {
  const written = await writePlane([SHIFTING], {
    notebooks: { personal: { folder: './notes' }, work: { folder: './work-notes' } },
  });
  await putFile(written.folder, 'work-notes/b.md', 'beta');
  const { origin } = await startHttp(['serve', '--config', written.file]);
  const all = await connectHttp(origin);
  const names = await namesOf(all);
  expect(names).toEqual(expect.arrayContaining(['personal_read_note', 'work_read_note', 'box__get_time']));
  expect(names).not.toContain('read_note');
  expect(await call(all, 'box__get_time')).toMatchObject(NOON);
  expect(await call(all, 'work_read_note', { path: 'b.md' })).not.toMatchObject({ isError: true });
  const alone = await connectHttp(origin, { path: '/mcp/work' });
  expect(await namesOf(alone)).toContain('read_note');
  expect((await namesOf(alone)).filter((name) => name.includes('__'))).toEqual([]);
});

test('metrics tell upstream calls apart from others, and their names cannot be made up', async () => {
  const written = await writePlane([SHIFTING], { serve: { port: 0, metrics: 'open' } });
  const { origin } = await startHttp(['serve', '--config', written.file]);
  const client = await connectHttp(origin);
  await call(client, 'box__get_time');
  await call(client, 'box__get_failure');
  await call(client, 'read_note', { path: 'a.md' });
  await expect(call(client, 'box__made_up')).rejects.toThrow('Unknown tool');
  await expect(call(client, 'nobody__made_up')).rejects.toThrow('Unknown tool');
  const text = await (await fetch(new URL('/metrics', origin))).text();
  const tools = new Set([...text.matchAll(/tool_calls_total\{tool="([^"]+)"/g)].map(([, name]) => name));
  expect(tools).toEqual(new Set(['box__*', 'read_note']));
});

describe.each(['legacy', 'auto'] as const)('over HTTP, %s', (mode) => {
  it('progress is passed on, and a cancelled call is cancelled at the upstream server too', async () => {
    const written = await writePlane([SHIFTING]);
    const { origin } = await startHttp(['serve', '--config', written.file]);
    const client = await connectHttp(origin, { mode });
    await namesOf(client);
    await expectProgressAndCancel(client, written);
  });
});

test('old clients get them over HTTP+SSE', async () => {
  const written = await writePlane([SHIFTING], { serve: { port: 0, legacySse: true } });
  const { origin } = await startHttp(['serve', '--config', written.file]);
  const client = new Client({ name: 'old', version: '1' });
  await client.connect(new SSEClientTransport(new URL('/sse', origin)));
  onTestFinished(() => client.close());
  expect(await namesOf(client)).toEqual(expect.arrayContaining(['read_note', 'box__get_time']));
  expect(await call(client, 'box__get_time')).toMatchObject(NOON);
});

test('a slow server delays no list, and clients are notified when it is there', async () => {
  const quick = shop({ name: 'quick', expose: true });
  const slow = shop({ name: 'slow', expose: true, args: [...(shop().args as string[]), '--late'] });
  const { plane } = await openedPlane([quick, slow], { mcp_exposure: { min_score: 0, max_tools: 100 } });
  const exposed = openExposed(plane, { patienceMs: 700 });
  onTestFinished(() => exposed.close());
  let notifications = 0;
  exposed.watch(() => notifications++);
  const servers = async () => {
    const named = (await exposed.look()).filter(({ name }) => name.includes('__'));
    return new Set(named.map(({ name }) => name.split('__')[0]));
  };
  // The quick one must be there by then, however busy the machine is.
  await plane.freshCatalog(plane.server('quick'));
  expect(await servers()).toEqual(new Set(['quick']));
  await until(() => notifications > 0);
  expect(await servers()).toEqual(new Set(['quick', 'slow']));
});

test('what a slow server has is found by a caller that names it, though no list waits for it', async () => {
  const quick = shop({ name: 'quick', expose: true });
  const slow = shop({ name: 'slow', expose: true, args: [...(shop().args as string[]), '--late'] });
  const { plane } = await openedPlane([quick, slow], { mcp_exposure: { min_score: 0, max_tools: 100 } });
  const { entries } = await plane.freshCatalog(plane.server('quick'));
  const tool = entries.find(({ definition }) => definition.kind === 'tool')?.definition.name ?? '';
  const exposed = openExposed(plane, { patienceMs: 700 });
  onTestFinished(() => exposed.close());
  expect((await exposed.look()).filter(({ name }) => name.startsWith('slow__'))).toEqual([]);
  const found = await findExposed(plane, exposed, { kind: 'tool', name: `slow__${tool}` });
  expect(found).toMatchObject({ name: `slow__${tool}`, isVisible: true });
  expect(await findExposed(plane, exposed, { kind: 'tool', name: 'slow__none' })).toBeUndefined();
  expect(await findExposed(plane, exposed, { kind: 'resource', name: 'none://at-all' })).toBeUndefined();
});

describe('a server that does not start', () => {
  const BROKEN = { ...SHIFTING, name: 'broken', args: [testServer('not-there.mjs')] };
  const answered = async (servers: Record<string, unknown>[], name: string) => {
    const written = await writePlane(servers);
    const { origin } = await startHttp(['serve', '--config', written.file]);
    const client = await connectHttp(origin);
    return { client, written, answer: call(client, name) };
  };
  const textOf = async (answer: Promise<unknown>) => {
    const { isError, content } = (await answer) as { isError?: boolean; content: { text: string }[] };
    expect(isError).toBe(true);
    return content[0]?.text ?? '';
  };

  it('is named when one of its tools is called, with what to do', async () => {
    const { client, written, answer } = await answered([SHIFTING, BROKEN], 'broken__get_time');
    const text = await textOf(answer);
    expect(text).toMatch(/could not be started or reached: broken/);
    expect(text).toContain('quire mcp doctor broken');
    expect(text).not.toMatch(/Unknown tool|exit|node/i);
    expect((await written.audit()).at(-1)).toMatchObject({ outcome: 'deny', server: 'broken' });
    // Other servers' unknown tools are still unknown, and their known ones work.
    await expect(call(client, 'box__made_up')).rejects.toThrow('Unknown tool: box__made_up');
    await expect(call(client, 'nobody__made_up')).rejects.toThrow('Unknown tool');
    expect(await call(client, 'box__get_time')).toMatchObject(NOON);
    await expect(client.getPrompt({ name: 'broken__any' })).rejects.toThrow(
      /could not be started or reached: broken/,
    );
  });

  it('is named for a plain name that it may have', async () => {
    const plain = { ...BROKEN, expose_as: 'plain' };
    const { client, answer } = await answered([plain], 'get_time');
    expect(await textOf(answer)).toMatch(/reached: broken[\s\S]*may be the server that has get_time/);
    expect(await call(client, 'read_note', { path: 'a.md' })).not.toMatchObject({ isError: true });
  });

  it.each([
    ['agreed to', { client_consent: 'pending' }],
    ['trusted enough', { trust: 'untrusted' }],
    ['exposed', { expose: false }],
  ])('is not spoken of where it is not %s', async (_, settings) => {
    const hidden = { ...BROKEN, ...settings };
    const { answer } = await answered([SHIFTING, hidden], 'broken__get_time');
    await expect(answer).rejects.toThrow('Unknown tool: broken__get_time');
  });

  it('that comes back is used again', async () => {
    const { plane } = await openedPlane([shop({ name: 'quick', expose: true })], {
      mcp_exposure: { min_score: 0, max_tools: 100 },
    });
    let isDown = true;
    const exposed = openExposed({
      ...plane,
      freshCatalog: async (server, signal) => {
        if (isDown) throw new Error('down');
        return plane.freshCatalog(server, signal);
      },
    });
    onTestFinished(() => exposed.close());
    await exposed.look();
    expect(exposed.failureOf('quick')).toMatchObject({ message: 'down' });
    isDown = false;
    exposed.stale();
    await exposed.look();
    expect(exposed.failureOf('quick')).toBeUndefined();
  });
});
