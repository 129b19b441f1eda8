/** The CORS headers, over a real socket. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CorsOptions, createCors } from '../../src/http/cors.ts';

async function ask(
  options: CorsOptions,
  { method = 'POST', ...headers }: Record<string, string>,
): Promise<Record<string, unknown>> {
  const cors = createCors(options);
  const server = createServer((request, response) => {
    if (!cors(request, response)) response.writeHead(200).end('served');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const request = openRequest({ port, host: '127.0.0.1', method, headers, agent: false }).end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();
  return { ...answer.headers, status: answer.statusCode ?? 0 };
}

const app = 'https://app.example.com';
const listed: CorsOptions = { allowedOrigins: [app, 'https://admin.example.com/'] };
const corsHeaders = (answer: object) =>
  Object.keys(answer).filter((name) => name.startsWith('access-control'));
const list = (text: unknown) => String(text ?? '').split(', ');

describe('without origins', () => {
  test('nothing is added, and a preflight is a request like any other', async () => {
    const answer = await ask(
      { allowedOrigins: [] },
      { method: 'OPTIONS', origin: app, 'access-control-request-method': 'POST' },
    );
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer)).toEqual([]);
    expect(answer.vary).toBeUndefined();
  });
});

describe('a listed origin', () => {
  test.each([app, 'https://admin.example.com', 'https://ADMIN.example.com'])(
    '%s is named in the answer',
    async (origin) => {
      const answer = await ask(listed, { origin });
      expect(answer).toMatchObject({ status: 200, 'access-control-allow-origin': origin, vary: 'Origin' });
      expect(list(answer['access-control-expose-headers'])).toEqual(
        expect.arrayContaining(['Mcp-Session-Id', 'WWW-Authenticate']),
      );
      expect(answer['access-control-allow-credentials']).toBeUndefined();
    },
  );

  test('may ask first what it may send', async () => {
    const answer = await ask(listed, {
      method: 'OPTIONS',
      origin: app,
      'access-control-request-method': 'POST',
    });
    expect(answer.status).toBe(204);
    expect(answer['access-control-allow-origin']).toBe(app);
    expect(list(answer['access-control-allow-methods'])).toEqual(
      expect.arrayContaining(['GET', 'POST', 'DELETE']),
    );
    expect(list(answer['access-control-allow-headers'])).toEqual(
      expect.arrayContaining([
        'Authorization',
        'Content-Type',
        'Mcp-Session-Id',
        'MCP-Protocol-Version',
        'Mcp-Method',
        'Mcp-Name',
        'Last-Event-ID',
      ]),
    );
    expect(Number(answer['access-control-max-age'])).toBeGreaterThan(0);
    expect(list(answer.vary)).toContain('Origin');
  });

  test('may send parameters of tools as headers, and no unknown ones', async () => {
    const wished = `mcp-param-region, x-evil, mcp-param-, Mcp-Param-Bad Name, mcp-param-${'x'.repeat(100)}, mcp-param-b`;
    const answer = await ask(listed, {
      method: 'OPTIONS',
      origin: app,
      'access-control-request-method': 'POST',
      'access-control-request-headers': wished,
    });
    const allowed = list(answer['access-control-allow-headers']).filter((name) => /param|evil/i.test(name));
    expect(allowed).toEqual(['mcp-param-region', 'mcp-param-b']);
  });

  test('may send the headers of the command, and cookies where that is asked for', async () => {
    const options = { ...listed, requestHeaders: ['X-Trilium-Url', 'X-Trilium-Token'], credentials: true };
    const answer = await ask(options, {
      method: 'OPTIONS',
      origin: app,
      'access-control-request-method': 'GET',
    });
    expect(list(answer['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['X-Trilium-Url', 'X-Trilium-Token']),
    );
    expect(answer['access-control-allow-credentials']).toBe('true');
  });

  test('that sends OPTIONS without asking is served', async () => {
    expect((await ask(listed, { method: 'OPTIONS', origin: app })).status).toBe(200);
  });
});

describe('any other origin', () => {
  test.each([
    'https://evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.example',
    'null',
    '',
    '*',
  ])('%j gets nothing, and `Vary` is set for caches', async (origin) => {
    for (const method of ['POST', 'OPTIONS']) {
      const answer = await ask(listed, { method, origin, 'access-control-request-method': 'POST' });
      expect(corsHeaders(answer)).toEqual([]);
      expect(answer).toMatchObject({ status: 200, vary: 'Origin' });
    }
  });

  test('is named too when all may call; * is never sent', async () => {
    for (const origin of ['https://anything.example', 'null']) {
      const answer = await ask({ allowedOrigins: ['*'] }, { origin });
      expect(answer['access-control-allow-origin']).toBe(origin);
    }
    expect(corsHeaders(await ask({ allowedOrigins: ['*'] }, {}))).toEqual([]);
  });
});
