/** Two tenants at once, over every transport: each only ever sees its own notes. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { headersFor, OTHER_TOKEN, startGateway } from '../kit/gateway.ts';
import { type FakeTrilium, startTrilium } from '../kit/trilium/server.ts';

const ROUNDS = 30;
type Way = 'sse' | 'session' | 'alone';

async function clientOver(way: Way, origin: string, headers: Record<string, string>): Promise<Client> {
  const requestInit = { headers };
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: way === 'alone' ? 'auto' : 'legacy' } },
  );
  await client.connect(
    way === 'sse'
      ? new SSEClientTransport(new URL('/sse', origin), { requestInit })
      : new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit }),
  );
  onTestFinished(() => client.close());
  return client;
}

const tenant = (name: string) =>
  startTrilium({
    notes: Array.from({ length: 5 }, (_, at) => ({
      id: `note${at}`,
      title: `${name} ${at}`,
      content: `<p>${name}</p>`,
    })),
  });

/** Reads, writes and searches; whatever comes back bears the name of its tenant and of no other. */
async function hammer(client: Client, name: string, other: string): Promise<number> {
  let calls = 0;
  const call = async (tool: string, args: Record<string, unknown>) => {
    calls++;
    const text = JSON.stringify(await client.callTool({ name: tool, arguments: args }));
    expect(text).not.toContain(other);
    return text;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const noteId = `note${round % 5}`;
    const answers = await Promise.all([
      call('get_note', { noteId }),
      call('search_notes', { query: name, limit: 3 }),
      call('write_note', { noteId, mode: 'append', content: `<p>${name} again</p>` }),
    ]);
    expect(answers[0]).toContain(name);
    expect(answers[1]).toContain(name);
  }
  return calls;
}

test('hundreds of calls at once go where they belong', async () => {
  const [first, second] = [await tenant('aspen'), await tenant('birch')];
  const { origin, events } = await startGateway();
  const ways: readonly Way[] = ['sse', 'session', 'alone'];
  const work = ways.flatMap((way) =>
    (
      [
        [first, 'aspen', 'birch', undefined],
        [second, 'birch', 'aspen', OTHER_TOKEN],
      ] as const
    ).map(async ([fake, name, other, token]) =>
      hammer(await clientOver(way, origin, headersFor(fake, token)), name, other),
    ),
  );
  const counts = await Promise.all(work);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2 * 3 * 3 * ROUNDS);
  for (const [fake, other] of [
    [first, 'birch'],
    [second, 'aspen'],
  ] as const)
    for (let at = 0; at < 5; at++) expect(textOf(fake, at)).not.toContain(other);
  // Every line of a session bears the id it was opened with.
  const opened = [...events('sse_connected'), ...events('mcp_session_opened')].map(({ session }) => session);
  expect(new Set(opened).size).toBe(4);
  const counted = opened.map((id) => events('tool_call').filter(({ session }) => session === id).length);
  expect(counted).toEqual(Array(4).fill(3 * ROUNDS));
  expect(events('tool_call').filter(({ session }) => session === undefined)).toHaveLength(2 * 3 * ROUNDS);
}, 120_000);

function textOf(fake: FakeTrilium, at: number): string {
  return fake.text(`note${at}`);
}

test('requests that stand alone are checked now and then, and each with its own credentials', async () => {
  const [first, second] = [await tenant('aspen'), await tenant('birch')];
  const { origin } = await startGateway();
  const probes = ({ requests }: FakeTrilium) =>
    requests.filter((request) => request.endsWith('/app-info')).length;
  const clients = [
    await clientOver('alone', origin, headersFor(first)),
    await clientOver('alone', origin, headersFor(second)),
    await clientOver('alone', origin, headersFor(first)),
  ];
  for (const client of [...clients, ...clients]) await client.listTools();
  expect([probes(first), probes(second)]).toEqual([1, 1]);
  // Another caller's check is not taken for this one's.
  await (await clientOver('alone', origin, headersFor(first, OTHER_TOKEN))).listTools();
  expect(probes(first)).toBe(2);
  const wrong = { ...headersFor(first), 'X-Trilium-Token': 'wrong' };
  await expect(clientOver('alone', origin, wrong)).rejects.toThrow();
});
