/** A SilverBullet of our own, ended when the test ends. */
import { onTestFinished } from 'vitest';
import { type FakeOptions, type FakeSilverBullet, openSilverBullet } from './open.ts';

export { type FakeOptions, type FakeSilverBullet, TOKEN } from './open.ts';

export async function startSilverBullet(options: FakeOptions = {}): Promise<FakeSilverBullet> {
  const space = await openSilverBullet(options);
  onTestFinished(() => space.close());
  return space;
}
