/** Credentials of a stream's messages, and how the size of bodies is limited; test/long/gateway-bodies.test.ts sends large ones. */
import { expect, test } from 'vitest';
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
