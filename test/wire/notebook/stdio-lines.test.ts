/** Lines too long to hold, through the transport alone: no process, the same few bytes over and over. */
import { PassThrough } from 'node:stream';
import { Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { serveOverStdio } from '../../../src/mcp/stdio.ts';
import { silentLog } from '../../../src/shared/log.ts';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

function open() {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let out = '';
  stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const createServer = () => new Server({ name: 'test', version: '1' }, { capabilities: {} });
  const served = serveOverStdio(createServer, { log: silentLog, streams: { stdin, stdout } });
  const messages = () =>
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { stdin, served, messages };
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
});

async function write(stream: PassThrough, chunk: Buffer | string): Promise<void> {
  if (!stream.write(chunk)) await new Promise((resolve) => stream.once('drain', resolve));
}

test('a line over the limit is answered, not held, and the next line is served', async () => {
  const { stdin, served, messages } = open();
  for (let i = 0; i < 170; i++) await write(stdin, MEGABYTE);
  await write(stdin, `\n${INITIALIZE}\n`);
  stdin.end();
  await served;
  expect(messages()[0]).toMatchObject({ id: null, error: { code: -32600 } });
  expect(messages()[0].error.message).toMatch(/^Message over \d+ MB: not read$/);
  expect(messages()[1]).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
});

test('a line over the limit that never ends is answered when stdin does', async () => {
  const { stdin, served, messages } = open();
  for (let i = 0; i < 170; i++) await write(stdin, MEGABYTE);
  stdin.end();
  await served;
  expect(messages()).toMatchObject([{ id: null, error: { code: -32600 } }]);
});

test('a character cut in two by the pipe is put together again', async () => {
  const { stdin, served, messages } = open();
  const bytes = Buffer.from(`${INITIALIZE.replace('"t"', '"é😀"')}\n`);
  for (const byte of bytes) await write(stdin, Buffer.from([byte]));
  stdin.end();
  await served;
  expect(messages()).toMatchObject([{ id: 1 }]);
});

test('a last line without a line break is still answered', async () => {
  const { stdin, served, messages } = open();
  stdin.end(INITIALIZE);
  await served;
  expect(messages()).toMatchObject([{ id: 1, result: { protocolVersion: '2025-11-25' } }]);
});
