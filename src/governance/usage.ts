/** Recent calls of the servers, from the audit log: success and latency for the score, and the rate limit. */
import { createSlidingCounter } from '../shared/rate-limit.ts';
import type { AuditEvent, AuditRecord, CallOutcome } from './audit/audit.ts';

export interface Usage {
  /** Calls that count: neither denied nor cancelled. */
  readonly calls: number;
  readonly ok: number;
  readonly toolErrors: number;
  /** 0 without calls. */
  readonly p95Ms: number;
}

type CallRecord = Extract<AuditEvent, { event: 'returned' }>;

const USAGE_DAYS = 30;
const MAX_CALLS = 50;
const DAY_MS = 86_400_000;
const NOT_COUNTED: readonly CallOutcome[] = ['denied', 'cancelled'];

export const NO_USAGE: Usage = { calls: 0, ok: 0, toolErrors: 0, p95Ms: 0 };

/** Start of the window that usage is computed over. */
export function usageSince(now: number): number {
  return now - USAGE_DAYS * DAY_MS;
}

/** Usage by server: of the last fifty calls within thirty days. */
export async function readUsage(
  events: AsyncIterable<AuditRecord>,
  now: number,
): Promise<Map<string, Usage>> {
  const calls = new Map<string, CallRecord[]>();
  for await (const event of events) {
    if (event.event !== 'returned') continue;
    const own = calls.get(event.server) ?? [];
    calls.set(event.server, own);
    if (NOT_COUNTED.includes(event.outcome) || !(Date.parse(event.time) >= usageSince(now))) continue;
    own.push(event);
    if (own.length > MAX_CALLS) own.shift();
  }
  return new Map([...calls].map(([server, own]) => [server, usageOf(own)]));
}

function usageOf(calls: readonly CallRecord[]): Usage {
  const count = (outcome: CallOutcome) => calls.filter((call) => call.outcome === outcome).length;
  return {
    calls: calls.length,
    ok: count('ok'),
    toolErrors: count('tool_error'),
    p95Ms: percentile(
      calls.map(({ ms }) => ms),
      0.95,
    ),
  };
}

/** Nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

const MINUTE_MS = 60_000;

/** Calls of the last minute by all processes that share the state folder, counted from the audit log. */
export interface Rates {
  /** The reason to refuse one more call; undefined when it is allowed. */
  problem(server: string): string | undefined;
  /** The calls that are still allowed. */
  room(server: string): number;
  /** Counts a record of the audit log, of any process. */
  note(line: { readonly event: string; readonly time: string; readonly [field: string]: unknown }): void;
  /** Start of the window. */
  since(): number;
}

export function createRates(most: number, now: () => number): Rates {
  const calls = createSlidingCounter(MINUTE_MS, now);
  const room = (server: string) => most - calls.count(server);
  return {
    since: () => now() - MINUTE_MS,
    room,
    problem(server) {
      if (room(server) > 0) return undefined;
      return `More than ${most} calls in a minute. Wait, or raise calls_per_minute.`;
    },
    note({ event, time, server, outcome, completes }) {
      if (event !== 'decided' || outcome === 'deny' || typeof server !== 'string') return;
      calls.add(completes === true ? completionsOf(server) : server, Date.parse(time));
    },
  };
}

/** Completions have a limit of their own, so that typing does not use up the calls. */
export function completionsOf(server: string): string {
  return `${server}:completion`;
}
