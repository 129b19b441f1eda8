/** A start that knows where an earlier one led goes ahead of itself; what is found must not tell. */
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BINARY, type StartOptions, startBinary } from '../kit/server.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

const AHEAD = 'the saved index was read ahead';
const NOTES = 420;
/** So many different words that their index is worth it. */
const WORDS_EACH = 150;

/** A folder that has been served before, with an index kept in `cache`. */
async function servedBefore() {
  const [folder, cache] = [await temporaryFolder(), await temporaryFolder()];
  await Promise.all(
    Array.from({ length: NOTES }, (_, i) =>
      putFile(folder, `f${i % 7}/n${i}.md`, `own${i}x ${wordsOf(i)} common\n`),
    ),
  );
  const serve = async (options: StartOptions = {}) => {
    const server = await startBinary(folder, ['--log-level', 'debug'], {
      ...options,
      env: { XDG_CACHE_HOME: cache, QUIRE_STARTUP: '' },
    });
    const find = async (query: string): Promise<string[]> =>
      (await server.call('search_notes', { query })).json.map(({ p }: { p: string }) => p);
    return { ...server, find };
  };
  const first = await serve();
  expect(await first.find('own7x')).toEqual(['f0/n7.md']);
  await until(async () => (await stat(await indexIn(join(cache, 'quire')))).size > 0);
  await first.client.close();
  await until(async () => (await readdir(join(cache, 'quire'))).includes('starts.json'));
  return { folder, cache: join(cache, 'quire'), serve };
}

function wordsOf(note: number): string {
  return Array.from({ length: WORDS_EACH }, (_, i) => `w${note.toString(36)}q${i.toString(36)}`).join(' ');
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await isSo().catch(() => false)) return;
    await sleep(50);
  }
  throw new Error('it never came to be');
}

describe('a start like an earlier one', () => {
  it('goes ahead, and finds what happened in between', async () => {
    const { folder, serve } = await servedBefore();
    await writeFile(join(folder, 'f1/n1.md'), 'rewritten zebrafinch\n');
    await rm(join(folder, 'f2/n2.md'));
    await rename(join(folder, 'f3'), join(folder, 'moved'));
    await putFile(folder, 'fresh/new.md', 'brandnew zebrafinch\n');
    const second = await serve();
    expect((await second.find('zebrafinch')).sort()).toEqual(['f1/n1.md', 'fresh/new.md']);
    expect(await second.find('own1x')).toEqual([]);
    expect(await second.find('own2x')).toEqual([]);
    expect(await second.find('own3x')).toEqual(['moved/n3.md']);
    expect(await second.find('own4x')).toEqual(['f4/n4.md']);
    expect(second.stderr()).toContain(AHEAD);
    // Goes on from there like any other.
    await writeFile(join(folder, 'f4/n4.md'), 'later quagga\n');
    await until(async () => (await second.find('quagga')).includes('f4/n4.md'));
    await second.call('write_note', { path: 'own.md', content: 'written okapi' });
    expect(await second.find('okapi')).toEqual(['own.md']);
  });

  it('takes what is written before the first search for what it is', async () => {
    const { serve } = await servedBefore();
    const second = await serve();
    await second.call('write_note', { path: 'f5/n5.md', content: 'overwritten numbat' });
    await second.call('write_note', { path: 'f5/first.md', content: 'brandnew quokka' });
    expect(await second.find('numbat')).toEqual(['f5/n5.md']);
    expect(await second.find('quokka')).toEqual(['f5/first.md']);
    expect(await second.find('own5x')).toEqual([]);
    expect(await second.find('own6x')).toEqual(['f6/n6.md']);
  });

  it('keeps to itself which words were said, and what it knows', async () => {
    const { cache, folder } = await servedBefore();
    const file = join(cache, 'starts.json');
    const [start, ...others] = JSON.parse(await readFile(file, 'utf8'));
    expect(start).toEqual({
      words: expect.stringMatching(/^[0-9a-f]{1,8}$/),
      folder,
      indexFile: expect.stringMatching(/index-[0-9a-f]+\.bin$/),
    });
    expect(others).toEqual([]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['the index is damaged', async ({ cache }: { cache: string }) => spoil(await indexIn(cache))],
    ['the index is gone', async ({ cache }: { cache: string }) => rm(await indexIn(cache))],
    [
      'what is known is nonsense',
      async ({ cache }: { cache: string }) => writeFile(join(cache, 'starts.json'), '[{"words":3},'),
    ],
  ])('does without when %s', async (_, harm) => {
    const served = await servedBefore();
    await harm(served);
    const second = await served.serve();
    expect(await second.find('own8x')).toEqual(['f1/n8.md']);
    expect(second.stderr()).not.toContain(AHEAD);
  });

  it('does without when another folder stands where it looked', async () => {
    const { folder, cache, serve } = await servedBefore();
    const file = join(cache, 'starts.json');
    const [start] = JSON.parse(await readFile(file, 'utf8'));
    const other = await temporaryFolder({ 'a.md': 'other' });
    await writeFile(file, JSON.stringify([{ ...start, folder: other }]));
    const second = await serve();
    expect(await second.find('own9x')).toEqual(['f2/n9.md']);
    expect(second.stderr()).not.toContain(AHEAD);
    await second.client.close();
    await until(async () => JSON.parse(await readFile(file, 'utf8'))[0].folder === folder);
  });

  it('does without when its thread cannot be had', async () => {
    const { serve } = await servedBefore();
    const copy = await temporaryFolder();
    await cp(dirname(BINARY), join(copy, 'dist'), { recursive: true });
    await rm(join(copy, 'dist/quire-folder.cjs'));
    const second = await serve({ binary: join(copy, 'dist/quire.cjs') });
    expect(await second.find('own10x')).toEqual(['f3/n10.md']);
    expect(second.stderr()).not.toContain(AHEAD);
  });
});

it('is not prepared for few notes', async () => {
  const [folder, cache] = [await temporaryFolder({ 'a.md': 'one note' }), await temporaryFolder()];
  await mkdir(join(cache, 'quire'));
  const server = await startBinary(folder, [], { env: { XDG_CACHE_HOME: cache } });
  await server.call('search_notes', { query: 'note' });
  await server.client.close();
  await sleep(500);
  expect(await readdir(join(cache, 'quire'))).not.toContain('starts.json');
});

async function indexIn(cache: string): Promise<string> {
  const names = await readdir(cache);
  return join(cache, names.find((name) => name.startsWith('index-'))!);
}

async function spoil(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.length - 1000] = bytes[bytes.length - 1000]! ^ 0xff;
  await writeFile(file, bytes);
}
