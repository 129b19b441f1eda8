/**
 * Sessions of the older era on three real processes and one database, behind a proxy that gives each request to the next
 * of them: the official suite in both eras, real clients, and processes that are killed in the midst of it.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { startServer, type TestServerOptions } from '../conformance/server.ts';
import { runSuite, type SuiteRun, troubleOf } from '../conformance/suite.ts';
import { text } from '../conformance/tools.ts';
import {
  abortable,
  eventsOf,
  type Message,
  messagesOf,
  nextEvent,
  openSession,
  type StreamEvent,
  sessionWith,
  toolCall,
} from '../conformance/wire.ts';
import { eventually } from '../kit/eventually.ts';
import { type HttpServer, startHttp } from '../kit/http.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { startProxy } from '../kit/replicas.ts';
import type { RoundRobinProxy } from '../kit/round-robin.ts';
import { temporaryFolder } from '../kit/temp.ts';

/** Four processes share the machine with the suite, which gives a change 1.5 seconds to be told. */
const TOLD_LATE = /^WARNING sep-2575-server-sends-(?:tools|prompts)-list-changed-on-subscription:/;
const SUITE_MS = 240_000;
/** How far a replica that takes over from a killed one looks back, and its last sign of life before that. */
const TOLD_FOR_CERTAIN_MS = 11_500;

const PLANE = {
  mcp_permission_mode: 'auto',
  mcp_policy: [{ effect: 'allow', servers: ['suite'] }],
  mcp_limits: { calls_per_minute: 10_000 },
  mcp_exposure: { max_tools: 1_000 },
  mcp_sampling: { enabled: true, per_hour: 1_000 },
};

const BEHIND = {
  name: 'suite',
  transport: 'streamable_http',
  client_consent: 'approved',
  trust: 'trusted',
  first_definitions: 'accept',
  allow: { sampling: true },
  expose: true,
  expose_as: 'plain',
  ask_client: ['elicitation', 'sampling', 'roots'],
};

interface RunningReplicas {
  readonly servers: readonly HttpServer[];
  readonly proxy: RoundRobinProxy;
  readonly url: string;
  /** Of the notes that all of them serve; without notes, undefined. */
  readonly folder: string;
}

async function startReplicas(
  options: TestServerOptions & { readonly hasNotes?: boolean } = {},
  count = 3,
): Promise<RunningReplicas> {
  const suite = await startServer(options);
  onTestFinished(suite.close);
  const [database, folder] = [await freshDatabase(), await temporaryFolder({ 'watched.md': '# Watched\n' })];
  const config = {
    notebooks: options.hasNotes ? { notes: { folder } } : {},
    serve: { port: 0, requestsPerMinute: 100_000, callsPerMinute: 100_000, legacySse: true },
    state: { postgres: database },
    history: 'off',
    console: 'off',
    control_plane: { ...PLANE, mcp_servers: [{ ...BEHIND, url: suite.url }] },
  };
  const servers: HttpServer[] = [];
  for (let index = 0; index < count; index++) {
    const own = await temporaryFolder();
    await writeFile(join(own, 'quire.yaml'), JSON.stringify(config));
    servers.push(await startHttp(['serve', '--config', join(own, 'quire.yaml')]));
  }
  const proxy = await startProxy(servers.map(({ origin }) => origin));
  return { servers, proxy, url: `${proxy.origin}/mcp`, folder };
}

async function kill({ servers, proxy }: RunningReplicas, index: number): Promise<void> {
  const server = servers[index];
  if (!server) throw new Error('no such replica');
  const exited = once(server.process, 'exit');
  server.process.kill('SIGKILL');
  await exited;
  proxy.targets = proxy.targets.filter((origin) => origin !== server.origin);
}

/** By the name of the scenario; neither the SDK nor Quire has the extension for tasks. */
function troubleIn({ scenarios }: SuiteRun): (readonly [string, readonly string[]])[] {
  return [...scenarios]
    .map(([name, checks]) => [name, troubleOf(checks)] as const)
    .filter(([name, found]) => found.length > 0 && !name.startsWith('tasks-'));
}

function isOnlyLate(run: SuiteRun): boolean {
  const found = troubleIn(run).flatMap(([, messages]) => messages);
  return found.length > 0 && found.every((message) => TOLD_LATE.test(message));
}

/** A tool that reports progress each time the test says so, and answers in the end. */
function stepwise() {
  const waiting: (() => void)[] = [];
  let steps = 0;
  const tool = (mcp: McpServer) => {
    mcp.registerTool('stepwise', { description: 'Goes on when it is told to' }, async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 0;
      for (let progress = 1; progress <= 4; progress++) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
        steps++;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return text('Done');
    });
  };
  return { tool, steps: () => steps, step: () => waiting.shift()?.() };
}

const isListChange = (message: Message | undefined) => message?.method?.endsWith('/list_changed') === true;
const progressOf = ({ message }: StreamEvent) => message?.params?.progress;

