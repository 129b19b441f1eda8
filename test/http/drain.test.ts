/** The end of a server that proxies still send requests to. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { countWork, type OpenApp, startServer } from '../../src/http/listen.ts';

const PLACE = { host: '127.0.0.1', port: 0, headerTimeoutSeconds: 10, bodyTimeoutSeconds: 10 };

async function begin() {
  let isClosed = false;
  const server = await startServer(PLACE, async (): Promise<OpenApp> => {
    return {
      listener: (_, response) => void response.end(isClosed ? 'too late' : 'answered'),
      work: countWork(),
      endpoints: [],
      close: async () => {
        isClosed = true;
      },
    };
  });
  return server;
}

/** As a proxy keeps one open. */
function open(port: number): { socket: Socket; said: () => string } {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  let said = '';
  socket.on('data', (chunk: string) => {
    said += chunk;
  });
  // A reset shows in what was not said.
  socket.on('error', () => {});
  return { socket, said: () => said };
}

const REQUEST = 'POST /mcp HTTP/1.1\r\nHost: notes\r\nContent-Length: 2\r\n\r\n{}';

test('a request on a connection that was kept open is answered after the signal to end, and closes it', async () => {
  const { port, close } = await begin();
  const { socket, said } = open(port);
  socket.write(REQUEST);
  await expect.poll(said).toContain('answered');
  expect(said()).toContain('Connection: keep-alive');
  const closed = close();
  await sleep(100);
  const ended = once(socket, 'close');
  socket.write(REQUEST);
  await ended;
  const [, , second = ''] = said().split('HTTP/1.1 ');
  expect(second).toMatch(/^200 [\s\S]*Connection: close[\s\S]*answered/);
  await closed;
});

test('requests of connections that wait to be accepted are answered', async () => {
  const { port, close } = await begin();
  const many = Array.from({ length: 60 }, () => open(port));
  for (const { socket } of many) socket.write(REQUEST);
  await once(many[0]!.socket, 'connect');
  const closed = close();
  await Promise.all(many.map(({ socket }) => socket.destroyed || once(socket, 'close')));
  expect(many.filter(({ said }) => !said().includes('answered'))).toHaveLength(0);
  await closed;
});

test('ends at once when no connection is open, and soon when one is idle', async () => {
  const quiet = await begin();
  const begun = performance.now();
  await quiet.close();
  expect(performance.now() - begun).toBeLessThan(400);
  const { port, close } = await begin();
  const { socket } = open(port);
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  await close();
  await ended;
});
