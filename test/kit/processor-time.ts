import { readFileSync } from 'node:fs';

/**
 * For what must not take forever on hostile input: the processor's time, which a busy machine does not stretch.
 * The function it returns says how many milliseconds of it went by since.
 */
export function processorTime(): () => number {
  const begun = process.cpuUsage();
  return () => process.cpuUsage(begun).user / 1000;
}

const TICK_MS = 10;

/** The processor time of another process; 0 where the system does not report it. */
export function processorTimeOf(pid: number): () => number {
  const used = () => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      return 0;
    }
  };
  const begun = used();
  return () => used() - begun;
}

/** The processor time of all processes that this one started and that have ended, in milliseconds; Infinity where the system does not report it. */
export function processorTimeOfChildren(): () => number {
  const used = () => {
    try {
      const fields = readFileSync('/proc/self/stat', 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  };
  const begun = used();
  return () => (Number.isFinite(begun) ? used() - begun : begun);
}
