/** How a server can be on a bad day: torn reads, repeated time stamps, a full disk, failures, hang-ups and delays. */
import fc from 'fast-check';
import { randomFrom } from '../kit/random.ts';
import type { FakeSilverBullet } from '../kit/silverbullet/server.ts';
import type { Fate } from '../kit/silverbullet/space.ts';

export interface Weather {
  readonly seed: number;
  readonly tornMs: number;
  readonly tickMs: 1 | 20 | 1000;
  readonly latencyMs: number;
  /** In a hundred requests of ours. */
  readonly failures: number;
  readonly appenders: number;
  readonly rounds: number;
  readonly hasEditor: boolean;
}

export const weathers: fc.Arbitrary<Weather> = fc.record({
  seed: fc.integer(),
  tornMs: fc.constantFrom(0, 3, 8),
  tickMs: fc.constantFrom(1, 20, 1000),
  latencyMs: fc.constantFrom(0, 4),
  failures: fc.constantFrom(0, 10, 25),
  appenders: fc.integer({ min: 2, max: 4 }),
  rounds: fc.integer({ min: 2, max: 4 }),
  hasEditor: fc.boolean(),
});

export function unleash(
  fake: FakeSilverBullet,
  { seed, tornMs, tickMs, latencyMs, failures }: Weather,
): void {
  const random = randomFrom(seed);
  const ways = fake.disk.ways;
  ways.tornMs = () => (tornMs === 0 ? 0 : 1 + random() * tornMs);
  ways.tickMs = tickMs;
  ways.random = random;
  fake.faults.latencyMs = () => random() * latencyMs;
  const kinds: readonly (() => Fate)[] = [
    () => ({ kind: 'reset', applies: false }),
    () => ({ kind: 'reset', applies: true }),
    () => ({ kind: 'status', status: 503, applies: random() < 0.5 }),
    () => ({ kind: 'status', status: 500, applies: random() < 0.5 }),
    () => ({ kind: 'disk-full', shortage: { share: random(), keepsTail: random() < 0.3 } }),
  ];
  fake.faults.fate = ({ isForeign, name }) =>
    isForeign || !name.startsWith('/.fs/') || random() * 100 >= failures
      ? undefined
      : kinds[Math.floor(random() * kinds.length)]!();
}
