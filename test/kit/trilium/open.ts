/**
 * A Trilium of our own on loopback, as far as ETAPI shows of one; held to recordings of the real one by
 * `test/trilium/recordings.test.ts`. It can be made to misbehave in every way the real one does.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type FakeRequest, Refusal, send } from './answer.ts';
import { afterContent, setNoteContent } from './content.ts';
import { Database } from './database.ts';
import { answerTo } from './routes.ts';
import { plant, plantRoot, type SeedNote } from './seed.ts';
import { type Fate, isAtLeast, type Trilium } from './trilium.ts';

export interface FakeOptions {
  readonly version?: string;
  readonly notes?: readonly SeedNote[];
  readonly isOpen?: boolean;
  /** How long after a save its content is looked at. */
  readonly afterContentMs?: number;
  readonly now?: () => number;
  /** When it was started; just now by default. */
  readonly startedMs?: number;
  /** When the tree was planted; long ago by default. */
  readonly planted?: string;
  /** Any free one by default. */
  readonly port?: number;
  /** One that was there before, with all its notes. */
  readonly db?: Database;
}

export interface OpenTrilium extends FakeTrilium {
  close(): Promise<void>;
}

export interface FakeTrilium extends Trilium {
  /** Without `/etapi`. */
  readonly url: string;
  /** `GET /etapi/notes/root` and so on, in order. */
  readonly requests: string[];
  /** Waits until Trilium has looked at everything that was saved. */
  settled(): Promise<void>;
  /** A change by another client. */
  edit(noteId: string, content: string): void;
  text(noteId: string): string;
}

export const TOKEN = 'abcdEFGHijkl_s3cret/T0ken+value=';
export const PASSWORD = 'wonderland';

export async function openTrilium(options: FakeOptions = {}): Promise<OpenTrilium> {
  const { trilium, settled } = assemble(options);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader('date', new Date(trilium.db.nowMs).toUTCString());
    void respond(trilium, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.keepAliveTimeout = 0;
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening');
  const { db } = trilium;
  return Object.assign(trilium, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    settled,
    edit: (noteId: string, content: string) => {
      const note = db.note(noteId);
      if (!note) throw new Error(`no note ${noteId}`);
      setNoteContent(db, note, content);
    },
    text: (noteId: string) => db.content(db.note(noteId) ?? { blobId: '' }).toString(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await settled();
    },
  });
}

function assemble(options: FakeOptions): { trilium: Trilium; settled: () => Promise<void> } {
  const { version = '0.105.0', notes = [], isOpen = false, afterContentMs = 20 } = options;
  const db = options.db ?? new Database(options.now);
  if (!options.db) plantRoot(db, options.planted);
  plant(db, 'root', notes);
  let pending: Promise<void> = Promise.resolve();
  const trilium: Trilium = {
    db,
    version,
    startedMs: options.startedMs ?? db.nowMs,
    isAtLeast: (wanted) => isAtLeast(version, wanted),
    password: PASSWORD,
    tokens: new Set([TOKEN]),
    isOpen,
    faults: { latencyMs: () => 0, fate: () => undefined, after: () => undefined },
    loginTries: 0,
    later: (noteId) => {
      const work = sleep(afterContentMs).then(() => afterContent(db, noteId));
      pending = Promise.all([pending, work]).then(() => undefined);
    },
  };
  return { trilium, settled: () => pending };
}

async function respond(trilium: Trilium, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  // As it stood on the wire: `..` must not be tidied up by our own reading of it.
  const [path = '/', search = ''] = (request.url ?? '/').split('?');
  const asked: FakeRequest = {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(search),
    headers: request.headers,
    body: Buffer.concat(chunks),
    params: [],
  };
  const { latencyMs, fate, after } = trilium.faults;
  if (latencyMs() > 0) await sleep(latencyMs());
  const met = fate(asked);
  if (met?.kind === 'frozen') await met.until;
  const doomed = met?.kind === 'frozen' ? undefined : met;
  if (!doomed || doomed.kind === 'half' || ('applies' in doomed && doomed.applies)) {
    const answer = answerOrRefusal(trilium, asked);
    after(asked);
    if (!doomed) return send(response, answer);
    if (doomed.kind === 'half') return breakOff(response, answer);
  }
  meet(doomed, response);
}

function answerOrRefusal(trilium: Trilium, asked: FakeRequest): Answer {
  const clock = asked.headers['trilium-local-now-datetime'];
  trilium.db.localNow = typeof clock === 'string' ? clock : undefined;
  try {
    return answerTo(trilium, asked);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  } finally {
    trilium.db.localNow = undefined;
  }
}

function breakOff(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  const bytes = Buffer.from((body ?? '') as Buffer);
  response.writeHead(status, { ...headers, 'content-length': bytes.length + 1 });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

type Misfortune = Exclude<Fate, { kind: 'frozen' | 'half' }>;

function meet(fate: Misfortune, response: ServerResponse): void {
  if (fate.kind === 'reset') response.socket?.resetAndDestroy();
  else send(response, misfortune(fate));
}

function misfortune(fate: Exclude<Misfortune, { kind: 'reset' }>): Answer {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  if (fate.kind === 'redirect') return { status: 302, headers: { location: fate.to } };
  if (fate.kind === 'status')
    return { status: fate.status, headers, body: '<h1>the upstream is unwell</h1>' };
  return { status: 200, headers, body: '<!doctype html><title>Login</title>' };
}
