/** Bodies with an end in bytes and time, over a real socket. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BodyLimits, readBody } from '../../src/http/body.ts';

interface BodyOutcome {
  outcome?: Awaited<ReturnType<typeof readBody>>;
}

async function serve(
  given: Omit<BodyLimits, 'timeoutMs'> & { timeoutMs?: number },
): Promise<{ port: number; seen: BodyOutcome }> {
  const seen: BodyOutcome = {};
  const limits = { timeoutMs: 60_000, ...given };
  const server = createServer(async (request, response) => {
    const outcome = await readBody(request, limits);
    seen.outcome = outcome;
    if ('status' in outcome) response.writeHead(outcome.status, { connection: 'close' }).end(outcome.message);
    else response.end(outcome.bytes);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Sends pieces as they are and returns everything that comes back until the end. */
async function speak(port: number, pieces: readonly (string | number)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of pieces)
    if (typeof piece === 'number') await sleep(piece);
    else socket.write(piece);
  await closed;
  return answer;
}

const head = (...lines: string[]) =>
  `${['POST / HTTP/1.1', 'Host: a', 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`;
const JSON_TYPE = 'Content-Type: application/json';

describe('a body', () => {
  test('comes whole, however it is cut', async () => {
    const { port } = await serve({ limitBytes: 10 });
    expect(await speak(port, [head('Content-Length: 10'), '01234', 5, '56789'])).toMatch(
      /^HTTP\/1.1 200 .*0123456789/s,
    );
    expect(
      await speak(port, [head('Transfer-Encoding: chunked'), '3\r\nabc\r\n', 5, '2\r\nde\r\n0\r\n\r\n']),
    ).toMatch(/200 OK.*abcde/s);
  });

  test('may be empty', async () => {
    const { port, seen } = await serve({ limitBytes: 10 });
    expect(await speak(port, [head()])).toContain('200 OK');
    expect(seen.outcome).toEqual({ bytes: Buffer.alloc(0) });
  });

  test('that says it is too large is refused before a byte of it is sent', async () => {
    const { port, seen } = await serve({ limitBytes: 10 });
    expect(await speak(port, [head('Content-Length: 11')])).toMatch(/^HTTP\/1.1 413 .*larger than 10 bytes/s);
    expect(seen.outcome).toMatchObject({ status: 413 });
  });

  test('that grows too large is cut off, and the sender learns why', async () => {
    const { port } = await serve({ limitBytes: 1_000 });
    const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`;
    expect(await speak(port, [head('Transfer-Encoding: chunked'), ...Array(50).fill(chunk)])).toMatch(
      /^HTTP\/1.1 413 /,
    );
  });

  test('that does not come is waited for only so long', async () => {
    const { port } = await serve({ limitBytes: 100, timeoutMs: 60 });
    // Nothing more is sent, so only the time can end it.
    expect(await speak(port, [head('Content-Length: 50'), 'abc'])).toMatch(/^HTTP\/1.1 408 .*0\.06 s/s);
  });

  test('that trickles has the same time', async () => {
    const { port } = await serve({ limitBytes: 1_000, timeoutMs: 100 });
    const trickle = Array.from({ length: 30 }, () => ['x', 10] as const).flat();
    expect(await speak(port, [head('Content-Length: 500'), ...trickle])).toMatch(/^HTTP\/1.1 408 /);
  });

  test('that breaks off is no body', async () => {
    const { port, seen } = await serve({ limitBytes: 100 });
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head('Content-Length: 50')}abc`);
    await sleep(30);
    socket.destroy();
    await expect.poll(() => seen.outcome).toMatchObject({ status: 400 });
  });

  test.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON', 200],
    ['  application/json ;x', 200],
    ['text/plain', 415],
    ['application/jsonx', 415],
    ['application/x-www-form-urlencoded', 415],
    [', application/json', 415],
    ['', 415],
  ])('of type %j is answered %i where JSON is wanted', async (type, status) => {
    const { port } = await serve({ limitBytes: 10, types: ['application/json'] });
    expect(await speak(port, [head(`Content-Type: ${type}`, 'Content-Length: 2'), '{}'])).toContain(
      `HTTP/1.1 ${status} `,
    );
  });

  test('of no type is of the wrong type', async () => {
    const { port } = await serve({ limitBytes: 10, types: ['application/json', 'text/json'] });
    expect(await speak(port, [head('Content-Length: 2'), '{}'])).toMatch(
      /415 .*application\/json or text\/json/s,
    );
  });

  test('that is compressed is refused: what it unpacks to has no limit', async () => {
    const { port } = await serve({ limitBytes: 10 });
    for (const coding of ['gzip', 'br', 'GZIP', 'identity, gzip'])
      expect(
        await speak(port, [head(JSON_TYPE, `Content-Encoding: ${coding}`, 'Content-Length: 2'), '{}']),
      ).toContain('415');
    expect(await speak(port, [head('Content-Encoding: identity', 'Content-Length: 2'), '{}'])).toContain(
      '200',
    );
  });

  test.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['a length that is no number', ['Content-Length: 0x2']],
    ['a negative length', ['Content-Length: -1']],
  ])('with %s never gets this far', async (_, lines) => {
    const { port, seen } = await serve({ limitBytes: 10 });
    expect(await speak(port, [head(...lines), '{}'])).toMatch(/^HTTP\/1.1 400 /);
    expect(seen.outcome).toBeUndefined();
  });
});
