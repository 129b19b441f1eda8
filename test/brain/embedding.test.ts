import { appendFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCollection } from '../../src/brain/embed/collection.ts';
import { acquireEmbeddingLease, Embedding } from '../../src/brain/embed/embedding.ts';
import { decodeFrames, encodeFrame, vectorFileAt } from '../../src/brain/embed/vector-file.ts';
import { createVectorTable } from '../../src/brain/embed/vector-table.ts';
import { openLibrary } from '../../src/brain/retrieve/library.ts';
import type { Library } from '../../src/brain/types.ts';
import { unitVector } from '../../src/llm/types.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
import { dot, quantize } from '../../src/shared/quantized-vector.ts';
import { wordEmbedder } from '../kit/embedder.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { type SourceInFolder, sourceOf } from './kit.ts';

const QUICK = { changeMs: 20, listMs: 200, failureMs: 20, otherMs: 50 };

function seededVectors(count: number, dimensions: number): Float32Array[] {
  let seed = 42;
  const next = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    return seed / 2 ** 31;
  };
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: dimensions }, next));
  return Array.from(
    { length: count },
    (_, at) => unitVector(centres[at % centres.length]!.map((number) => number + 0.7 * next()))!,
  );
}

const exactCosine = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, number, at) => sum + number * (b[at] ?? 0), 0);

