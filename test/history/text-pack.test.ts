import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  frameOf,
  hashesOf,
  hashOf,
  indexOfPack,
  offsetIn,
  readFrameOf,
  scanPack,
} from '../../src/history/text-pack.ts';
import { randomFrom } from '../kit/random.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytes, filesOf, historyIn, record } from './kit.ts';

const random = randomFrom(1);
const noise = (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
const TEXTS = [
  bytes(''),
  bytes('x'),
  bytes('# Plan\n'.repeat(500)),
  noise(3_000),
  bytes('Größe ✓\n'),
  noise(300 * 1024),
  bytes('long\n'.repeat(80_000)),
];

async function packOf(texts: readonly Buffer[]) {
  const file = join(await temporaryFolder(), 'x.texts');
  const frames = await Promise.all(texts.map((text) => frameOf(hashOf(text), text)));
  await writeFile(file, Buffer.concat(frames));
  return { file, frames };
}

test('a pack returns every text by its hash, and its index finds them all', async () => {
  const { file } = await packOf(TEXTS);
  const { offsets, wholeBytes } = await scanPack(file);
  expect(wholeBytes).toBe((await stat(file)).size);
  const index = indexOfPack(offsets);
  expect(new Set(hashesOf(index))).toEqual(new Set(TEXTS.map(hashOf)));
  for (const text of TEXTS) {
    const hash = hashOf(text);
    expect(offsetIn(index, hash)).toBe(offsets.get(hash));
    expect((await readFrameOf(file, offsetIn(index, hash)!, hash))?.equals(text)).toBe(true);
  }
  expect(offsetIn(index, hashOf(bytes('never kept')))).toBeUndefined();
  expect(offsetIn(Buffer.alloc(0), hashOf(bytes('x')))).toBeUndefined();
});

test('texts that compress are kept compressed, others as they are', async () => {
  const { frames } = await packOf(TEXTS);
  expect(frames[2]!.length).toBeLessThan(TEXTS[2]!.length / 10);
  expect(frames[3]!.length).toBeLessThan(TEXTS[3]!.length + 64);
});

test('a torn tail costs the torn text alone, wherever it is cut', async () => {
  const { file, frames } = await packOf([bytes('first'), bytes('second'), bytes('third')]);
  const whole = frames[0]!.length + frames[1]!.length;
  for (let length = whole; length < whole + frames[2]!.length; length++) {
    await writeFile(file, Buffer.concat(frames));
    await truncate(file, length);
    const { offsets, wholeBytes } = await scanPack(file);
    expect(wholeBytes).toBe(whole);
    expect([...offsets.keys()]).toEqual([hashOf(bytes('first')), hashOf(bytes('second'))]);
  }
});

test('a damaged frame is never returned, and the frames around it are', async () => {
  const texts = [noise(40), noise(40), noise(40)];
  const { file, frames } = await packOf(texts);
  const [start, end] = [frames[0]!.length, frames[0]!.length + frames[1]!.length];
  const whole = await readFile(file);
  for (let at = start; at < end; at++) {
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 0x5a;
    await writeFile(file, damaged);
    const { offsets } = await scanPack(file);
    const read = await Promise.all(
      texts.map((text) => {
        const offset = offsets.get(hashOf(text));
        return offset === undefined ? undefined : readFrameOf(file, offset, hashOf(text));
      }),
    );
    expect([read[0], read[2]]).toEqual([texts[0], texts[2]]);
    expect(read[1]).toBeUndefined();
  }
});

test('a text is kept once, however many changes, histories and sessions name it', async () => {
  const folder = await temporaryFolder();
  const text = noise(50_000);
  const sizeOf = async () => {
    const sizes = await Promise.all(filesOf(folder, '.texts').map(async (file) => (await stat(file)).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  for (let session = 0; session < 3; session++) {
    const history = historyIn(folder);
    await Promise.all(
      [1, 2, 3].map((n) => record(history, `${n}.md`, { before: text, after: bytes('short') })),
    );
    await history.close();
  }
  expect(await sizeOf()).toBeLessThan(50_300);
});

test('a text that another process keeps is found while that one still runs', async () => {
  const folder = await temporaryFolder();
  const [one, other] = [historyIn(folder), historyIn(folder)];
  await record(one, 'a.md', { after: bytes('of one') });
  await record(other, 'a.md', { after: bytes('of other') });
  expect(await other.text(hashOf(bytes('of one')))).toEqual(bytes('of one'));
  expect(await one.text(hashOf(bytes('of other')))).toEqual(bytes('of other'));
  await one.close();
  await record(other, 'a.md', { after: bytes('more') });
  // Goes on with the segment that was closed: its index is longer than the one that was read before.
  const third = historyIn(folder);
  await record(third, 'a.md', { after: bytes('of third') });
  await third.close();
  expect(await other.text(hashOf(bytes('of third')))).toEqual(bytes('of third'));
  expect(await other.text(hashOf(bytes('of nobody')))).toBeUndefined();
});
