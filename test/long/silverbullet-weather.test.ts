import { test } from 'vitest';
import { silverBulletChaos } from '../silverbullet/chaos.ts';

test('nothing is lost, hidden or denied on a bad day of SilverBullet', { timeout: 180_000 }, () =>
  silverBulletChaos({ seconds: 10, seed: 20_261 }),
);
