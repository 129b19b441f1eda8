// Holds a process to a share of one processor, as a machine of its own would, by pausing it in between.
import { readdirSync, readFileSync } from 'node:fs';

const PERIOD_MS = 10;

/** Returns the function that lets it go. */
export function holdToShare(pid, share) {
  let before = processorNanoseconds(pid);
  let at = performance.now();
  /** Milliseconds of processor time it may still use. */
  let allowance = 0;
  let isPaused = false;
  const timer = setInterval(() => {
    const [used, now] = [processorNanoseconds(pid), performance.now()];
    allowance = Math.min(allowance + (now - at) * share - (used - before) / 1e6, PERIOD_MS);
    before = used;
    at = now;
    if (allowance < 0 !== isPaused) {
      isPaused = !isPaused;
      process.kill(pid, isPaused ? 'SIGSTOP' : 'SIGCONT');
    }
  }, PERIOD_MS / 2);
  return () => {
    clearInterval(timer);
    process.kill(pid, 'SIGCONT');
  };
}

/** Of all its threads, finer than the ticks of /proc/<pid>/stat. */
function processorNanoseconds(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    try {
      return sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      return sum;
    }
  }, 0);
}
