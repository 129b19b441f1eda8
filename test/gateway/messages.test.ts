/** Credentials of a stream's messages, and the limits of body sizes. */
import { request } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCallScanner } from '../../src/http/call-scanner.ts';
import { createByteBudget } from '../../src/http/json-body.ts';
import {
  bearer,
  headersFor,
  INITIALIZE_PARAMS,
  OTHER_TOKEN,
  openSession,
  openStream,
  startGateway,
} from '../kit/gateway.ts';
import { post } from '../kit/http.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };

test('a message that brings other credentials than its stream is refused; one that brings none is not', async () => {
  const [fake, other] = [await startTrilium(), await startTrilium()];
  const { origin } = await startGateway();
  const own = headersFor(fake);
  const { endpoint } = await openStream(origin, own);
  const status = async (headers: Record<string, string>) =>
    (await post(origin, PING, headers, endpoint)).status;
  expect(await status({})).toBe(202);
  expect(await status(own)).toBe(202);
  expect(await status(bearer('wrong'))).toBe(401);
  expect(await status({ Authorization: 'Basic eDp5' })).toBe(401);
  expect(await status(bearer(OTHER_TOKEN))).toBe(404);
  expect(await status({ ...own, 'X-Trilium-Url': other.url })).toBe(404);
  expect(await status({ 'X-Trilium-Token': 'another' })).toBe(404);
});

test('a switch demands the credentials with every message', async () => {
  const fake = await startTrilium();
  const { origin } = await startGateway({ messageAuth: true });
  const own = headersFor(fake);
  const { endpoint } = await openStream(origin, own);
  const status = async (headers: Record<string, string>) =>
    (await post(origin, PING, headers, endpoint)).status;
  expect(await status({})).toBe(401);
  expect(await status(bearer())).toBe(401);
  expect(await status(headersFor(fake, OTHER_TOKEN))).toBe(404);
  expect(await status(own)).toBe(202);
});

test('a session at /mcp always demands them', async () => {
  const fake = await startTrilium();
  const { origin } = await startGateway();
  const id = await openSession(origin, headersFor(fake));
  const status = async (headers: Record<string, string>) =>
    (await post(origin, PING, { 'MCP-Session-Id': id, ...headers })).status;
  expect([await status({}), await status(bearer(OTHER_TOKEN)), await status(bearer())]).toEqual([
    401, 404, 200,
  ]);
});

test('no id of a session is in the log, whole', async () => {
  const fake = await startTrilium();
  const { origin, lines } = await startGateway();
  const id = await openSession(origin, headersFor(fake));
  const stream = await openStream(origin, headersFor(fake));
  await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
  await post(origin, PING, bearer(OTHER_TOKEN), stream.endpoint);
  await post(origin, PING, { ...bearer(OTHER_TOKEN), 'MCP-Session-Id': id });
  for (const secret of [id, stream.session]) expect(JSON.stringify(lines)).not.toContain(secret);
});

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
}, 60_000);

test('all large bodies together have a limit, and each caller’s; room comes back', () => {
  const budget = createByteBudget({ sum: 100, perOwner: 70 });
  expect([budget.reserve('a', 60), budget.reserve('a', 11), budget.reserve('b', 41)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(budget.reserve('b', 40)).toBe(true);
  budget.release('a', 60);
  expect([budget.used, budget.reserve('a', 60)]).toEqual([40, true]);
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
}, 60_000);

test('a call is known from its pieces, wherever they are cut', () => {
  const text = JSON.stringify({
    params: { arguments: { name: 'no', text: 'a\\"b\\\\', list: [{ name: 'no' }] }, name: 'yes' },
    method: 'tools/call',
  });
  for (let size = 1; size <= text.length; size++) {
    const scanner = createCallScanner();
    for (let at = 0; at < text.length; at += size) scanner.push(Buffer.from(text.slice(at, at + size)));
    expect([size, scanner.call, scanner.isOther]).toEqual([
      size,
      { method: 'tools/call', tool: 'yes' },
      false,
    ]);
  }
});