describeWith(postgresNeed, 'replicas that share sessions', () => {
  it.each([
    ['2025-11-25', 33],
    ['2026-07-28', 50],
  ])('pass the official suite of %s through the proxy', async (revision, scenarios) => {
    const { url } = await startReplicas();
    let run = await runSuite(url, revision, SUITE_MS);
    for (let again = 0; again < 2 && isOnlyLate(run); again++) run = await runSuite(url, revision, SUITE_MS);
    expect(Object.fromEntries(troubleIn(run))).toEqual({});
    expect(run.exitCode, run.output).toBe(0);
    expect(run.scenarios.size).toBe(scenarios);
  });

  it('go on with a call that runs elsewhere, each event once, and say so when its process is killed', async () => {
    const { tool, steps, step } = stepwise();
    const running = await startReplicas({ extend: tool });
    const { servers, proxy, url } = running;
    const session = await openSession({ url });
    const at = (index: number) => sessionWith(`${servers[index]?.origin}/mcp`, session.id);
    const first = abortable();
    const events = eventsOf(
      await at(0).send(toolCall('a', 'stepwise', { progressToken: 't' }), first.signal),
    );
    await nextEvent(events);
    const seen = await nextEvent(events);
    expect(progressOf(seen)).toBe(1);
    first.abort();
    step();
    await eventually(() => expect(steps()).toBe(2));
    const heard: unknown[] = [];
    let last = seen.id;
    for (const index of [1, 2]) {
      const again = abortable();
      const resumed = eventsOf(await at(index).listen(last, again.signal));
      const event = await nextEvent(resumed);
      heard.push(progressOf(event));
      last = event.id;
      step();
      await eventually(() => expect(steps()).toBe(index + 2));
      if (index === 1) again.abort();
      else {
        // Said by another process while this one listens.
        heard.push(progressOf(await nextEvent(resumed)));
        step();
        expect((await nextEvent(resumed)).message).toMatchObject({ id: 'a', result: {} });
        expect((await resumed.next()).done).toBe(true);
      }
    }
    expect(heard).toEqual([2, 3, 4]);

    const broken = eventsOf(await at(0).send(toolCall('b', 'stepwise', { progressToken: 't' })));
    const { id: primer } = await nextEvent(broken);
    expect(progressOf(await nextEvent(broken))).toBe(1);
    await kill(running, 0);
    await expect(nextEvent(broken)).rejects.toThrow();
    proxy.next = 0;
    const lost = await messagesOf(await session.listen(primer));
    expect(lost).toMatchObject([
      { params: { progress: 1 } },
      { id: 'b', error: { code: -32603, data: { reason: 'replica_lost' } } },
    ]);
    expect(await messagesOf(await session.listen(primer))).toEqual(lost);
    expect(await messagesOf(await session.send({ id: 'b', method: 'ping' }))).toMatchObject([{ id: 'b' }]);
  });

  it('tell of each change once, also after the process with the stream was killed', async () => {
    const running = await startReplicas({ hasNotes: true });
    const { proxy, url, folder } = running;
    const session = await openSession({ url });
    const [{ result }] = await messagesOf(await session.send({ id: 'l', method: 'resources/list' }));
    const { uri } = result.resources.find(({ uri }: { uri: string }) => uri.endsWith('watched.md'));
    const subscribe = { id: 's', method: 'resources/subscribe', params: { uri } };
    expect(await messagesOf(await session.send(subscribe))).toMatchObject([{ result: {} }]);
    proxy.next = 0;
    const events = eventsOf(await session.listen());
    let { id: last } = await nextEvent(events);
    const change = (count: number) => writeFile(join(folder, 'watched.md'), `# Watched ${count}\n`);
    for (let count = 0; count < 3; count++) {
      await change(count);
      let event = await nextEvent(events);
      // On a busy machine a replica may have been asked before it had the lists of its server.
      while (isListChange(event.message)) event = await nextEvent(events);
      expect(event.message).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri },
      });
      last = event.id;
    }
    const again: Message[] = [];
    const broken = (async () => {
      for await (const { message } of events) if (message && !isListChange(message)) again.push(message);
    })();
    broken.catch(() => {});
    // A change of the last seconds before a kill may be told twice, by a replica that noticed it later than the killed one.
    await new Promise((resolve) => setTimeout(resolve, TOLD_FOR_CERTAIN_MS));
    expect(again).toEqual([]);
    await kill(running, 0);
    await expect(broken).rejects.toThrow();
    await change(4);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const resumed = eventsOf(await session.listen(last));
    const told: Message[] = [];
    const reading = (async () => {
      for await (const { message } of resumed) if (message && !isListChange(message)) told.push(message);
    })();
    await eventually(() => expect(told).toHaveLength(1));
    await change(5);
    await eventually(() => expect(told).toHaveLength(2));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await session.end();
    await reading;
    expect(told).toMatchObject([{ params: { uri } }, { params: { uri } }]);
  });

  it('serve real clients that know nothing of them', async () => {
    const { url, proxy } = await startReplicas({ hasNotes: true }, 2);
    const clients = [
      new StreamableHTTPClientTransport(new URL(url)),
      new SSEClientTransport(new URL('/sse', proxy.origin)),
    ];
    for (const transport of clients) {
      const client = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: {} } },
      );
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept',
        content: { username: 'u', email: 'e' },
      }));
      await client.connect(transport);
      for (let turn = 0; turn < 6; turn++) {
        const listed = await client.listTools();
        expect(listed.tools.length).toBeGreaterThan(10);
        const asked = { name: 'test_elicitation', arguments: { message: 'Who?' } };
        expect(JSON.stringify(await client.callTool(asked))).toContain('accept');
      }
      await client.close();
    }
  });
});
