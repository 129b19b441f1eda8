/** A child that leads a process group, and how the whole group comes to its end. */
import type { ChildProcess } from 'node:child_process';
import { isErrno } from '../../shared/errno.ts';

export interface StopTimes {
  /** How long it may take to leave after its input has ended. */
  readonly politeMs: number;
  /** How long after SIGTERM. */
  readonly termMs: number;
}

export const STOP_TIMES: StopTimes = { politeMs: 2_000, termMs: 2_000 };

/** Ends its input, waits, asks the group to leave, waits, ends the group. Resolves when the child is gone. */
export async function stopGroup(child: ChildProcess, times: StopTimes): Promise<void> {
  if (child.pid === undefined) return;
  child.stdin?.end();
  if (!(await leavesWithin(child, times.politeMs))) signalGroup(child.pid, 'SIGTERM');
  if (!(await leavesWithin(child, times.termMs))) signalGroup(child.pid, 'SIGKILL');
  await leavesWithin(child, times.termMs);
  // The child may be gone while what it has started lives on.
  signalGroup(child.pid, 'SIGKILL');
}

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (cause) {
    if (!isErrno(cause, 'ESRCH', 'EPERM')) throw cause;
  }
}

function leavesWithin(child: ChildProcess, ms: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
  return new Promise((resolve) => {
    const leave = () => settle(true);
    const timer = setTimeout(() => settle(false), ms);
    function settle(hasLeft: boolean): void {
      clearTimeout(timer);
      child.off('exit', leave);
      resolve(hasLeft);
    }
    child.once('exit', leave);
  });
}
