/** The one way out: what it refuses, and that it goes where it looked. Nothing here connects to anything but loopback. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect as openSocket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Connections, type Target } from '../../src/shared/connections.ts';
import { isAppError } from '../../src/shared/errors.ts';
import { canonicalAddress, parseNetworks, reachOf, subscriberOf } from '../../src/shared/ip-ranges.ts';
import { type SafeFetchOptions, safeFetch, safeStream } from '../../src/shared/safe-fetch.ts';
import { temporaryFolder } from '../kit/temp.ts';

const PUBLIC = '93.184.216.34';
const limits = { maxBytes: 1_000, timeoutMs: 5_000 };

/** Refuses to go anywhere: for tests in which nothing must be connected to. */
const stayHome: Pick<SafeFetchOptions, 'connect'> = {
  connect: ({ addresses }) => {
    throw new Error(`would have connected to ${addresses.join(', ')}`);
  },
};

async function serve(answer: RequestListener): Promise<{ port: number; requests: string[]; open(): number }> {
  const requests: string[] = [];
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, open: () => sockets.size };
}

const local = (port: number, options: Partial<SafeFetchOptions> = {}) =>
  safeFetch(`http://127.0.0.1:${port}/`, { ...limits, allow: 'loopback', ...options });

describe('an address written in the URL', () => {
  test.each([
    // This machine, in many spellings.
    '127.0.0.1',
    '127.0.0.1.',
    '127.255.255.254',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0X7F.0.0.0x1',
    '0177.0.0.1',
    '017700000001',
    '１２７.0.0.1',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '0.1.2.3',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001:0:4136:e378::1]',
    // Networks of one's own.
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '3232235777',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[::ffff:10.0.0.1]',
    // Link-local and the clouds' own.
    '169.254.169.254',
    '169.254.0.1',
    '2852039166',
    '[fe80::1]',
    '[fec0::1]',
    '[fd00:ec2::254]',
    '168.63.129.16',
    '100.100.100.200',
    // Documentation, tests, protocols, the future.
    '192.0.0.1',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '[2001:db8::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[2620:4f:8000::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[100::1]',
    '[100:0:0:1::1]',
    '[4000::1]',
    '[ff02::1]',
    // Names of this machine.
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    '%6c%6fcalhost',
  ])('%s is refused without asking a name server', async (host) => {
    const resolve = async () => [PUBLIC];
    for (const scheme of ['http', 'https'] as const) {
      const asked = safeFetch(`${scheme}://${host}/`, {
        ...limits,
        ...stayHome,
        schemes: ['http', 'https'],
        resolve,
      });
      await expect(asked).rejects.toMatchObject({ code: 'forbidden', title: 'Address refused' });
    }
  });

  test.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '[2606:4700::1111]', '[::ffff:8.8.8.8]'])(
    '%s is public and would be connected to as it stands',
    async (host) => {
      const seen: Target[] = [];
      const asked = safeFetch(`https://${host}/`, {
        ...limits,
        connect: (target) => {
          seen.push(target);
          throw new Error('far enough');
        },
      });
      await expect(asked).rejects.toThrow();
      expect(seen).toMatchObject([{ port: 443, secure: true }]);
      expect(seen[0]?.addresses).toEqual([seen[0]?.host]);
    },
  );

  test.each(['127.0.0.1..', 'a..b', '.a', `${'a'.repeat(300)}.example`])(
    '%s is no host at all',
    async (host) => {
      const asked = safeFetch(`https://${host}/`, { ...limits, ...stayHome, resolve: async () => [PUBLIC] });
      await expect(asked).rejects.toMatchObject({ code: 'forbidden' });
    },
  );
});

