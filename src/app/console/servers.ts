/** The pages about governed servers. Loaded only where there are some. */
import type { ConsolePage } from '../../console/page.ts';
import { approvalPage, approvalsPage } from '../../console/pages/plane/approvals.ts';
import { auditPage } from '../../console/pages/plane/audit.ts';
import { serverPage } from '../../console/pages/plane/server.ts';
import { serversPage } from '../../console/pages/plane/servers.ts';
import type { PlaneSource } from '../../console/pages/plane/source.ts';

export function serverPages(source: PlaneSource): ConsolePage[] {
  return [
    serversPage(source),
    serverPage(source),
    approvalsPage(source),
    approvalPage(source),
    auditPage(source),
  ];
}
