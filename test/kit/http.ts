/** The built binary as a server over HTTP, on a port of its own, ended when the test ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { CLEAN_ENVIRONMENT, temporaryFolder } from './temp.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const START_MS = 50_000;

export interface HttpServer {
  readonly origin: string;
  readonly process: ChildProcess;
  /** Lines of the log so far, parsed. */
  readonly log: () => Record<string, unknown>[];
  readonly rawLog: () => string;
  /** The text written to stderr. */
  readonly errors: () => string;
  /** Asks it to end, and resolves to its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startHttp(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  binary: string = BINARY,
): Promise<HttpServer> {
  const state = await temporaryFolder();
  const child = spawn(process.execPath, [binary, ...args], {
    env: { ...CLEAN_ENVIRONMENT, XDG_STATE_HOME: state, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
  const origin = await startedAt(child, () => err);
  return {
    origin,
    process: child,
    rawLog: () => out,
    errors: () => err,
    log: () =>
      out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async stop(signal = 'SIGTERM') {
      const exited = once(child, 'exit');
      child.kill(signal);
      return (await exited)[0] as number | null;
    },
  };
}

async function startedAt(child: ChildProcess, errors: () => string): Promise<string> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const origin = / at (https?:\/\/\S+)\n/.exec(errors())?.[1];
    if (origin !== undefined) return origin;
    if (child.exitCode !== null) throw new Error(`exited with ${child.exitCode}: ${errors()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`did not start: ${errors()}`);
}

export async function connectHttp(
  origin: string,
  options: { mode?: 'legacy' | 'auto'; token?: string; path?: string } = {},
): Promise<Client> {
  const { mode = 'auto', token, path = '/mcp' } = options;
  const transport = new StreamableHTTPClientTransport(new URL(path, origin), {
    ...(token !== undefined && { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** One request by hand. */
export function post(
  origin: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  path = '/mcp',
): Promise<Response> {
  return fetch(new URL(path, origin), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

/** Below those that the system gives to servers without a wish, which would take one between its choice and its use. */
let nextPort = 12_000 + (process.pid % 400) * 50;

/** A port without a listener, for a server that has to know its address beforehand. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = nextPort++;
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
