/** Clients made of nothing but requests, so that tests say what goes over the wire and what does not. */
import { expect, onTestFinished } from 'vitest';
import { PRINCIPAL_HEADER, startServer, type TestServer, type TestServerOptions } from './server.ts';

export type Headers = Readonly<Record<string, string>>;

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of many shapes
export type Message = any;

export interface StreamEvent {
  readonly id?: string;
  readonly retry?: string;
  /** The text of a comment line, which starts with a colon and is no event. */
  readonly comment?: string;
  /** The parsed data; undefined when there is none. */
  readonly message?: Message;
}

/** A server that ends with the test. */
export async function serve(options?: TestServerOptions): Promise<TestServer> {
  const server = await startServer(options);
  onTestFinished(server.close);
  return server;
}

export function post(url: string, body: unknown, headers: Headers = {}, signal?: AbortSignal) {
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** A request that does not end before the test does, unless it is aborted. */
export function abortable(): AbortController {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller;
}

export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parseEvent(block);
  }
}

function parseEvent(block: string): StreamEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    }),
  );
  const [id, retry, comment, data] = ['id', 'retry', '', 'data'].map((name) => fields.get(name));
  return {
    ...(id !== undefined && { id }),
    ...(retry !== undefined && { retry }),
    ...(comment !== undefined && { comment }),
    ...(data && { message: JSON.parse(data) }),
  };
}

export async function nextEvent(events: AsyncGenerator<StreamEvent>): Promise<StreamEvent> {
  const { value, done } = await events.next();
  if (done) throw new Error('The stream has ended');
  return value;
}

/** All of them, until the stream ends. */
export async function allEvents(response: Response): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

export async function messagesOf(response: Response): Promise<Message[]> {
  return (await allEvents(response)).flatMap(({ message }) => (message ? [message] : []));
}

export const LEGACY = '2025-11-25';
export const MODERN = '2026-07-28';

export interface SessionOptions {
  readonly principal?: string;
  readonly version?: string;
}

export function initialize(version = LEGACY) {
  const params = {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: 'wire', version: '1' },
  };
  return { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params };
}

export function asPrincipal(id: string | undefined): Headers {
  return id === undefined ? {} : { [PRINCIPAL_HEADER]: id };
}

/** A client of the legacy era with a session that it was given. */
export interface WireSession {
  readonly id: string;
  readonly headers: Headers;
  send(message: object, signal?: AbortSignal): Promise<Response>;
  /** Opens the stream for what the server says unasked, or another one again. */
  listen(lastEventId?: string, signal?: AbortSignal): Promise<Response>;
  end(): Promise<Response>;
}

export async function openSession(
  { url }: Pick<TestServer, 'url'>,
  { principal, version = LEGACY }: SessionOptions = {},
): Promise<WireSession> {
  const response = await post(url, initialize(version), asPrincipal(principal));
  expect(response.status).toBe(200);
  await response.text();
  const id = response.headers.get('mcp-session-id') ?? '';
  const session = sessionWith(url, id, { principal, version });
  const accepted = await session.send({ method: 'notifications/initialized' });
  expect(accepted.status).toBe(202);
  return session;
}

/** One that may never have been given. */
export function sessionWith(
  url: string,
  id: string,
  { principal, version = LEGACY }: { principal?: string | undefined; version?: string } = {},
): WireSession {
  const headers = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': version, ...asPrincipal(principal) };
  return {
    id,
    headers,
    send: (message, signal) =>
      post(url, Array.isArray(message) ? message : { jsonrpc: '2.0', ...message }, headers, signal),
    listen: (lastEventId, signal = abortable().signal) =>
      fetch(url, {
        headers: {
          ...headers,
          Accept: 'text/event-stream',
          ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
        },
        signal,
      }),
    end: () => fetch(url, { method: 'DELETE', headers }),
  };
}

export function toolCall(id: number | string, name: string, meta?: object) {
  const params = { name, arguments: {}, ...(meta && { _meta: meta }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

export interface ModernOptions {
  readonly params?: Record<string, unknown>;
  readonly headers?: Headers;
  readonly version?: string;
  readonly signal?: AbortSignal;
}

/** The `_meta` of every request of the modern era. */
export function envelope(version = MODERN) {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** A request of the modern era, with the headers that belong to it unless others are given. */
export function modern(url: string, method: string, options: ModernOptions = {}): Promise<Response> {
  const { params = {}, headers, version = MODERN, signal } = options;
  const _meta = { ...(params._meta as object | undefined), ...envelope(version) };
  const name = params.name ?? params.uri;
  return post(
    url,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      'MCP-Protocol-Version': version,
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
      ...headers,
    },
    signal,
  );
}