describe('vectors of bytes', () => {
  it('keep their cosines to the second digit', () => {
    const [a, b] = seededVectors(2, 512) as [Float32Array, Float32Array];
    const [one, two] = [quantize(a), quantize(b)];
    expect(dot(one.bytes, two.bytes, 0) * one.scale * two.scale).toBeCloseTo(exactCosine(a, b), 2);
  });

  it('are found among thousands as an exact search finds them', () => {
    const vectors = seededVectors(8_000, 128);
    const table = createVectorTable(128);
    for (const [at, vector] of vectors.entries()) table.put(String(at), quantize(vector));
    const query = vectors[17]!.map((number, at) => number + (at % 3) * 0.01);
    const exact = vectors
      .map((vector, at) => ({ at: String(at), cosine: exactCosine(query, vector) }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, 20)
      .map(({ at }) => at);
    const found = table.nearest(query, 20).map(({ hash }) => hash);
    expect(found[0]).toBe('17');
    expect(found.filter((hash) => exact.includes(hash)).length).toBeGreaterThanOrEqual(18);
  });

  it('can be taken out again, and their places are used again', () => {
    const table = createVectorTable(4);
    for (let at = 0; at < 3_000; at++) table.put(`h${at}`, quantize(Float32Array.of(1, at, 0, 0)));
    for (let at = 0; at < 2_999; at++) table.remove(`h${at}`);
    expect(table.size).toBe(1);
    expect(table.nearest(Float32Array.of(0, 1, 0, 0), 5).map(({ hash }) => hash)).toEqual(['h2999']);
    expect(table.cosine(Float32Array.of(0, 1, 0, 0), 'h1')).toBeUndefined();
  });
});

describe('the file of vectors', () => {
  it('is read past whatever is damaged in it', () => {
    const frames = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(frames, fc.uint8Array({ maxLength: 30 }), fc.nat(7), (payloads, noise, where) => {
        const encoded = payloads.map((payload, at) => encodeFrame(at, payload));
        const place = Math.min(where, encoded.length);
        const bytes = Buffer.concat([
          ...encoded.slice(0, place),
          Buffer.from(noise),
          ...encoded.slice(place),
        ]);
        const found = [...decodeFrames(bytes)].map(({ payload }) => [...payload]);
        expect(found).toEqual(payloads.map((payload) => [...payload]));
      }),
    );
  });

  it('gives only what is new, waits for what is not complete, and begins anew after a replacement', async () => {
    const path = join(await temporaryFolder(), 'deep', 'v.bin');
    const [one, two] = [vectorFileAt(path, 'x'), vectorFileAt(path, 'x')];
    const gone = (sourcePath: string) => ({ kind: 'gone' as const, sourcePath });
    const read = async (file: typeof one) => {
      const seen: string[] = [];
      await file.read({
        reset: () => seen.push('reset'),
        take: (record) => record.kind === 'gone' && seen.push(record.sourcePath),
      });
      return seen;
    };
    expect(await read(one)).toEqual([]);
    await one.add([gone('a')]);
    expect(await read(two)).toEqual(['reset', 'a']);
    await two.add([gone('b')]);
    expect(await read(two)).toEqual(['b']);
    expect(await read(one)).toEqual(['reset', 'a', 'b']);
    const half = encodeFrame(3, Buffer.from(JSON.stringify(gone('c'))));
    await appendFile(path, half.subarray(0, 20));
    expect(await read(one)).toEqual([]);
    await appendFile(path, half.subarray(20));
    expect(await read(one)).toEqual(['c']);
    await two.replace([gone('d')]);
    expect(await read(one)).toEqual(['reset', 'd']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('of another embedder or format is not used, and is replaced', async () => {
    const path = join(await temporaryFolder(), 'v.bin');
    await vectorFileAt(path, 'one').add([{ kind: 'gone', sourcePath: 'a' }]);
    const other = vectorFileAt(path, 'two');
    const seen: string[] = [];
    const reader = { reset: () => {}, take: ({ kind }: { kind: string }) => seen.push(kind) };
    await other.read(reader);
    expect(seen).toEqual([]);
    await other.add([{ kind: 'gone', sourcePath: 'b' }]);
    await other.read(reader);
    expect(seen).toEqual(['head', 'gone']);
    await writeFile(path, 'not ours at all');
    await expect(vectorFileAt(path, 'two').read(reader)).resolves.toBeUndefined();
  });

  it('is led by one process at a time', async () => {
    const path = join(await temporaryFolder(), 'x', 'lead');
    const lead = await acquireEmbeddingLease(path);
    expect(await acquireEmbeddingLease(path)).toBeUndefined();
    await lead?.release();
    const next = await acquireEmbeddingLease(path);
    expect(next).toBeDefined();
    await next?.release();
  });
});

describe('a collection', () => {
  it('holds back vectors of notes that are not complete', () => {
    const collection = createCollection();
    const vector = quantize(Float32Array.of(1, 0));
    collection.take({ kind: 'vector', hash: 'h', vector });
    expect(collection.nearest(Float32Array.of(1, 0), 5)).toEqual([]);
    collection.take({ kind: 'note', note: { sourcePath: 'a.md', lastModified: 1, size: 2, hashes: ['h'] } });
    expect(collection.nearest(Float32Array.of(1, 0), 5)).toHaveLength(1);
    const note = { sourcePath: 'a.md', lastModified: 1, size: 2, tags: [] };
    expect(collection.isCurrent(note)).toBe(true);
    expect(collection.isCurrent({ ...note, lastModified: 3 })).toBe(false);
    collection.take({ kind: 'gone', sourcePath: 'a.md' });
    expect(collection.nearest(Float32Array.of(1, 0), 5)).toEqual([]);
    expect(collection.held).toBe(0);
  });
});

interface VectorSetup {
  readonly source: SourceInFolder;
  readonly folder: string;
  readonly library?: Library;
}

async function notesToKeep(count = 5): Promise<VectorSetup> {
  const seed = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`n${at}.md`, `# Note ${at}\n\nAbout thing${at} and others.\n`]),
  );
  return { source: await sourceOf(seed), folder: await temporaryFolder() };
}

function keep(
  { source, folder, library = openLibrary([source]) }: VectorSetup,
  embedder = wordEmbedder(),
  log = silentLog,
): Embedding {
  const embedding = new Embedding({
    embedder,
    library,
    folder,
    place: 'here',
    log,
    pauses: QUICK,
    watch: async (onChange) => (await source.notebook.notes.watch?.(onChange)) ?? (async () => {}),
  });
  onTestFinished(() => embedding.close());
  embedding.start();
  return embedding;
}

