/**
 * How often each server was called in the last minute, by all processes on this state folder: counted from the audit
 * log, which is written anyway.
 */

const MINUTE_MS = 60_000;
const TRIM_EVERY = 1_024;

export interface Rates {
  /** What stands in the way of one more call; undefined for nothing. */
  problem(server: string): string | undefined;
  /** A line of the audit log, of whichever process. */
  note(line: { readonly event: string; readonly time: string; readonly [field: string]: unknown }): void;
  /** From when on lines count. */
  since(): number;
}

/** Times in order; those before `from` are over. */
interface Calls {
  times: number[];
  from: number;
}

export function createRates(most: number, now: () => number): Rates {
  const servers = new Map<string, Calls>();
  const since = () => now() - MINUTE_MS;
  return {
    since,
    problem(server) {
      const calls = servers.get(server);
      if (!calls || countOf(calls, since()) < most) return undefined;
      return `More than ${most} calls in a minute. Wait, or raise calls_per_minute.`;
    },
    note({ event, time, server, outcome, completes }) {
      if (event !== 'decided' || outcome === 'deny' || typeof server !== 'string') return;
      const name = completes === true ? completionsOf(server) : server;
      const calls = servers.get(name) ?? { times: [], from: 0 };
      servers.set(name, calls);
      calls.times.push(Date.parse(time));
      // Other processes may call a server that this one never asks about.
      if (calls.times.length % TRIM_EVERY === 0) countOf(calls, since());
    },
  };
}

/** Of their own count: who types must not use up the calls. */
export function completionsOf(server: string): string {
  return `${server}:completion`;
}

function countOf(calls: Calls, since: number): number {
  while (calls.from < calls.times.length && (calls.times[calls.from] ?? 0) <= since) calls.from++;
  if (calls.from > calls.times.length / 2) {
    calls.times = calls.times.slice(calls.from);
    calls.from = 0;
  }
  return calls.times.length - calls.from;
}
