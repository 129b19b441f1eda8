/** The hosts that a server may reach: the way to them, and where there is none. What a server makes of it is in test/long. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EgressMeans, noEgress, openEgress } from '../../src/upstream/sandbox/egress.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { openedPlane, shop } from './plane-kit.ts';
import { NO_BACKENDS, testServer } from './sandbox-kit.ts';

const SCRIPT = testServer('malicious.mjs');

const evil = () =>
  shop({
    name: 'evil',
    args: [SCRIPT],
    sandbox_read: [dirname(SCRIPT)],
    results: { on_finding: 'pass' },
    sandbox_network: ['api.example.com'],
  });

async function http(): Promise<number> {
  const server = createServer((request, response) => response.end(`${request.method} ${request.url}`));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

/** What the way out answers to a request. */
async function askedOf(list: readonly string[], request: string, means: EgressMeans = {}) {
  const folder = await temporaryFolder();
  const [counts, told] = [noEgress(), [] as string[]];
  const onDenied = (place: string, why: string) => void told.push(`${place}: ${why}`);
  const egress = await openEgress({ list, folder, counts, onDenied, ...means });
  const answer = await new Promise<string>((resolve) => {
    let heard = '';
    const socket = connect(join(folder, 'net'), () => socket.write(request));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('error', ({ message }) => resolve(message)).on('close', () => resolve(heard));
  });
  await egress.close();
  return { answer, told, ...counts, denied: [...counts.denied] };
}

const tunnelTo = (place: string) => `CONNECT ${place} HTTP/1.1\r\nHost: x\r\n\r\nGET /t HTTP/1.0\r\n\r\n`;

describe('the way out of a sandbox', () => {
  it('leads to a host of the list, through a tunnel and for a plain request', async () => {
    const port = await http();
    const means = { resolve: async () => ['127.0.0.1'] };
    const list = [`one.example:${port}`, `127.0.0.1:${port}`];
    const tunnel = await askedOf(list, tunnelTo(`one.example:${port}`), means);
    expect(tunnel.answer).toMatch(/^HTTP\/1.1 200 [\s\S]*GET \/t$/);
    expect(tunnel).toMatchObject({ allowed: 1, refused: 0, failed: 0 });
    const url = `http://one.example:${port}/p?q=1`;
    const plain = await askedOf(list, `GET ${url} HTTP/1.1\r\nHost: other.example\r\n\r\n`, means);
    expect(plain.answer).toMatch(/^HTTP\/1.1 200 [\s\S]*GET \/p\?q=1/);
  });

  it.each([
    ['another host', 'evil.example:443', 'evil.example:443: it is not in sandbox_network'],
    ['another port', 'one.example:80', 'one.example:80: it is not in sandbox_network'],
    ['an address', '93.184.215.14:443', '93.184.215.14:443: it is not in sandbox_network'],
    ['this machine', '127.0.0.1:443', '127.0.0.1:443: it is not in sandbox_network'],
    ['a metadata service', '169.254.169.254:80', '169.254.169.254:80: it is not in sandbox_network'],
    ['a name of a private address', 'one.example:443', 'one.example:443: its address is not public'],
  ])('does not lead to %s, and says what was denied', async (_, place, why) => {
    const connected: string[] = [];
    const { answer, told, denied, refused, allowed } = await askedOf(['one.example'], tunnelTo(place), {
      resolve: async () => ['192.168.1.1'],
      connect: ({ host }) => {
        connected.push(host);
        return connect(1, '127.0.0.1');
      },
    });
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    expect(told).toEqual([expect.stringContaining(why)]);
    expect({ connected, denied, refused, allowed }).toEqual({
      connected: [],
      denied: [place],
      refused: 1,
      allowed: 0,
    });
  });

  it('gives up on a host that does not answer, and on a connection that is idle', async () => {
    const silent = { resolve: () => new Promise<never>(() => {}), connectMs: 50 };
    const slow = await askedOf(['one.example'], tunnelTo('one.example:443'), silent);
    expect(slow).toMatchObject({ answer: expect.stringMatching(/^HTTP\/1.1 502 /), failed: 1 });
    const port = await http();
    const idle = await askedOf(
      [`127.0.0.1:${port}`],
      `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`,
      {
        idleMs: 50,
      },
    );
    expect(idle).toMatchObject({ answer: 'HTTP/1.1 200 Connection established\r\n\r\n', allowed: 1 });
  });
});

describe('without bubblewrap', () => {
  it.each([
    ['no sandbox', { policy: 'warn' }, NO_BACKENDS, 'bwrap is not installed'],
    ['none asked for', { backend: 'process', policy: 'warn' }, NO_BACKENDS, 'asks for none'],
    [
      'sandbox-runtime',
      { backend: 'srt' },
      { ...NO_BACKENDS, srt: { path: '/x', works: true } },
      'cannot limit the network to the hosts',
    ],
  ])('%s: the server is not started, whatever the policy is', async (_, mcp_sandbox, found, why) => {
    const { plane } = await openedPlane([evil()], { mcp_sandbox }, { backends: async () => found });
    const { rejections } = await plane.verdict(plane.server('evil'));
    expect(rejections).toMatchObject([{ code: 'sandbox_unavailable', reason: expect.stringContaining(why) }]);
  });
});