describe('the address itself', () => {
  test.each([
    ['ftp://example.com/', 'forbidden'],
    ['file:///etc/passwd', 'forbidden'],
    ['gopher://example.com/', 'forbidden'],
    ['data:text/plain,x', 'forbidden'],
    ['http://example.com/', 'forbidden'],
    ['https://user@example.com/', 'forbidden'],
    ['https://user:secret@example.com/', 'forbidden'],
    ['https://:secret@example.com/', 'forbidden'],
    ['https://example.com@127.0.0.1/', 'forbidden'],
    ['example.com', 'invalid_input'],
    ['', 'invalid_input'],
    ['https://', 'invalid_input'],
    ['https://[fe80::1%25eth0]/', 'invalid_input'],
    ['https://256.256.256.256/', 'invalid_input'],
    [`https://example.com/${'a'.repeat(10_000)}`, 'invalid_input'],
  ])('%j is %s', async (address, code) => {
    const asked = safeFetch(address, { ...limits, ...stayHome, resolve: async () => [PUBLIC] });
    const error = await asked.catch((error: unknown) => error);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain('secret');
  });

  test('plain http is for callers that allow it, and for local addresses', async () => {
    const options = { ...limits, ...stayHome, resolve: async () => [PUBLIC] };
    await expect(safeFetch('http://a.example/', { ...options, schemes: ['http'] })).rejects.toThrow('reach');
    await expect(safeFetch('http://a.example/', { ...options, allow: 'loopback' })).rejects.toThrow('reach');
    await expect(safeFetch('http://a.example/', options)).rejects.toThrow('refused');
    await expect(safeFetch('https://a.example/', { ...options, schemes: ['http'] })).rejects.toThrow(
      'refused',
    );
  });
});

describe('a name', () => {
  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [[PUBLIC, '10.0.0.1']],
    [['169.254.169.254', PUBLIC]],
    [['fe80::1%eth0']],
    [['93.184.216.34%eth0']],
    [['localhost']],
    [['0x7f.1']],
    [['']],
  ])('that leads to %j is refused, and the answer does not say where it leads', async (addresses) => {
    const asked = safeFetch('https://rebind.example/', {
      ...limits,
      ...stayHome,
      resolve: async () => addresses,
    });
    const error = await asked.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'forbidden', subject: 'rebind.example' });
    for (const address of addresses.filter((text) => text !== ''))
      expect(JSON.stringify(error)).not.toContain(address);
  });

  test('that does not resolve is an error of its own', async () => {
    for (const resolve of [async () => [], () => Promise.reject(new Error('ENOTFOUND'))])
      await expect(
        safeFetch('https://a.example/', { ...limits, ...stayHome, resolve }),
      ).rejects.toMatchObject({
        code: 'upstream_failed',
        title: 'Name not found',
      });
  });

  test('is resolved once; what it means a moment later makes no difference', async () => {
    const { port } = await serve((_, response) => response.end('from the first answer'));
    const answers = [[PUBLIC], ['127.0.0.1']];
    let asked = 0;
    const targets: Target[] = [];
    const response = await safeFetch('http://rebind.example:8080/x', {
      ...limits,
      schemes: ['http'],
      resolve: async () => answers[asked++] ?? [],
      connect: (target) => {
        targets.push(target);
        return openSocket(port, '127.0.0.1');
      },
    });
    expect(await response.text()).toBe('from the first answer');
    expect(asked).toBe(1);
    expect(targets).toEqual([{ host: 'rebind.example', port: 8080, secure: false, addresses: [PUBLIC] }]);
  });

  test('the connection goes to the address that was checked, under the name that was asked for', async () => {
    let host: string | undefined;
    const { port } = await serve((request, response) => {
      host = request.headers.host;
      response.end('here');
    });
    // No name server knows it: only the checked address can have led here. Several are tried in turn.
    const response = await safeFetch(`http://nowhere.invalid.:${port}/`, {
      ...limits,
      allow: 'loopback',
      resolve: async () => ['127.0.0.1', '127.0.0.1'],
    });
    expect(await response.text()).toBe('here');
    expect(host).toBe(`nowhere.invalid:${port}`);
  });

  test('private networks can be allowed, link-local ones and metadata services cannot', async () => {
    const reached: string[] = [];
    const ask = (address: string) =>
      safeFetch('https://nas.example/', {
        ...limits,
        allow: 'private',
        resolve: async () => [address],
        connect: ({ addresses }) => {
          reached.push(...addresses);
          throw new Error('far enough');
        },
      }).catch((error: unknown) => isAppError(error, 'forbidden'));
    const allowed = ['10.0.0.1', '192.168.1.1', '100.64.0.1', 'fd12::1', '127.0.0.1', PUBLIC];
    for (const address of allowed) expect(await ask(address)).toBe(false);
    for (const address of ['169.254.169.254', 'fe80::1', '100.100.100.200', 'fd00:ec2::254', '0.0.0.0'])
      expect(await ask(address)).toBe(true);
    expect(reached).toEqual(allowed);
  });
});

