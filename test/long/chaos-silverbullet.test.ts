import { test } from 'vitest';
import { silverBulletChaos } from '../silverbullet/chaos.ts';

test('nothing is lost, hidden or denied in a bad minute of SilverBullet', { timeout: 300_000 }, () =>
  silverBulletChaos({ seconds: 60, seed: 20_262 }),
);
