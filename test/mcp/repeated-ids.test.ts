/** A second request with the id of one that is still running is refused at once, and the first is answered as ever. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Server } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { createLegacySse } from '../../src/mcp/http/legacy-sse.ts';
import { Sessions } from '../../src/mcp/http/sessions.ts';
import { serveOverStdio } from '../../src/mcp/stdio.ts';
import { silentLog } from '../../src/shared/log.ts';
import { INITIALIZE, post } from '../kit/http.ts';

const ANYBODY = { id: 'anybody', kind: 'anonymous', scopes: [] } as never;
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
const REFUSED = { id: 7, error: { code: -32600, message: expect.stringContaining('still being answered') } };

/** Answers lists when `finish` is called. */
function slowServer() {
  let begun = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const createServer = () => {
    const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => {
      begun++;
      await finished;
      return { tools: [] };
    });
    return server;
  };
  return { createServer, finish, begun: () => begun };
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse, body: unknown) => void,
): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    handle(request, response, text === '' ? undefined : JSON.parse(text));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('over stdio', async () => {
  const { createServer, finish, begun } = slowServer();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const lines: unknown[] = [];
  stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString().split('\n').filter(Boolean)) lines.push(JSON.parse(line));
  });
  const served = serveOverStdio(createServer, { log: silentLog, streams: { stdin, stdout } });
  for (const message of [INITIALIZE, INITIALIZED, LIST]) stdin.write(`${JSON.stringify(message)}\n`);
  await expect.poll(begun).toBe(1);
  stdin.write(`${JSON.stringify(LIST)}\n`);
  await expect.poll(() => lines.at(-1)).toMatchObject(REFUSED);
  finish();
  await expect.poll(() => lines.at(-1)).toMatchObject({ id: 7, result: { tools: [] } });
  stdin.write(`${JSON.stringify(LIST)}\n`);
  await expect.poll(() => lines.filter((line) => (line as { id?: number }).id === 7)).toHaveLength(3);
  stdin.end();
  await served;
  expect(begun()).toBe(2);
});

test('in a session over HTTP', async () => {
  const { createServer, finish, begun } = slowServer();
  const sessions = new Sessions({
    createServer,
    limits: { sessions: 5, idleMs: 60_000, bufferedBytes: 1_000_000 },
    log: silentLog,
  });
  onTestFinished(() => sessions.close());
  const origin = await listen(
    (request, response, body) => void sessions.handle({ request, response, caller: ANYBODY, body }),
  );
  const opened = await post(origin, INITIALIZE);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  await post(origin, INITIALIZED, session);
  const first = post(origin, LIST, session);
  await expect.poll(begun).toBe(1);
  const second = await post(origin, LIST, session);
  expect(second.status).toBe(400);
  expect(await second.json()).toMatchObject(REFUSED);
  finish();
  expect(await (await first).text()).toContain('"tools":[]');
  expect(await (await post(origin, LIST, session)).text()).toContain('"tools":[]');
  expect(begun()).toBe(2);
});

test('over a stream of 2024-11-05', async () => {
  const { createServer, finish, begun } = slowServer();
  const sse = createLegacySse({ createServer, messagePath: '/message', streams: 2 });
  onTestFinished(() => sse.close());
  const origin = await listen((request, response, body) => {
    if (request.method === 'GET') void sse.open({ request, response, caller: ANYBODY });
    else sse.receive({ request, response, caller: ANYBODY, body });
  });
  const stream = await fetch(`${origin}/sse`);
  let heard = '';
  void (async () => {
    for await (const chunk of stream.body as AsyncIterable<Uint8Array>)
      heard += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  await expect.poll(() => heard).toContain('sessionId=');
  const path = /data: (\S+)/.exec(heard)?.[1] ?? '';
  const said = () =>
    [...heard.matchAll(/data: (\{.*\})/g)].map(([, json = '']) => JSON.parse(json) as { id?: number });
  await post(origin, INITIALIZE, {}, path);
  await expect.poll(said).toHaveLength(1);
  await post(origin, INITIALIZED, {}, path);
  await post(origin, LIST, {}, path);
  await expect.poll(begun).toBe(1);
  await post(origin, LIST, {}, path);
  await expect.poll(() => said().at(-1)).toMatchObject(REFUSED);
  finish();
  await expect.poll(() => said().at(-1)).toMatchObject({ id: 7, result: { tools: [] } });
  expect(begun()).toBe(1);
});
