/** Two callers of one server: whatever one of them opens and keeps, the other one's is left alone. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const PLACES = 6;
const GREEDY = { Authorization: 'Bearer the-greedy-caller-of-this-test' };
const MODEST = { Authorization: 'Bearer the-modest-caller-of-this-test' };
const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };
/** An answer of 100 kB so often is more than the sixteen megabytes that are kept for streams that break. */
const READS = 180;
const LONG = 'x '.repeat(150_000);

type Headers = Readonly<Record<string, string>>;

async function serveBoth(sessions: number): Promise<string> {
  const folder = await temporaryFolder({ 'notes/short.md': 'alpha', 'notes/long.md': LONG });
  const file = join(folder, 'quire.yaml');
  const config = {
    notebooks: { n: { folder: './notes' } },
    serve: { port: 0, sessions, legacySse: true, requestsPerMinute: 100_000, callsPerMinute: 100_000 },
    auth: {
      mode: 'bearer',
      tokens: [GREEDY, MODEST].map(({ Authorization }) => Authorization.replace('Bearer ', '')),
    },
  };
  await writeFile(file, JSON.stringify(config));
  return (await startHttp(['serve', '--config', file])).origin;
}

/** A session, ready for calls; undefined when there is no room. */
async function openSession(origin: string, who: Headers): Promise<Headers | undefined> {
  const answer = await post(origin, INITIALIZE, who);
  await answer.text();
  if (answer.status === 503) return undefined;
  expect(answer.status).toBe(200);
  const headers = {
    ...who,
    'MCP-Session-Id': answer.headers.get('mcp-session-id') ?? '',
    'MCP-Protocol-Version': INITIALIZE.params.protocolVersion,
  };
  await post(origin, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return headers;
}

interface OpenStream {
  readonly status: number;
  readonly hasEnded: () => boolean;
}

async function openStream(origin: string, path: string, headers: Headers): Promise<OpenStream> {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const answer = await fetch(new URL(path, origin), {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: ending.signal,
  });
  let hasEnded = answer.status !== 200;
  const over = () => {
    hasEnded = true;
  };
  answer.body?.pipeTo(new WritableStream()).then(over, over);
  return { status: answer.status, hasEnded: () => hasEnded };
}

test('sessions: a client that opens them without end ends none of the other’s, and leaves room for more of them', async () => {
  const origin = await serveBoth(PLACES);
  const [listening, idle] = [await openSession(origin, MODEST), await openSession(origin, MODEST)];
  const stream = await openStream(origin, '/mcp', listening ?? {});
  let opened = 0;
  for (let at = 0; at < 3 * PLACES; at++) {
    const session = await openSession(origin, GREEDY);
    if (!session) continue;
    opened++;
    // One in use cannot simply be ended for the next.
    expect((await openStream(origin, '/mcp', session)).status).toBe(200);
  }
  expect(opened).toBeGreaterThanOrEqual(PLACES - 2);
  for (const session of [listening, idle]) {
    const answer = await post(origin, PING, session);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"result"')]);
  }
  expect(stream.hasEnded()).toBe(false);
  const another = await openSession(origin, MODEST);
  expect(another, 'a third one, of as many as there are for each').toBeDefined();
  expect((await post(origin, PING, another)).status).toBe(200);
  expect((await post(origin, PING, idle)).status).toBe(200);
});

test('streams of HTTP+SSE: the same', async () => {
  const origin = await serveBoth(PLACES);
  const first = await openStream(origin, '/sse', MODEST);
  const greedy: OpenStream[] = [];
  for (let at = 0; at < 3 * PLACES; at++) greedy.push(await openStream(origin, '/sse', GREEDY));
  expect(greedy.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
  const more = [await openStream(origin, '/sse', MODEST), await openStream(origin, '/sse', MODEST)];
  for (let at = 0; at < PLACES; at++) await openStream(origin, '/sse', GREEDY);
  expect([first, ...more].map(({ status, hasEnded }) => [status, hasEnded()])).toEqual(
    Array.from({ length: 3 }, () => [200, false]),
  );
});

/** Reads a note, and the id of the event to go on from, as if the answer had been lost. */
async function readNote(origin: string, session: Headers, path: string): Promise<string> {
  const params = { name: 'read_note', arguments: { path } };
  const answer = await post(origin, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, session);
  const text = await answer.text();
  expect(text.includes('"result"')).toBe(true);
  return /^id: ?(.+)$/m.exec(text)?.[1] ?? '';
}

/** The events that are replayed to a client that resumes from there. */
async function replayed(origin: string, session: Headers, from: string): Promise<string> {
  const ending = new AbortController();
  const answer = await fetch(new URL('/mcp', origin), {
    headers: { Accept: 'text/event-stream', 'Last-Event-ID': from, ...session },
    signal: ending.signal,
  });
  let text = `${answer.status} `;
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (answer.status === 200 && !text.includes('"result"')) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += value;
  }
  ending.abort();
  return text;
}

test('events kept for streams that break: the session with the most loses its own, not the other’s', async () => {
  const origin = await serveBoth(100);
  const modest = (await openSession(origin, MODEST)) ?? {};
  const lost = await readNote(origin, modest, 'short.md');
  expect(lost).not.toBe('');
  const greedy = (await openSession(origin, GREEDY)) ?? {};
  const oldest = await readNote(origin, greedy, 'long.md');
  for (let at = 1; at < READS; at++) await readNote(origin, greedy, 'long.md');
  expect(await replayed(origin, modest, lost)).toContain('alpha');
  // Its oldest answers are gone: the budget has been used up.
  expect((await replayed(origin, greedy, oldest)).includes('"result"')).toBe(false);
});
