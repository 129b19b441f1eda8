/** A Trilium that hangs, drips, breaks off, floods or is no Trilium: a clear word, a next step, and the server goes on. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createTriliumBackend } from '../../../src/surfaces/trilium/backend.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { startTrilium, TOKEN } from '../../kit/trilium/server.ts';
import { clientFor } from '../../trilium/kit.ts';
import { connectTools, errorOf, PLAIN, WEB, type WithTools, withTrilium } from './support.ts';

const LIMITS = { timeoutMs: 400, maxBodyBytes: 64 * 1024, retryPauses: [5] };

interface Raw extends WithTools {
  readonly host: string;
  /** First lines of what was asked, in order. */
  readonly asked: string[];
}

/** Bytes on a socket, said by the test for each request. */
async function withRaw(say: (socket: Socket, request: string) => void, limits = LIMITS): Promise<Raw> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const [first = ''] = String(chunk).split('\r\n');
      asked.push(first);
      say(socket, first);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const backend = createTriliumBackend(clientFor(`http://${host}`, limits), {
    conversion: PLAIN,
    webBase: WEB,
  });
  return { host, asked, ...(await connectTools(backend)) };
}

const head = (status: string, type: string, more = '') =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${more}`;
const whole = (status: string, type: string, body: string, more = '') =>
  `${head(status, type, more)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
/** Said by a server that closes the connection after it: without the header, a second request may still be sent on it. */
const last = (status: string, type: string, body: string, more = '') =>
  whole(status, type, body, `connection: close\r\n${more}`);
const JSON_TYPE = 'application/json';

const drip = (socket: Socket) => {
  socket.write(`${head('200 OK', JSON_TYPE)}content-length: 60000\r\n\r\n`);
  const timer = setInterval(() => socket.write(' '), 20);
  socket.once('close', () => clearInterval(timer));
};
const flood = (socket: Socket) => {
  socket.write(`${head('200 OK', JSON_TYPE)}transfer-encoding: chunked\r\n\r\n`);
  const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`;
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
    socket.once('drain', pour);
  };
  pour();
};

test.each<[string, (socket: Socket) => void, string | RegExp, RegExp]>([
  ['hangs', () => {}, '504 (TIMEOUT)', /within (?:0.4|1.2) s. Try again later/],
  ['drips', drip, '504 (TIMEOUT)', /within (?:0.4|1.2) s. Try again later/],
  ['closes at once', (socket) => socket.destroy(), '502 (TRILIUM_UNREACHABLE)', /Check that it runs/],
  ['resets', (socket) => socket.resetAndDestroy(), '502 (TRILIUM_UNREACHABLE)', /ECONNRESET/],
  [
    'closes in the middle of a body',
    (socket) => socket.end(`${head('200 OK', JSON_TYPE)}content-length: 1000\r\n\r\n{"noteId":`),
    '502 (TRILIUM_UNREACHABLE)',
    /Check that it runs/,
  ],
  [
    'shows a login page',
    (socket) => socket.end(last('200 OK', 'text/html', '<form>')),
    '200',
    /Check the address/,
  ],
  [
    'is a proxy that fails',
    (socket) => socket.end(last('502 Bad Gateway', 'text/plain', 'no upstream')),
    '502',
    /proxy in front of Trilium/,
  ],
  [
    'has had enough',
    (socket) =>
      socket.end(last('429 Too Many Requests', 'text/plain', 'Too many requests', 'retry-after: 17\r\n')),
    '429',
    /Wait 17 seconds/,
  ],
  ['floods', flood, '', /more than the 65536 bytes/],
  [
    'announces too much',
    (socket) => void socket.write(`${head('200 OK', JSON_TYPE)}content-length: 70000000000\r\n\r\n`),
    '',
    /70000000000 bytes; the limit is 65536 bytes/,
  ],
  [
    'speaks nonsense',
    (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    '502 (TRILIUM_UNREACHABLE)',
    /Check/,
  ],
])('a Trilium that %s', async (_, say, status, suggestion) => {
  const { call, client, host } = await withRaw(say);
  for (const [tool, args] of [
    ['get_attributes', { noteId: 'abcd' }],
    ['search_notes', { query: 'x' }],
  ] as const) {
    const answer = await call(tool, args);
    const error = errorOf(answer);
    expect(error.status ?? '', tool).toBe(status);
    expect(error.suggestion).toMatch(suggestion);
    for (const secret of [host, TOKEN]) expect(answer.text).not.toContain(secret);
  }
  expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.trilium);
});

test('a read that was reset is asked again, a change is not', async () => {
  const { call, ok, asked } = await withRaw((socket, request) => {
    const isFirst = asked.filter((one) => one === request).length === 1;
    if (isFirst) socket.resetAndDestroy();
    else socket.write(whole('200 OK', JSON_TYPE, '{"appVersion":"0.105.0"}'));
  });
  expect((await ok('manage_system', { action: 'app_info' })).json.appVersion).toBe('0.105.0');
  expect(asked).toHaveLength(2);
  const failed = errorOf(await call('manage_system', { action: 'backup', backupName: 'b' }));
  expect(failed.suggestion).toMatch(/may have been made all the same: look/);
  expect(asked.filter((one) => one.startsWith('PUT'))).toHaveLength(1);
});

test('a read given up is aborted on the wire', async () => {
  let gone: (value: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    gone = resolve;
  });
  let begun: (value: unknown) => void = () => {};
  const started = new Promise((resolve) => {
    begun = resolve;
  });
  const say = (socket: Socket) => {
    socket.once('close', () => gone('closed'));
    begun(undefined);
  };
  // Longer than the test may take: only the caller's leaving can close it.
  const { client } = await withRaw(say, { ...LIMITS, timeoutMs: 300_000 });
  const controller = new AbortController();
  const reading = client.callTool(
    { name: 'get_note', arguments: { noteId: 'abcd' } },
    { signal: controller.signal },
  );
  reading.catch(() => {});
  await started;
  controller.abort();
  expect(await ended).toBe('closed');
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ['organize_note', { action: 'move', noteId: 'efgh', newParentNoteId: 'ijkl' }, /branches$/],
  ['write_note', { noteId: 'abcd', mode: 'append', content: 'more' }, /revision$/],
  ['set_attribute', { noteId: 'efgh', type: 'relation', name: 'r', value: 'ijkl' }, /attributes$/],
])('%s: a change that has begun is brought to its end', async (tool, args, begun) => {
  const { client, fake } = await withTrilium([
    {
      id: 'abcd',
      title: 'A',
      content: 'text',
      children: [{ id: 'efgh', title: 'B', relations: { r: 'abcd' } }],
    },
    { id: 'ijkl', title: 'C' },
  ]);
  const controller = new AbortController();
  fake.faults.latencyMs = () => 20;
  fake.faults.after = ({ method, path }) => {
    if (method === 'POST' && begun.test(path)) controller.abort();
  };
  await client.callTool({ name: tool, arguments: args }, { signal: controller.signal }).catch(() => {});
  const isDone = () =>
    fake.text('abcd') === 'textmore' ||
    (fake.db.branch('abcd_efgh') === undefined && fake.db.branch('ijkl_efgh') !== undefined) ||
    fake.db
      .ownAttributes('efgh')
      .map(({ value }) => value)
      .join() === 'ijkl';
  for (let tries = 0; tries < 2_000 && !isDone(); tries++) await sleep(20);
  expect(isDone()).toBe(true);
});

test.each([
  ['get_note', { noteId: 'file1' }],
  ['get_note', { noteId: 'pict1' }],
  ['manage_system', { action: 'export', noteId: 'file1' }],
])('%s %j: what no answer can hold is not read to its end', async (tool, args) => {
  const fake = await startTrilium({
    notes: [
      { id: 'file1', title: 'F', type: 'file', mime: 'application/pdf', content: randomBytes(9_000_000) },
      { id: 'pict1', title: 'P', type: 'image', mime: 'image/png', content: randomBytes(4_000_000) },
    ],
  });
  const backend = createTriliumBackend(clientFor(fake.url), { conversion: PLAIN, webBase: WEB });
  const { call, client } = await connectTools(backend);
  const { error, suggestion } = errorOf(await call(tool, args));
  expect(error).toBe('Too large to be read');
  expect(suggestion).toMatch(/It has \d{7} bytes; the limit is \d{7} bytes/);
  expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.trilium);
});
