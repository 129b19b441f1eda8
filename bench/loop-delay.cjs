// Loaded into a server with --require: writes the longest time that its event loop was held, every tenth of a second.
// Time in which the thread was ready and another process had the processor is not counted, where the system tells it.
const { appendFileSync, openSync, readSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const TICK_MS = 2;
const file = process.env.LOOP_DELAY_FILE;
if (isMainThread && file) {
  const waitedMs = waitingTime();
  let longest = 0;
  let last = { at: performance.now(), waited: waitedMs() };
  setInterval(() => {
    const now = { at: performance.now(), waited: waitedMs() };
    longest = Math.max(longest, now.at - last.at - (now.waited - last.waited) - TICK_MS);
    last = now;
  }, TICK_MS).unref();
  setInterval(() => {
    appendFileSync(file, `${Date.now()} ${longest.toFixed(1)}\n`);
    longest = 0;
  }, 100).unref();
}

/** How long this thread has waited for a processor since it began (Linux); always 0 on other systems. */
function waitingTime() {
  try {
    const text = Buffer.alloc(100);
    const status = openSync(`/proc/self/task/${process.pid}/schedstat`);
    const read = () =>
      Number(text.latin1Slice(0, readSync(status, text, 0, text.length, 0)).split(' ')[1]) / 1e6;
    return Number.isNaN(read()) ? () => 0 : read;
  } catch {
    return () => 0;
  }
}
