/** The network of servers that may reach some hosts: the list, and what came of their connections, in the audit log. */
import type { Log } from '../shared/log.ts';
import type { EgressCounts } from '../upstream/sandbox/egress.ts';
import type { Audit } from './audit/audit.ts';
import { recordedNowAndThen } from './load.ts';

interface Network {
  readonly server: string;
  readonly list: readonly string[];
}

/** `counts` grow for as long as the server is used. There is one record of each use, also when nothing was reached. */
export function openEgressRecorder(audit: Audit, { server, list }: Network, counts: EgressCounts, log: Log) {
  const nothing = { allowed: 0, refused: 0, failed: 0 };
  let written: typeof nothing | undefined;
  let named = 0;
  return recordedNowAndThen(async () => {
    const { allowed, refused, failed } = counts;
    const before = written ?? nothing;
    const added = {
      allowed: allowed - before.allowed,
      refused: refused - before.refused,
      failed: failed - before.failed,
    };
    if (written && added.allowed + added.refused + added.failed === 0) return;
    const denied = [...counts.denied].slice(named);
    written = { allowed, refused, failed };
    named += denied.length;
    if (denied.length > 0) log('warn', 'the sandbox denied a server hosts', { server, denied });
    const event = { event: 'network', server, list, ...added, ...(denied.length > 0 && { denied }) } as const;
    await audit.record(event).catch((error) =>
      log('error', 'the connections of a server could not be written to the audit log', {
        server,
        error: String(error),
      }),
    );
  });
}
