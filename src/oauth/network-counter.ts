/** Counts by every network an address may be part of, with a limit for each size: many small ones are one large one. */
import { networksOf } from '../shared/ip-ranges.ts';
import { type Counter, createCounter } from './counter.ts';

/** By how many bits of the address are looked at; 32 stands for an IPv4 address. */
type NetworkLimits = Readonly<Record<32 | 64 | 56 | 48, number>>;

interface NetworkCounter {
  /** One more. Undefined while that is within the limits, else the milliseconds until it would be again. */
  add(address: string): number | undefined;
}

interface NetworkCounterOptions {
  readonly limits: NetworkLimits;
  readonly spanMs: number;
  readonly now: () => number;
}

const MAX_KEYS = 10_000;

export function createNetworkCounter({ limits, spanMs, now }: NetworkCounterOptions): NetworkCounter {
  const counting = () => createCounter({ spanMs, maxKeys: MAX_KEYS, now });
  // Apart, so that the many small networks of one large one push out no others.
  const counters: Readonly<Record<32 | 64 | 56 | 48, Counter>> = {
    32: counting(),
    64: counting(),
    56: counting(),
    48: counting(),
  };
  return {
    add(address) {
      const networks = networksOf(address).toReversed();
      const full = networks.find(({ bits, network }) => counters[bits].count(network) >= limits[bits]);
      if (full) return counters[full.bits].remaining(full.network);
      for (const { bits, network } of networks) counters[bits].add(network);
      return undefined;
    },
  };
}
