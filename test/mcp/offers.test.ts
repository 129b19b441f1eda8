/** Prompts, completion, resources of several and messages to the client, over a pair of streams in memory. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { joinPrompts, joinResources, joinSurfaces } from '../../src/mcp/join.ts';
import type { LogMessage, Logs } from '../../src/mcp/logs.ts';
import type { Prompts, Resources } from '../../src/mcp/offers.ts';
import { createServer, type ServerParts } from '../../src/mcp/server.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';

async function connect(parts: Partial<ServerParts<unknown>>): Promise<{ client: Client; logged: unknown[] }> {
  const server = createServer({
    limited: joinSurfaces([]),
    backend: undefined,
    version: '0',
    log: silentLog,
    ...parts,
  });
  const client = new Client({ name: 'test', version: '0' });
  const logged: unknown[] = [];
  client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params));
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  onTestFinished(() => client.close());
  return { client, logged };
}

function prompts(name: string): Prompts & { change(): void } {
  const watchers = new Set<() => void>();
  return {
    list: async () => [{ name, arguments: [{ name: 'topic', required: true }] }, { name: 'both' }],
    get: async ({ name: asked, args }) => {
      if (asked !== name && asked !== 'both') return undefined;
      if (args.topic === '') throw new AppError('invalid_input', 'No topic', { hint: 'Name one.' });
      return { messages: [{ role: 'user', content: { type: 'text', text: `${name}: ${args.topic}` } }] };
    },
    complete: async ({ of, argument, value, known }) =>
      of === name && argument === 'topic'
        ? { values: Array.from({ length: 150 }, (_, i) => `${value}${known.kind ?? ''}${i}`), total: 200 }
        : undefined,
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    change: () => {
      for (const changed of watchers) changed();
    },
  };
}

function resources(scheme: string, pages: number): Resources {
  return {
    list: async (cursor) => {
      const page = Number(cursor ?? 0);
      return {
        entries: pages === 0 ? [] : [{ uri: `${scheme}:${page}`, name: `${scheme} ${page}` }],
        ...(page + 1 < pages && { nextCursor: String(page + 1) }),
      };
    },
    templates: async () => [{ uriTemplate: `${scheme}:{id}`, name: scheme }],
    owns: (uri) => uri.startsWith(`${scheme}:`),
    read: async (uri) => {
      if (uri.endsWith('gone')) throw new AppError('not_found', 'Gone');
      return [{ uri, text: `of ${scheme}` }];
    },
    canonical: (uri) => uri,
    complete: async ({ of, argument }) =>
      of === `${scheme}:{id}` && argument === 'id' ? { values: [scheme] } : undefined,
    watch: () => () => {},
  };
}

describe('prompts', () => {
  it('are listed once a name, got, and refused with what there is instead', async () => {
    const { client } = await connect({ prompts: joinPrompts([prompts('one'), prompts('two')]) });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['one', 'both', 'two']);
    const got = await client.getPrompt({ name: 'two', arguments: { topic: 'tea' } });
    expect(got.messages[0]?.content).toEqual({ type: 'text', text: 'two: tea' });
    const both = await client.getPrompt({ name: 'both', arguments: { topic: 'x' } });
    expect(both.messages[0]?.content).toEqual({ type: 'text', text: 'one: x' });
    await expect(client.getPrompt({ name: 'oen' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown prompt: oen. Did you mean one?'),
    });
    await expect(client.getPrompt({ name: 'one', arguments: { topic: '' } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('No topic. Name one.'),
    });
  });

  it('tell the client when there are others', async () => {
    const changing = prompts('one');
    const { client } = await connect({ prompts: changing });
    const notified = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/prompts/list_changed', () => resolve());
    });
    changing.change();
    await notified;
  });
});

describe('completion', () => {
  it('answers a hundred at most, says how many there are, and knows the other arguments', async () => {
    const { client } = await connect({ prompts: prompts('one') });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'one' },
      argument: { name: 'topic', value: 'a' },
      context: { arguments: { kind: '-' } },
    });
    expect(completion).toMatchObject({ total: 200, hasMore: true });
    expect(completion.values).toHaveLength(100);
    expect(completion.values[0]).toBe('a-0');
  });

  it.each([
    { ref: { type: 'ref/prompt' as const, name: 'none' }, argument: { name: 'topic', value: '' } },
    { ref: { type: 'ref/prompt' as const, name: 'one' }, argument: { name: 'nope', value: '' } },
    { ref: { type: 'ref/resource' as const, uri: 'a:{id}' }, argument: { name: 'id', value: '' } },
  ])('refuses what is not there: $ref $argument.name', async (params) => {
    const { client } = await connect({ prompts: prompts('one') });
    await expect(client.complete(params)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('resources of several', () => {
  it('are listed one after the other, page by page, each read by its own', async () => {
    const joined = joinResources([resources('a', 2), resources('b', 0), resources('c', 1)]);
    const { client } = await connect({ resources: joined });
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page++) {
      const answer = await client.listResources(cursor === undefined ? {} : { cursor });
      seen.push(...answer.resources.map(({ uri }) => uri));
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(['a:0', 'a:1', 'c:0']);
    const { contents } = await client.readResource({ uri: 'c:0' });
    expect(contents).toEqual([{ uri: 'c:0', text: 'of c' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'c:{id}' },
      argument: { name: 'id', value: '' },
    });
    expect(completion).toEqual({ values: ['c'], hasMore: false });
  });

  it.each(['d:0', 'a:gone'])('says which one there is not: %s', async (uri) => {
    const { client } = await connect({ resources: joinResources([resources('a', 1)]) });
    await expect(client.readResource({ uri })).rejects.toMatchObject({ data: { uri } });
  });

  it('refuses a cursor that is none', async () => {
    const { client } = await connect({ resources: joinResources([resources('a', 1)]) });
    await expect(client.listResources({ cursor: 'x' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('List again without one.'),
    });
  });
});

describe('messages to the client', () => {
  function logs(): Logs & { tell(message: LogMessage): void } {
    const watchers = new Set<(message: LogMessage) => void>();
    return {
      watch: (tell) => {
        watchers.add(tell);
        return () => void watchers.delete(tell);
      },
      tell: (message) => {
        for (const tell of watchers) tell(message);
      },
    };
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

  it('begin with readiness, follow the level, and say that it was taken', async () => {
    const own = logs();
    const { client, logged } = await connect({ logs: own });
    await settle();
    expect(logged).toEqual([
      {
        level: 'info',
        logger: 'session',
        data: { event: 'session_ready', protocolVersion: expect.stringMatching(/^20/) },
      },
    ]);
    await client.setLoggingLevel('error');
    own.tell({ level: 'warning', data: 'not heard' });
    own.tell({ level: 'critical', logger: 'x', data: 'heard' });
    await settle();
    expect(logged.slice(1)).toEqual([
      { level: 'critical', logger: 'x', data: 'heard' },
      { level: 'error', logger: 'session', data: { event: 'level_changed', level: 'error' } },
    ]);
  });

  it('refuses a level that is none', async () => {
    const { client } = await connect({ logs: logs() });
    await expect(client.setLoggingLevel('loud' as 'error')).rejects.toThrow();
  });

  it('are not offered where there are none', async () => {
    const { client } = await connect({});
    expect(client.getServerCapabilities()).not.toHaveProperty('logging');
    expect(client.getServerCapabilities()).not.toHaveProperty('prompts');
    expect(client.getServerCapabilities()).not.toHaveProperty('completions');
  });
});
