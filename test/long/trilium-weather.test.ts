import { test } from 'vitest';
import { triliumChaos } from '../trilium/chaos.ts';

test('nothing is lost, hidden or denied on a bad day of Trilium', { timeout: 180_000 }, () =>
  triliumChaos({ seconds: 10, seed: 20_261 }),
);
