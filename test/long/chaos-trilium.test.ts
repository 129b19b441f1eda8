import { test } from 'vitest';
import { triliumChaos } from '../trilium/chaos.ts';

test('nothing is lost, hidden or denied in a bad minute of Trilium', { timeout: 300_000 }, () =>
  triliumChaos({ seconds: 60, seed: 20_262 }),
);
