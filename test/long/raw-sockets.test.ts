/** Requests that only a raw socket can send: ones that two parsers might read in two ways, and ones that never end. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { INITIALIZE, startHttp } from '../kit/http.ts';
import { temporaryFolder } from '../kit/temp.ts';

const BODY = JSON.stringify(INITIALIZE);
const JSON_TYPE = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream';

const REQUESTS: Readonly<Record<string, { request: (host: string) => string; status: number }>> = {
  'a length given in two ways': {
    request: (host) =>
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}\r\nContent-Length: ${BODY.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    status: 400,
  },
  'two lengths': {
    request: (host) =>
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}\r\nContent-Length: 1\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    status: 400,
  },
  'a chunked body with a broken length': {
    request: (host) =>
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${BODY}\r\n0\r\n\r\n`,
    status: 400,
  },
  'a line break hidden in a header': {
    request: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-A: b\n\rX-C: d\r\n\r\n`,
    status: 400,
  },
  'no Host': { request: () => 'GET /health HTTP/1.1\r\n\r\n', status: 400 },
  'two Hosts, the first a stranger': {
    request: (host) => `GET /health HTTP/1.1\r\nHost: evil.example\r\nHost: ${host}\r\n\r\n`,
    status: 400,
  },
  'two Hosts, the second a stranger': {
    request: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nhost: evil.example\r\n\r\n`,
    status: 400,
  },
  'two Hosts that are the same': {
    request: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nHOST: ${host}\r\n\r\n`,
    status: 400,
  },
  'headers without end': {
    request: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
    status: 431,
  },
  'a whole address of another host': {
    request: (host) => `GET http://evil.example/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    status: 404,
  },
  'a path with dots': {
    request: (host) => `GET /health/../metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    status: 404,
  },
};

test.each(Object.keys(REQUESTS))('%s is refused, and the server goes on', async (name) => {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const { origin } = await startHttp(['serve', folder, '--port', '0', '--metrics', 'open']);
  const { host, port } = new URL(origin);
  const { request, status } = REQUESTS[name]!;
  const answer = await send(Number(port), request(host));
  expect(answer.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answer).not.toContain('quire_mcp_');
  expect((await fetch(`${origin}/health`)).status).toBe(200);
});

const SLOW: Readonly<
  Record<string, { begin: (host: string) => string; drip: string; answer: RegExp; token?: string }>
> = {
  headers: {
    begin: (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `,
    drip: 'x',
    answer: /^HTTP\/1\.1 408 /,
  },
  'a body': {
    begin: (host) => `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}\r\nContent-Length: 5000\r\n\r\n`,
    drip: ' ',
    answer: /^HTTP\/1\.1 408 .*The body did not arrive within 4 s/s,
  },
  'a body in chunks': {
    begin: (host) =>
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    drip: '1\r\n \r\n',
    answer: /^HTTP\/1\.1 408 .*The body did not arrive within 4 s/s,
  },
  'a body of a refused request': {
    begin: (host) => `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${JSON_TYPE}\r\nContent-Length: 5000\r\n\r\n`,
    drip: ' ',
    answer: /^HTTP\/1\.1 401 /,
    token: 'a-token-long-enough',
  },
};

test.each(Object.keys(SLOW))('%s by drops is cut off, and others are answered meanwhile', async (name) => {
  const { begin, drip, answer, token } = SLOW[name]!;
  const folder = await temporaryFolder({
    '.quire.yaml':
      'notebooks: { n: { folder: . } }\nserve: { port: 0, headerTimeoutSeconds: 4, bodyTimeoutSeconds: 4 }\n',
  });
  const { origin } = await startHttp(['serve', '--config', join(folder, '.quire.yaml')], {
    ...(token !== undefined && { QUIRE_AUTH: 'bearer', QUIRE_AUTH_TOKENS: token }),
  });
  const { host, port } = new URL(origin);
  const drippers = await Promise.all(
    Array.from({ length: 20 }, () => dripping(Number(port), begin(host), drip)),
  );
  const health = fetch(`${origin}/health`).then(({ status }) => status);
  expect(await Promise.race([health, ...drippers.map(({ closed }) => closed)])).toBe(200);
  for (const { closed } of drippers) expect(await closed).toMatch(answer);
  expect((await fetch(`${origin}/health`)).status).toBe(200);
});

/** Sends a drop every tenth of a second until the server closes; resolves to the server's answer. */
async function dripping(port: number, begin: string, drip: string): Promise<{ closed: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(begin);
  const drops = setInterval(() => socket.write(drip), 100);
  onTestFinished(() => void socket.destroy());
  // A socket that is cut off while it sends may end with an error: it ends all the same.
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => {
      clearInterval(drops);
      resolve(answer);
    });
  });
  return { closed };
}

async function send(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 700))]);
  socket.destroy();
  return answer;
}
