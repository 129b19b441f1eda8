/** The gateway in this process, with what it logs; ended with the test. */
import { onTestFinished } from 'vitest';
import type * as z from 'zod';
import { type GatewayServices, openGatewayApp } from '../../src/app/gateway.ts';
import type { authSchema, gatewaySchema } from '../../src/config/http-schema.ts';
import { configSchema } from '../../src/config/schema.ts';
import type { Log } from '../../src/shared/log.ts';
import { INITIALIZE, post } from './http.ts';
import { type FakeTrilium, TOKEN } from './trilium/server.ts';

export type Settings = Omit<Extract<z.input<typeof gatewaySchema>, object>, 'transport' | 'port'>;

export interface LogLine extends Record<string, unknown> {
  readonly level: string;
  readonly event: string;
}

export interface Gateway {
  readonly origin: string;
  readonly lines: LogLine[];
  readonly warnings: string[];
  /** Lines of that event. */
  readonly events: (event: string) => LogLine[];
  close(): Promise<void>;
}

export type Parts = Partial<Pick<GatewayServices, 'resolve' | 'probeTimeoutMs' | 'history'>> & {
  /** The one Trilium that is served; without it every client brings its own. */
  readonly only?: FakeTrilium;
  readonly subtree?: string;
  /** The auth section, for `auth: 'oauth'`. */
  readonly auth?: Extract<z.input<typeof authSchema>, object>;
};

export const GATEWAY_TOKEN = 'gateway-token-of-the-test';
export const OTHER_TOKEN = 'another-gateway-token';

export async function startGateway(settings: Settings = {}, parts: Parts = {}): Promise<Gateway> {
  const { only, subtree, auth, ...services } = parts;
  const config = configSchema.parse({
    notebooks: only
      ? { notebook: { tools: 'trilium', trilium: { url: only.url, token: TOKEN, subtree } } }
      : {},
    ...(auth && { auth, state: { dir: 'memory' } }),
    gateway: {
      transport: 'http',
      port: 0,
      ...(!only && { multiTenant: true, tokens: [GATEWAY_TOKEN, OTHER_TOKEN], allowPrivateUrls: true }),
      ...settings,
    },
  });
  const lines: LogLine[] = [];
  const warnings: string[] = [];
  const log: Log = (level, event, fields) => void lines.push({ level, event, ...fields });
  const running = await openGatewayApp(config, config.notebooks.notebook, {
    log,
    warn: (text) => void warnings.push(text),
    stateFolderFor: () => {
      throw new Error('tests keep the state in memory');
    },
    ...services,
  });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await running.close();
  };
  onTestFinished(close);
  return {
    origin: running.origin,
    lines,
    warnings,
    events: (event) => lines.filter((line) => line.event === event),
    close,
  };
}

export const bearer = (token = GATEWAY_TOKEN) => ({ Authorization: `Bearer ${token}` });

/** All a client of several Triliums sends. */
export function headersFor({ url }: Pick<FakeTrilium, 'url'>, token = GATEWAY_TOKEN) {
  return { ...bearer(token), 'X-Trilium-Url': url, 'X-Trilium-Token': TOKEN };
}

/** A session over Streamable HTTP, by hand: its id. */
export async function openSession(origin: string, headers: Record<string, string>): Promise<string> {
  const answer = await post(origin, INITIALIZE, headers);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

export interface Stream {
  /** The path that messages are posted to. */
  readonly endpoint: string;
  readonly session: string;
  /** The next event of the server, parsed. */
  next(): Promise<{ id?: number; result?: unknown; error?: unknown }>;
  /** Sends a request and resolves to its answer. */
  ask(id: number, method: string, params?: unknown): Promise<unknown>;
  close(): void;
}

/** HTTP+SSE by hand, as old clients speak it. */
export async function openStream(origin: string, headers: Record<string, string>): Promise<Stream> {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const answer = await fetch(`${origin}/sse`, { headers, signal: ending.signal });
  if (answer.status !== 200 || !answer.body) throw new Error(`${answer.status}: ${await answer.text()}`);
  const events = eventsIn(answer.body);
  const nextData = async () => {
    const { value, done } = await events.next();
    if (done) throw new Error('the stream has ended');
    return value;
  };
  const endpoint = await nextData();
  const next = async () => JSON.parse(await nextData()) as { id?: number; result?: unknown };
  return {
    endpoint,
    session: endpoint.split('sessionId=')[1] ?? '',
    next,
    async ask(id, method, params) {
      const sent = await post(origin, { jsonrpc: '2.0', id, method, params }, {}, endpoint);
      if (sent.status !== 202) throw new Error(`${sent.status}: ${await sent.text()}`);
      for (let tries = 0; tries < 100; tries++) {
        const message = await next();
        if (message.id === id) return message.result;
      }
      throw new Error('no answer');
    },
    close: () => ending.abort(),
  };
}

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield data;
    }
  }
}

export const INITIALIZE_PARAMS = {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'old', version: '1' },
};
