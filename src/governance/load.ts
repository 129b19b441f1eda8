/** What servers sent too much of: counts for the report, in the audit log at most once in some seconds for each server. */
import type { Log } from '../shared/log.ts';
import type { LoadCounts } from '../upstream/incoming.ts';
import type { Audit } from './audit/audit.ts';

const EVERY_MS = 10_000;

/** `counts` grow for as long as the server is used. */
export function openLoadRecorder(audit: Audit, server: string, counts: Readonly<LoadCounts>, log: Log) {
  let written = { ...counts };
  return recordedNowAndThen(async () => {
    const now = { ...counts };
    const added = differenceOf(now, written);
    if (!added) return;
    written = now;
    log('warn', 'messages of a server were left out', { server, ...added });
    await audit.record({ event: 'load', server, ...added }).catch((error) =>
      log('error', 'the load of a server could not be written to the audit log', {
        server,
        error: String(error),
      }),
    );
  });
}

/** Writes every few seconds, and once more at the end. */
export function recordedNowAndThen(flush: () => Promise<void>) {
  const timer = setInterval(() => void flush(), EVERY_MS).unref();
  return {
    /** Resolves once the counts are written. */
    async flush(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}

function differenceOf(now: LoadCounts, before: LoadCounts): LoadCounts | undefined {
  const names = Object.keys(now) as (keyof LoadCounts)[];
  if (names.every((name) => now[name] === before[name])) return undefined;
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as unknown as LoadCounts;
}