describe('an answer', () => {
  test('comes with its status, headers and body', async () => {
    const { port } = await serve((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.setHeader('x-encoding', String(request.headers['accept-encoding']));
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"no":"such"}');
    });
    const response = await local(port, { headers: { 'Accept-Encoding': 'gzip', Host: 'evil.example' } });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ no: 'such' });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-encoding')).toBe('identity');
  });

  test('headers that are ours to choose are not taken from the caller', async () => {
    let seen: IncomingHttpHeaders = {};
    const { port } = await serve((request, response) => {
      seen = request.headers;
      response.end();
    });
    const headers = {
      Host: 'evil.example',
      Connection: 'keep-alive',
      Expect: '100-continue',
      Upgrade: 'h2c',
      TE: 'x',
    };
    await local(port, { method: 'POST', body: 'x', headers: { ...headers, 'Transfer-Encoding': 'chunked' } });
    expect(seen).toEqual({
      host: `127.0.0.1:${port}`,
      connection: 'close',
      'accept-encoding': 'identity',
      'content-length': '1',
      te: 'x',
    });
  });

  test('method, headers and body are sent', async () => {
    const { port } = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.end(`${request.method} ${request.headers['x-test']} ${Buffer.concat(chunks)}`);
    });
    const response = await local(port, { method: 'POST', headers: { 'X-Test': 'yes' }, body: 'näher' });
    expect(await response.text()).toBe('POST yes näher');
  });

  test.each([204, 304])('of %i has no body', async (status) => {
    const { port } = await serve((_, response) => response.writeHead(status).end());
    const response = await local(port);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe('');
  });

  test('to HEAD may speak of a body larger than the limit', async () => {
    const { port } = await serve((_, response) => response.writeHead(200, { 'content-length': 9_999 }).end());
    expect((await local(port, { method: 'HEAD' })).status).toBe(200);
  });

  test('leaves no connection open', async () => {
    const server = await serve((_, response) => response.end('x'));
    await local(server.port);
    await expect.poll(server.open).toBe(0);
  });

  test.each([300, 301, 302, 303, 307, 308])('of %i is not followed', async (status) => {
    const { port, requests } = await serve((_, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end(),
    );
    await expect(local(port)).rejects.toMatchObject({ code: 'upstream_failed', title: 'Redirect refused' });
    expect(requests).toEqual(['GET /']);
  });

  test('that is refused is not listened to any longer', async () => {
    const server = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.once('close', () => clearInterval(timer)).writeHead(302, { location: '/' });
    });
    await expect(local(server.port)).rejects.toMatchObject({ title: 'Redirect refused' });
    await expect.poll(server.open).toBe(0);
  });

  test('that says it is too large is not read', async () => {
    const server = await serve((_, response) => response.end('x'.repeat(1_001)));
    await expect(local(server.port)).rejects.toMatchObject({ reason: 'too_large' });
    await expect.poll(server.open).toBe(0);
  });

  test('that is too large without saying so is cut off', async () => {
    const server = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(400)), 5);
      response.once('close', () => clearInterval(timer));
    });
    await expect(local(server.port)).rejects.toMatchObject({ reason: 'too_large' });
    await expect.poll(server.open).toBe(0);
  });

  test('of exactly the limit is taken', async () => {
    const { port } = await serve((_, response) => response.end('x'.repeat(1_000)));
    expect(await (await local(port)).text()).toHaveLength(1_000);
  });

  test.each(['gzip', 'br', 'GZIP', 'identity, gzip'])('compressed with %s is refused', async (coding) => {
    const { port } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end('x'),
    );
    await expect(local(port)).rejects.toMatchObject({ title: 'Compressed answer refused' });
  });

  test.each([
    ['that is cut short', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
    ['with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['with an unknown status', 'HTTP/1.1 799 What\r\nContent-Length: 0\r\n\r\n'],
    ['that changes the protocol', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['that is no HTTP', 'hello\r\n\r\n'],
    ['of nothing', ''],
  ])('%s is an error', async (_, text) => {
    const { createServer: createRawServer } = await import('node:net');
    const server = createRawServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(text));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    await expect(local((server.address() as AddressInfo).port)).rejects.toMatchObject({
      code: 'upstream_failed',
    });
  });

  test('from a port without a listener is an error', async () => {
    const { createServer: createRawServer } = await import('node:net');
    const server = createRawServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    await expect(local(port)).rejects.toMatchObject({ code: 'upstream_failed' });
  });
});