describe('embedding in the background', () => {
  it('gives every passage a vector, in batches of 32, and says how far it is', async () => {
    const kept = await notesToKeep(70);
    const embedder = wordEmbedder();
    const embedding = keep(kept, embedder);
    expect(embedding.status()).toMatchObject({ notes: 0, embeddedNotes: 0 });
    await embedding.settled();
    expect(embedding.status()).toMatchObject({
      notes: 70,
      embeddedNotes: 70,
      passages: 70,
      isWorking: false,
    });
    expect(embedder.calls).toEqual([32, 32, 6]);
  });

  it('embeds the newest notes first', async () => {
    const kept = await notesToKeep(3);
    await expect.poll(() => Date.now() > 0).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await putFile(kept.source.folder, 'newest.md', 'The newest of all.\n');
    const texts: string[] = [];
    const embedding = keep(kept, wordEmbedder([], { before: async (batch) => void texts.push(...batch) }));
    await embedding.settled();
    expect(texts[0]).toContain('The newest of all.');
  });

  it('goes on where it stopped, and embeds nothing twice', async () => {
    const kept = await notesToKeep(100);
    let batches = 0;
    const stopping = wordEmbedder([], {
      before: async () => {
        batches++;
        if (batches >= 3) throw new AppError('upstream_failed', 'Gone');
      },
    });
    const first = keep(kept, stopping);
    await expect.poll(() => first.status().problem).toContain('Gone');
    await first.close();
    const second = wordEmbedder();
    const embedding = keep(kept, second);
    await embedding.settled();
    expect(embedding.status().embeddedNotes).toBe(100);
    expect(second.calls.reduce((sum, count) => sum + count, 0)).toBe(36);
    await embedding.close();
    const third = wordEmbedder();
    await keep(kept, third).settled();
    expect(third.calls).toEqual([]);
  });

  it('tries again after a failure, by itself', async () => {
    const kept = await notesToKeep();
    let failures = 0;
    const said: string[] = [];
    const embedder = wordEmbedder([], {
      before: async () => {
        failures++;
        if (failures < 3) throw new AppError('upstream_failed', 'Not now');
      },
    });
    const embedding = keep(kept, embedder, (level, message) => void said.push(`${level}: ${message}`));
    await embedding.settled();
    expect(embedding.status().embeddedNotes).toBe(5);
    expect(embedding.status().problem).toBeUndefined();
    expect(said).toEqual(['warn: embedding has stopped; it is tried again']);
  });

  it('goes on with the others when one note cannot be read, and tries that one again', async () => {
    const kept = await notesToKeep(40);
    const library = openLibrary([kept.source]);
    let isBroken = true;
    const read: Library['read'] = async (path, asking) => {
      if (isBroken && path.endsWith('n3.md')) throw new AppError('upstream_failed', 'Half an answer');
      return library.read(path, asking);
    };
    const embedding = keep({ ...kept, library: { ...library, read } });
    await expect.poll(() => embedding.status().embeddedNotes).toBe(39);
    await expect.poll(() => embedding.status().problem).toContain('Half an answer');
    isBroken = false;
    await embedding.settled();
    expect(embedding.status().embeddedNotes).toBe(40);
    expect(embedding.status().problem).toBeUndefined();
  });

  it('follows what is added, changed and removed', async () => {
    const kept = await notesToKeep();
    kept.source.notebook.searcher.start();
    const embedding = keep(kept);
    await embedding.settled();
    await putFile(kept.source.folder, 'new.md', 'Something new.\n');
    await expect
      .poll(() => embedding.status(), { timeout: 40_000 })
      .toMatchObject({ embeddedNotes: 6, passages: 6 });
    await putFile(
      kept.source.folder,
      'n0.md',
      `# A\n\n${'many words '.repeat(100)}\n\n# B\n\n${'more words '.repeat(100)}\n`,
    );
    await expect.poll(() => embedding.status().passages, { timeout: 40_000 }).toBe(7);
    await rm(join(kept.source.folder, 'n1.md'));
    await expect.poll(() => embedding.status(), { timeout: 40_000 }).toMatchObject({ notes: 5, passages: 6 });
  });

  it('survives a damaged file, and embeds only what it lost', async () => {
    const kept = await notesToKeep(40);
    const first = keep(kept);
    await first.settled();
    await first.close();
    const [name] = await readdir(kept.folder);
    const file = join(kept.folder, name!);
    const bytes = await readFile(file);
    const middle = bytes.length >> 1;
    bytes.fill(0, middle, middle + 10);
    await writeFile(file, bytes);
    const embedder = wordEmbedder();
    const embedding = keep(kept, embedder);
    await embedding.settled();
    expect(embedding.status()).toMatchObject({ embeddedNotes: 40, passages: 40 });
    expect(embedder.calls.reduce((sum, count) => sum + count, 0)).toBeLessThan(5);
  });

  it('is not done again by one that looked before another had done it', async () => {
    const kept = await notesToKeep(40);
    const library = openLibrary([kept.source]);
    const first = keep(kept);
    let looks = 0;
    const late: Library = {
      ...library,
      notes: async (...asked) => {
        const known = await library.notes(...asked);
        if (looks++ === 0) await first.settled();
        return known;
      },
    };
    const embedder = wordEmbedder();
    const second = keep({ ...kept, library: late }, embedder);
    await second.settled();
    expect(second.status()).toMatchObject({ embeddedNotes: 40, passages: 40 });
    expect(embedder.calls).toEqual([]);
  });

  it('is shared by two at once: one does the work, both have the vectors', async () => {
    const kept = await notesToKeep(120);
    const slow = () => wordEmbedder([], { before: () => new Promise((resolve) => setTimeout(resolve, 20)) });
    const embedders = [slow(), slow()];
    const both = embedders.map((embedder) => keep(kept, embedder));
    await Promise.all(both.map((embedding) => embedding.settled()));
    for (const embedding of both)
      expect(embedding.status()).toMatchObject({ embeddedNotes: 120, passages: 120 });
    expect(embedders.flatMap(({ calls }) => calls).reduce((sum, count) => sum + count, 0)).toBe(120);
  });

  it('keeps another file for another model', async () => {
    const kept = await notesToKeep();
    await keep(kept).settled();
    const other = wordEmbedder([], { identity: 'other' });
    await keep(kept, other).settled();
    expect(other.calls).toEqual([5]);
    expect((await readdir(kept.folder)).filter((name) => name.endsWith('.bin'))).toHaveLength(2);
  });

  it('leaves out what is not text, and is complete without it', async () => {
    const source = await sourceOf({ 'a.md': 'text\n', 'latin.md': new Uint8Array([0x61, 0xe9, 0x62]) });
    const embedding = keep({ source, folder: await temporaryFolder() });
    await embedding.settled();
    expect(embedding.status()).toMatchObject({ notes: 2, embeddedNotes: 2, passages: 1 });
  });

  it('goes without a file where none can be written', async () => {
    const { source } = await notesToKeep();
    const folder = join(source.folder, 'n0.md', 'no folder');
    const said: string[] = [];
    const embedding = keep({ source, folder }, wordEmbedder(), (_, message) => void said.push(message));
    await embedding.settled();
    expect(embedding.status()).toMatchObject({ embeddedNotes: 5, passages: 5 });
    expect(said).toEqual(['vectors cannot be saved; they are kept in memory only']);
  });

  it('ends at once, whatever it is doing', async () => {
    const hanging = wordEmbedder([], {
      before: (_, signal) =>
        new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
        ),
    });
    const embedding = keep(await notesToKeep(), hanging);
    await expect.poll(() => hanging.calls.length).toBe(1);
    expect(embedding.status().isWorking).toBe(true);
    await embedding.close();
  });
});
