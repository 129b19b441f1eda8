/** A process that claims an approval for each line it is sent, and says whether it got it. */
import { createInterface } from 'node:readline';
import type { ApprovalRequest } from '../../src/governance/approvals/approval.ts';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';

const input = JSON.parse(process.argv[2] ?? '') as { folder: string; now: number };
const approvals = openApprovals({ folder: input.folder, now: () => input.now });
process.stdout.write('ready\n');
for await (const line of createInterface(process.stdin)) {
  const { outcome } = await approvals.claim(JSON.parse(line) as ApprovalRequest, async () => {});
  process.stdout.write(`${outcome}\n`);
}
