/** A Trilium of our own for one test. */
import { onTestFinished } from 'vitest';
import { skipLive } from './live.ts';
import { type FakeOptions, type FakeTrilium, openTrilium } from './open.ts';

export { type FakeOptions, type FakeTrilium, PASSWORD, TOKEN } from './open.ts';

export async function startTrilium(options: FakeOptions = {}): Promise<FakeTrilium> {
  skipLive('it looks into the server');
  const trilium = await openTrilium(options);
  onTestFinished(() => trilium.close());
  return trilium;
}
