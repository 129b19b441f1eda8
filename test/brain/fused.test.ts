import { describe, expect, it, onTestFinished } from 'vitest';
import { Embedding } from '../../src/brain/embed/embedding.ts';
import { fuse, weightOfWords } from '../../src/brain/retrieve/hybrid-search.ts';
import { openLibrary } from '../../src/brain/retrieve/library.ts';
import { openRetriever } from '../../src/brain/retrieve/retriever.ts';
import type { RetrievalMode, SearchScope } from '../../src/brain/types.ts';
import type { Embedder } from '../../src/llm/types.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
import { wordEmbedder } from '../kit/embedder.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { pathsOf, type SourceInFolder, sourceOf } from './kit.ts';

const ALIKE = [
  ['vehicle', 'automobile', 'car'],
  ['repair', 'mend', 'mended', 'fix'],
];
const NOTES = {
  'garage/workshop.md': '# Workshop\n\nThe automobile was mended: they fix the brakes.\n',
  'garage/car.md': '# Car\n\nThe car is red and needs washing.\n',
  'kitchen/bread.md': '# Bread\n\nFlour, salt, yeast and a hot oven.\n',
};

async function fused(seed: Record<string, string>, embedder: Embedder = wordEmbedder(ALIKE), isReady = true) {
  const source: SourceInFolder = await sourceOf(seed);
  const embedding = new Embedding({
    embedder,
    library: openLibrary([source]),
    folder: await temporaryFolder(),
    place: 'here',
    log: silentLog,
    pauses: { listMs: 3_600_000 },
  });
  onTestFinished(() => embedding.close());
  const settled = embedding.settled();
  embedding.start();
  if (isReady) await settled;
  const retriever = openRetriever({ sources: [source], embedder, embedding });
  const ask = (query: string, mode: RetrievalMode = 'hybrid', scope: SearchScope = {}, limit = 5) =>
    retriever.retrieve({ query, limit, mode, scope });
  return { source, retriever, ask };
}

describe('retrieval by words and meaning', () => {
  it('finds what has the meaning and not the words', async () => {
    const { ask } = await fused(NOTES);
    const found = await ask('repair of a vehicle');
    expect(found.passages[0]?.passage.sourcePath).toBe('garage/workshop.md');
    expect(found.passages[0]?.coverage).toBe(0);
    expect(found.passages[0]?.cosine).toBeGreaterThan(0.3);
    expect(found).toMatchObject({ modeUsed: 'hybrid', warnings: [] });
    expect(found.total).toBeGreaterThan(0);
    expect((await ask('repair of a vehicle', 'keyword')).passages).toEqual([]);
  });

  it('puts first what has both', async () => {
    const found = await (await fused(NOTES)).ask('car');
    expect(found.passages[0]?.passage.sourcePath).toBe('garage/car.md');
    const scores = found.passages.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
  });

  it('goes by meaning alone when asked to', async () => {
    const found = await (await fused(NOTES)).ask('mend the automobile', 'semantic');
    expect(found.modeUsed).toBe('semantic');
    expect(found.passages[0]?.passage.sourcePath).toBe('garage/workshop.md');
    expect(found.passages[0]?.score).toBe(found.passages[0]?.cosine);
  });

  it('narrows by folder', async () => {
    const { ask } = await fused(NOTES);
    expect(
      pathsOf(await ask('car', 'semantic', { pathPrefix: 'kitchen' })).filter(
        (path) => !path.startsWith('kitchen/'),
      ),
    ).toEqual([]);
    expect(pathsOf(await ask('car bread', 'hybrid', { pathPrefix: 'kitchen' }))).toEqual([
      'kitchen/bread.md',
    ]);
  });

  it('shows only passages that stand in their note now', async () => {
    const { ask, source } = await fused(NOTES);
    await putFile(source.folder, 'garage/workshop.md', 'Closed for ever.\n');
    const found = await ask('repair of a vehicle', 'semantic');
    expect(pathsOf(found)).not.toContain('garage/workshop.md');
  });

  it('goes by words without a model while the notes have taught nothing, and says so to who asks by meaning', async () => {
    const source = await sourceOf(NOTES);
    const retriever = openRetriever({ sources: [source] });
    const asked = { query: 'car', limit: 5, scope: {} };
    const found = await retriever.retrieve({ ...asked, mode: 'hybrid' });
    expect(found).toMatchObject({ modeUsed: 'keyword', warnings: [] });
    expect(await retriever.retrieve({ ...asked, mode: 'semantic' })).toMatchObject({
      modeUsed: 'keyword',
      warnings: ['The notes do not teach what these words mean: found by words alone.'],
    });
    expect(pathsOf(found)).toEqual(['garage/car.md']);
    expect(await retriever.similarity('a', ['b'])).toBeUndefined();
  });

  it('says how far the embedding is while it is not done, and goes by words', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`n${at}.md`, `car number ${at}\n`]),
    );
    let batches = 0;
    const embedder = wordEmbedder(ALIKE, {
      before: (_, signal) => {
        batches++;
        if (batches === 1) return Promise.resolve();
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const { ask } = await fused(many, embedder, false);
    await expect.poll(() => batches).toBe(2);
    expect(await ask('car')).toMatchObject({
      modeUsed: 'keyword',
      warnings: ['32 of 50 notes are embedded so far: found by words alone.'],
    });
  });

  it('goes by words when the model fails', async () => {
    let isBroken = false;
    const embedder = wordEmbedder(ALIKE, {
      before: async () => {
        if (isBroken) throw new AppError('upstream_failed', 'Cannot reach the model');
      },
    });
    const { ask } = await fused(NOTES, embedder);
    isBroken = true;
    expect(await ask('car')).toMatchObject({
      modeUsed: 'keyword',
      warnings: ['Cannot reach the model: found by words alone.'],
    });
  });

  it('asks the model once for the same question', async () => {
    const embedder = wordEmbedder(ALIKE);
    const { ask } = await fused(NOTES, embedder);
    const before = embedder.calls.length;
    await ask('car');
    await ask('car', 'semantic');
    expect(embedder.calls.length - before).toBe(1);
  });

  it('tells how alike texts are', async () => {
    const { retriever } = await fused(NOTES);
    const [same, other] = (await retriever.similarity('repair the car', ['mend vehicle', 'hot oven'])) ?? [];
    expect(same).toBeGreaterThan((other ?? 0) + 0.3);
  });
});

describe('fusion', () => {
  it('counts words for more the more of them stand together', () => {
    expect([0, 2, 4, 6, 40].map(weightOfWords)).toEqual([0.25, 0.25, 0.475, 0.7, 0.7]);
  });

  it('counts only what is nearer than any two texts are', () => {
    expect(fuse({ words: 0, cosine: 0.7 }, 0.5, 0.7)).toBe(0);
    expect(fuse({ words: 0, cosine: 0.85 }, 0.5, 0.7)).toBeCloseTo(0.25);
    expect(fuse({ words: 1, cosine: 1 }, 0.25, 0.1)).toBeCloseTo(1);
    expect(fuse({ words: 0.6, cosine: undefined }, 0.5, 0.1)).toBeCloseTo(0.3);
  });
});