describe('the time', () => {
  test('is up when no answer comes', async () => {
    const server = await serve(() => {});
    await expect(local(server.port, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'timeout' });
    await expect.poll(server.open).toBe(0);
  });

  test('is up when a body trickles, however many bytes come', async () => {
    const server = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.once('close', () => clearInterval(timer));
    });
    // The body never ends by itself.
    await expect(local(server.port, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'timeout' });
    await expect.poll(server.open).toBe(0);
  });

  test('is up when the name server is silent, and nothing is connected to afterwards', async () => {
    let answer: (addresses: string[]) => void = () => {};
    const asked = safeFetch('https://slow.example/', {
      ...limits,
      timeoutMs: 30,
      ...stayHome,
      resolve: () => new Promise((resolve) => (answer = resolve)),
    });
    await expect(asked).rejects.toMatchObject({ code: 'timeout' });
    answer([PUBLIC]);
    await sleep(10);
  });

  test('ends when the caller gives up', async () => {
    const server = await serve(() => {});
    const controller = new AbortController();
    const asked = local(server.port, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('changed my mind')), 30);
    await expect(asked).rejects.toThrow('changed my mind');
    await expect(local(server.port, { signal: controller.signal })).rejects.toThrow('changed my mind');
    await expect.poll(server.open).toBe(0);
  });
});

describe('a certificate', () => {
  test('that no authority signed is refused, and the server is asked for by its name', async ({ skip }) => {
    const folder = await temporaryFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    try {
      const wish = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=a.example';
      execFileSync('openssl', [...wish.split(' '), '-keyout', key, '-out', cert], { stdio: 'ignore' });
    } catch {
      skip('openssl is not installed');
    }
    const names: string[] = [];
    const server = createTlsServer(
      {
        key: readFileSync(key),
        cert: readFileSync(cert),
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      },
      (_, response) => response.end('not to be read'),
    );
    server.on('tlsClientError', () => {});
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const asked = safeFetch(`https://a.example:${port}/`, {
      ...limits,
      allow: 'loopback',
      resolve: async () => ['127.0.0.1'],
    });
    await expect(asked).rejects.toMatchObject({
      code: 'upstream_failed',
      hint: expect.stringContaining('SELF_SIGNED'),
    });
    expect(names).toEqual(['a.example']);
  });
});

