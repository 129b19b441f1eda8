/** How often a server was called in the last minute, by this process. */
import type { Plane } from './plane.ts';

const MINUTE_MS = 60_000;
const lately = new WeakMap<Plane, Map<string, number[]>>();

function recentCalls(plane: Plane, name: string): number[] {
  const times = lately.get(plane) ?? new Map<string, number[]>();
  lately.set(plane, times);
  const recent = (times.get(name) ?? []).filter((at) => plane.now() - at < MINUTE_MS);
  times.set(name, recent);
  return recent;
}

export function limitProblem(plane: Plane, name: string): string | undefined {
  const most = plane.config.limits.callsPerMinute;
  if (recentCalls(plane, name).length < most) return undefined;
  return `More than ${most} calls in a minute. Wait, or raise calls_per_minute.`;
}

/** The same, and counts the call when it may be made. */
export function takeTurn(plane: Plane, name: string): string | undefined {
  const problem = limitProblem(plane, name);
  if (problem === undefined) recentCalls(plane, name).push(plane.now());
  return problem;
}
