/**
 * One JSON-RPC message per line on stdin and stdout. Beyond the SDK's own transport it survives what clients really send:
 * a line that is not JSON or too long is answered with an error, and requests that still run when stdin ends are answered
 * before the process ends.
 */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../shared/log.ts';
import { protocolProblem } from './errors.ts';
import type { Resources } from './offers.ts';
import { RunningRequests, repeatedId } from './request.ts';
import { listenedUris, subscribeForListener } from './serve-offers.ts';

const MAX_LISTENING = 100;

/** The resources that a client of 2026-07-28 listens for, until it cancels the request. */
function stdioSubscriptions(resources: Resources, log: Log) {
  const listening = new Map<unknown, Promise<() => void>>();
  const stop = (id: unknown) => {
    void listening.get(id)?.then((end) => end());
    listening.delete(id);
  };
  return {
    /** Reads a message of the client. */
    hear(message: JSONRPCMessage) {
      if (!('method' in message)) return;
      if (message.method === 'notifications/cancelled') return stop(message.params?.requestId);
      if (!('id' in message) || listenedUris(message).length === 0 || listening.size >= MAX_LISTENING) return;
      listening.set(message.id, subscribeForListener(message, { resources, caller: {}, log }));
    },
    close(): void {
      for (const id of [...listening.keys()]) stop(id);
    },
  };
}

/** Room for the largest note, escaped as JSON. */
const MAX_LINE_BYTES = 160 * 1024 * 1024;
const DRAIN_MS = 10_000;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

interface StdioOptions {
  readonly log: Log;
  readonly resources?: Resources | undefined;
  readonly streams?: StdioStreams;
}

/** Serves until stdin ends; resolves when the last answer is out. */
export async function serveOverStdio(
  createServer: () => Server,
  { log, resources, streams = process }: StdioOptions,
): Promise<void> {
  const subscriptions = resources?.subscribe && stdioSubscriptions(resources, log);
  const transport = new LineTransport(streams, log, (message) => subscriptions?.hear(message));
  const closed = new Promise<void>((resolve) => {
    transport.onceClosed = resolve;
  });
  serveStdio(createServer, {
    transport,
    onerror: (error) => log('debug', 'protocol', { error: protocolProblem(error) }),
  });
  await closed;
  subscriptions?.close();
}

class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onerror?: (error: Error) => void;
  onclose?: () => void;
  onceClosed: () => void = () => {};

  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #log: Log;
  readonly #onReceived: (message: JSONRPCMessage) => void;
  readonly #unanswered = new RunningRequests();
  #chunks: Buffer[] = [];
  #length = 0;
  #skipping = false;
  #ended = false;
  #closed = false;

  constructor({ stdin, stdout }: StdioStreams, log: Log, onReceived: (message: JSONRPCMessage) => void) {
    this.#onReceived = onReceived;
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#stdin.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#stdin.once('end', () => this.#end());
    this.#stdin.once('close', () => this.#end());
    this.#stdin.once('error', () => this.#end());
    this.#stdout.on('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    const flushed = new Promise<void>((resolve) => {
      this.#stdout.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
    await flushed;
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#answered(message.id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stdin.removeAllListeners('data');
    this.#stdin.destroy();
    this.onclose?.();
    this.onceClosed();
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let newline = chunk.indexOf(10); newline >= 0; newline = chunk.indexOf(10, from)) {
      this.#append(chunk.subarray(from, newline));
      this.#line();
      from = newline + 1;
    }
    this.#append(chunk.subarray(from));
  }

  #append(part: Buffer): void {
    if (part.length === 0 || this.#skipping) return;
    this.#length += part.length;
    if (this.#length > MAX_LINE_BYTES) {
      this.#skipping = true;
      this.#chunks = [];
      return;
    }
    this.#chunks.push(part);
  }

  #line(): void {
    const line = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const skipped = this.#skipping;
    this.#chunks = [];
    this.#length = 0;
    this.#skipping = false;
    if (skipped) this.#refuse(INVALID_REQUEST, `Message over ${MAX_LINE_BYTES / 1048576} MB: not read`);
    else if (line && line.length > 0) this.#receive(line.toString('utf8'));
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    const message = parseJson(line);
    if (message === undefined) {
      this.#refuse(PARSE_ERROR, 'Parse error: each line must be one JSON-RPC message');
    } else if (!isMessage(message)) {
      this.#refuse(INVALID_REQUEST, 'Invalid request: not a JSON-RPC 2.0 message', idOf(message));
    } else {
      if ('method' in message && 'id' in message && !this.#unanswered.begin(message.id)) {
        const { code, message: text } = repeatedId(message.id);
        this.#refuse(code, text, message.id);
        return;
      }
      if ('method' in message && message.method === 'notifications/cancelled')
        this.#cancelled(message.params);
      this.#onReceived(message);
      this.onmessage?.(message);
    }
  }

  #refuse(code: number, text: string, id: string | number | null = null): void {
    this.#log('warn', text);
    this.#stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } })}\n`);
  }

  #cancelled(params: unknown): void {
    const id = (params as { requestId?: unknown } | undefined)?.requestId;
    if (typeof id === 'string' || typeof id === 'number') this.#answered(id);
  }

  #answered(id: string | number): void {
    this.#unanswered.end(id);
    if (this.#ended && this.#unanswered.size === 0) void this.close();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#length > 0) this.#line();
    if (this.#unanswered.size === 0) void this.close();
    else setTimeout(() => void this.close(), DRAIN_MS).unref();
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { jsonrpc, id, method } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0') return false;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') return id === undefined || hasId;
  return hasId && ('result' in value || 'error' in value);
}

function idOf(value: unknown): string | number | null {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
