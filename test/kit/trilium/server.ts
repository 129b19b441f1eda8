/** A Trilium of our own for one test. */
import { onTestFinished } from 'vitest';
import { type FakeOptions, type FakeTrilium, openTrilium } from './open.ts';

export { type FakeOptions, type FakeTrilium, PASSWORD, TOKEN } from './open.ts';

export async function startTrilium(options: FakeOptions = {}): Promise<FakeTrilium> {
  const trilium = await openTrilium(options);
  onTestFinished(() => trilium.close());
  return trilium;
}
