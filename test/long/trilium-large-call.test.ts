/** Large calls to the built gateway: what they cost in memory, and that it comes back. Measured by the kernel. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import { openSession } from '../kit/gateway.ts';
import { type HttpServer, startHttp } from '../kit/http.ts';
import { needOf, testWith } from '../kit/needs.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';

const MB = 1024 ** 2;
const PROC = needOf('/proc', 'Linux', process.platform === 'linux');

function memoryMb({ process: { pid } }: HttpServer, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

async function startGateway() {
  const fake = await startTrilium();
  const server = await startHttp(['trilium', '--transport', 'http', '--port', '0', '--url', fake.url], {
    TRILIUM_TOKEN: TOKEN,
  });
  return { server, session: await openSession(server.origin, {}) };
}

const HEAD =
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_note","arguments":{"files":[';
const OPENING = '{"mime":"application/zip","filename":"a.zip","data":"';
const file = (bytes: number) => [OPENING, Buffer.alloc(bytes, 'QUJD'), '"}'];

function send(origin: string, session: string, pieces: readonly (string | Buffer)[]) {
  const sent = request(new URL('/mcp', origin), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Session-Id': session,
    },
  });
  onTestFinished(() => void sent.destroy());
  const answer = new Promise<string>((resolve, reject) => {
    sent.once('error', reject).once('response', async (response) => {
      let text = `${response.statusCode} `;
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve(text);
    });
  });
  answer.catch(() => undefined);
  const written = new Promise<void>((resolve, reject) => {
    for (const piece of pieces) sent.write(piece);
    sent.write(' ', (error) => (error ? reject(error) : resolve()));
  });
  written.catch(() => undefined);
  return { sent, answer, written };
}

testWith(PROC, 'a call of 100 MB is not in memory three times', async () => {
  const { server, session } = await startGateway();
  const before = memoryMb(server, 'VmRSS');
  // The call lacks a title, so that only its parsing is measured, and nothing is sent to Trilium.
  const pieces = [HEAD, ...file(50 * MB), ',', ...file(50 * MB), ']}}}'];
  const { sent, answer } = send(server.origin, session, pieces);
  sent.end();
  expect(await answer).toMatch(/^200 [\s\S]*title/);
  expect(memoryMb(server, 'VmHWM') - before).toBeLessThan(240);
});

testWith(PROC, 'an upload that is given up gives its memory back', async () => {
  const { server, session } = await startGateway();
  const before = memoryMb(server, 'VmRSS');
  const { sent, written } = send(server.origin, session, [HEAD, OPENING, Buffer.alloc(120 * MB, 'QUJD')]);
  await written;
  await vi.waitFor(() => expect(memoryMb(server, 'VmRSS') - before).toBeGreaterThan(110), {
    timeout: 20_000,
  });
  sent.destroy();
  await vi.waitFor(() => expect(memoryMb(server, 'VmRSS') - before).toBeLessThan(80), { timeout: 20_000 });
  await expect(openSession(server.origin, {})).resolves.not.toBe('');
});

testWith(PROC, 'what is no file but a heap of small things is refused, whatever it is called', async () => {
  const { server, session } = await startGateway();
  const before = memoryMb(server, 'VmRSS');
  const heap = Buffer.alloc(60 * MB, '{},');
  const { sent, answer } = send(server.origin, session, [HEAD, heap, '{}]}}}']);
  sent.end();
  expect(await answer.catch(String)).toMatch(
    /^413 .*payload_too_large.*long texts not counted|EPIPE|ECONNRESET/,
  );
  expect(memoryMb(server, 'VmHWM') - before).toBeLessThan(200);
  await expect(openSession(server.origin, {})).resolves.not.toBe('');
});
