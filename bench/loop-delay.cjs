// Loaded into a server with --require: writes the longest time that its event loop was held, every tenth of a second.
const { appendFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

const RESOLUTION_MS = 2;
const file = process.env.LOOP_DELAY_FILE;
if (isMainThread && file) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  setInterval(() => {
    // The histogram counts the interval of the timer too.
    appendFileSync(file, `${Date.now()} ${Math.max(0, delay.max / 1e6 - RESOLUTION_MS).toFixed(1)}\n`);
    delay.reset();
  }, 100).unref();
}
