// Holds processes to a share of one processor each, as machines of their own would, by pausing them in between. A thread
// of its own does so, or whoever asks them would be late to pause and to wake them.
import { readdirSync, readFileSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const LOOK_MS = 2;
/** What a process did not use is not lost at once: it may have waited for its caller. */
const MOST_SAVED_MS = 20;

/** Returns the function that lets them go. */
export function holdToShare(pids, share) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { pids, share } });
  return async () => {
    await worker.terminate();
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

if (!isMainThread && workerData?.pids) for (const pid of workerData.pids) hold(pid, workerData.share);

function hold(pid, share) {
  let before = processorNanoseconds(pid);
  let at = performance.now();
  /** Milliseconds of processor time it may still use. */
  let allowance = 0;
  let isPaused = false;
  setInterval(() => {
    const [used, now] = [processorNanoseconds(pid), performance.now()];
    allowance = Math.min(allowance + (now - at) * share - (used - before) / 1e6, MOST_SAVED_MS);
    before = used;
    at = now;
    if (allowance < 0 !== isPaused) {
      isPaused = !isPaused;
      process.kill(pid, isPaused ? 'SIGSTOP' : 'SIGCONT');
    }
  }, LOOK_MS);
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