describe('ranges of addresses', () => {
  test.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'private'],
    ['fd00::1', 'private'],
    ['169.254.169.254', 'special'],
    ['::7f00:1', 'special'],
    ['fe80::1%eth0', 'special'],
    ['not an address', 'special'],
    ['', 'special'],
    ['0177.0.0.1', 'special'],
  ])('%j is %s', (address, reach) => {
    expect(reachOf(address)).toBe(reach);
  });

  test.each([
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['2001:0DB8::0001', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['x', undefined],
    ['1.2.3', undefined],
  ])('%j is written %s', (address, written) => {
    expect(canonicalAddress(address)).toBe(written);
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['unknown', 'unknown'],
  ])('%j belongs to %s', (address, subscriber) => {
    expect(subscriberOf(address)).toBe(subscriber);
  });

  test('networks hold what they say', () => {
    const isIn = parseNetworks(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1', 'loopback']);
    for (const address of ['10.9.8.7', '::ffff:10.0.0.1', '192.0.2.7', 'fd00::1', '::1', '127.0.0.9'])
      expect(isIn(address)).toBe(true);
    for (const address of ['11.0.0.1', '192.0.2.8', 'fe80::1', '', 'x', '192.168.0.1'])
      expect(isIn(address)).toBe(false);
    expect(parseNetworks(['private'])('192.168.0.1')).toBe(true);
    expect(parseNetworks(['0.0.0.0/0'])('8.8.8.8')).toBe(true);
    expect(parseNetworks([])('127.0.0.1')).toBe(false);
  });

  test.each(['', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', 'x/8', '10/8', '1.2.3.4/-1'])(
    '%j is no network',
    (text) => {
      expect(() => parseNetworks([text])).toThrow('Not a network');
    },
  );
});

describe('for a server that is asked often', () => {
  const kept = () => {
    const connections = new Connections(2);
    onTestFinished(() => connections.destroy());
    return connections;
  };

  test('connections are used again, and closed by `close`', async () => {
    const { port, open } = await serve((_, response) => response.end('ok'));
    const connections = kept();
    let opened = 0;
    const connect = ({ port: at }: Target) => {
      opened++;
      return openSocket(at, '127.0.0.1');
    };
    for (let at = 0; at < 5; at++)
      expect(await (await local(port, { connections, connect })).text()).toBe('ok');
    expect(opened).toBe(1);
    expect(open()).toBe(1);
    connections.destroy();
    await expect.poll(open).toBe(0);
  });

  test('a kept connection leads to no other host', async () => {
    const one = await serve((_, response) => response.end('one'));
    const two = await serve((_, response) => response.end('two'));
    const connections = kept();
    for (const [server, text] of [
      [one, 'one'],
      [two, 'two'],
      [one, 'one'],
    ] as const)
      expect(await (await local(server.port, { connections })).text()).toBe(text);
  });

  test('an answer that breaks off is an error, and its connection is not used again', async () => {
    const { port, open } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    });
    await expect(local(port, { connections: kept() })).rejects.toMatchObject({ code: 'upstream_failed' });
    await expect.poll(open).toBe(0);
  });

  test('a redirect can be handed back; it is not followed', async () => {
    const { port, requests } = await serve((_, response) =>
      response.writeHead(307, { location: '/login' }).end(),
    );
    const answer = await local(port, { redirect: 'return' });
    expect([answer.status, answer.headers.get('location'), requests.length]).toEqual([307, '/login', 1]);
  });

  test('a compressed answer can be asked for, and counts by what comes out of it', async () => {
    const text = 'a'.repeat(900);
    const { port } = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip');
      response
        .writeHead(200, { 'content-encoding': 'gzip' })
        .end(gzipSync(request.url === '/' ? text : text + text));
    });
    expect(await (await local(port, { gzip: true })).text()).toBe(text);
    const tooMuch = safeFetch(`http://127.0.0.1:${port}/much`, { ...limits, allow: 'loopback', gzip: true });
    await expect(tooMuch).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('an answer without an end is heard as it comes, until it is closed', async () => {
    const { port, open } = await serve((_, response) => {
      response.write('one');
      setTimeout(() => response.write('two'), 30);
    });
    const stream = await safeStream(`http://127.0.0.1:${port}/`, { timeoutMs: 5_000, allow: 'loopback' });
    let heard = '';
    for await (const chunk of stream.chunks) {
      heard += Buffer.from(chunk).toString();
      if (heard === 'onetwo') break;
    }
    stream.close();
    await expect.poll(open).toBe(0);
  });

  test('its beginning has to come in time, and it goes nowhere it may not', async () => {
    const { port } = await serve(() => {});
    const address = `http://127.0.0.1:${port}/`;
    await expect(safeStream(address, { timeoutMs: 50, allow: 'loopback' })).rejects.toMatchObject({
      code: 'timeout',
    });
    await expect(safeStream(address, { timeoutMs: 50, schemes: ['http'] })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
