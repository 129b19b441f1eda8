import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BackgroundScheduler } from '../../src/search/sync/scheduler.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { at, searching } from './kit.ts';

const NOTES = 1_500;

/** Does something between any two steps of packing. */
class Interruptions extends BackgroundScheduler {
  between = async () => {};
  override readonly turns = () => this.between();
}

it('packs and saves the index although notes keep changing, and loses none of them', async () => {
  const snapshotFile = join(await temporaryFolder(), 'index-x.bin');
  const seed = Array.from({ length: NOTES }, (_, n) => [`n${n}.md`, `word number${n}x`] as const);
  const scheduler = new Interruptions();
  const notes = openMemoryStore(Object.fromEntries(seed));
  const { paths, searcher, store } = await searching(notes, { snapshotFile, scheduler });
  let steps = 0;
  scheduler.between = async () => {
    const step = steps++;
    await store.write(at(`new${step}.md`), `fresh${step}x`);
    await store.write(at(`n${step}.md`), `changed${step}x`);
    await store.remove(at(`n${NOTES - 1 - step}.md`));
    if (step === 2) expect(await paths('"fresh1x"')).toEqual(['new1.md']);
  };
  searcher.start();
  await searcher.settled();
  await expect.poll(() => existsSync(snapshotFile)).toBe(true);
  scheduler.between = async () => {};
  const last = steps - 1;
  expect(last).toBeGreaterThan(2);

  const restarted = await searching(notes, { snapshotFile });
  for (const one of [{ paths, searcher }, restarted]) {
    await one.searcher.settled();
    expect(one.searcher.status()).toMatchObject({ indexed: NOTES, pending: 0 });
    expect(await one.paths(`"fresh${last}x"`)).toEqual([`new${last}.md`]);
    expect(await one.paths(`"changed${last}x"`)).toEqual([`n${last}.md`]);
    expect(await one.paths(`"number${last}x"`)).toEqual([]);
    expect(await one.paths(`"number${NOTES - 1 - last}x"`)).toEqual([]);
    expect(await one.paths('"number700x"')).toEqual(['n700.md']);
  }
});
