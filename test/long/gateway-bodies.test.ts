/** Bodies of many megabytes at the gateway: who may send them, and how many at once. */
import { request } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bearer, headersFor, OTHER_TOKEN, openSession, startGateway } from '../kit/gateway.ts';
import { post } from '../kit/http.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };

test('only a call that carries files may be large, in whichever order it says so', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
  const { origin } = await startGateway();
  const id = await openSession(origin, headersFor(fake));
  const headers = { ...bearer(), 'MCP-Session-Id': id };
  const content = 'x'.repeat(17 * 1024 ** 2);
  const file = { ownerId: 'abcd', role: 'file', mime: 'text/plain', title: 'f.txt', content };
  const call = (name: string, args: unknown) => ({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  expect((await post(origin, call('create_attachment', file), headers)).status).toBe(200);
  const late = {
    params: { arguments: file, name: 'create_attachment' },
    method: 'tools/call',
    id: 3,
    jsonrpc: '2.0',
  };
  expect((await post(origin, late, headers)).status).toBe(200);
  for (const body of [
    call('search_notes', { query: content }),
    {
      params: { arguments: { query: content }, name: 'search_notes' },
      method: 'tools/call',
      id: 4,
      jsonrpc: '2.0',
    },
    { ...PING, padding: content },
    { padding: content, ...PING },
    [call('create_attachment', file)],
  ]) {
    const refused = await post(origin, body, headers);
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      413,
      'payload_too_large',
    ]);
  }
});

/** A file call whose last bytes are held back until the test calls `finish`. */
function beginFile(origin: string, headers: Record<string, string>, bytes: number) {
  const file = { ownerId: 'abcd', role: 'file', mime: 'text/plain', title: 'f.txt' };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'create_attachment' } };
  const head = JSON.stringify({ ...call, params: { ...call.params, arguments: { ...file, content: '' } } });
  const cut = head.lastIndexOf('"');
  const sent = request(new URL('/mcp', origin), {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'Content-Length': head.length + bytes,
    },
  });
  const answer = new Promise<{ status: number | undefined; retry: string | undefined; text: string }>(
    (resolve, reject) => {
      sent.once('error', reject).once('response', async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode, retry: response.headers['retry-after'], text });
      });
    },
  );
  answer.catch(() => undefined);
  onTestFinished(() => void sent.destroy());
  const written = new Promise<void>((resolve, reject) => {
    sent.write(head.slice(0, cut));
    sent.write(Buffer.alloc(bytes, 'x'), (error) => (error ? reject(error) : resolve()));
  });
  // One that is refused meanwhile is not written to its end, and says so in its answer.
  written.catch(() => undefined);
  return { answer, written, finish: () => sent.end(head.slice(cut)), drop: () => sent.destroy() };
}

test('a client that holds the largest files allowed is refused more of them, and others are not', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
  const MB = 1024 ** 2;
  const { origin } = await startGateway({ maxPostBytes: String(36 * MB) });
  const sessionOf = async (token?: string) => ({
    ...bearer(token),
    'MCP-Session-Id': await openSession(origin, headersFor(fake, token)),
  });
  const [greedy, other] = [await sessionOf(), await sessionOf(OTHER_TOKEN)];
  const busy = { status: 503, retry: '5', text: expect.stringContaining('server_busy') };
  const first = beginFile(origin, greedy, 35 * MB);
  await first.written;
  expect(await beginFile(origin, greedy, 17 * MB).answer).toEqual(busy);
  // The rest of the budget is for other clients: one file of theirs, and not two.
  const second = beginFile(origin, other, 17 * MB);
  await second.written;
  expect(await beginFile(origin, other, 17 * MB).answer).toEqual(busy);
  expect((await post(origin, PING, greedy)).status).toBe(200);
  second.finish();
  first.finish();
  for (const one of [await second.answer, await first.answer]) {
    expect(one.status).toBe(200);
    expect(one.text).not.toContain('isError');
  }
  const dropped = beginFile(origin, greedy, 35 * MB);
  await dropped.written;
  dropped.drop();
  // Its room comes back with the end of its connection.
  await vi.waitFor(
    async () => {
      const again = beginFile(origin, greedy, 20 * MB);
      again.finish();
      expect((await again.answer).status).toBe(200);
    },
    { timeout: 20_000 },
  );
});
