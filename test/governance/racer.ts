/** A process that claims every approval it is told of, and says which ones it got. */
import type { ApprovalRequest } from '../../src/governance/approvals/approval.ts';
import { openApprovals } from '../../src/governance/approvals/approvals.ts';

const input = JSON.parse(process.argv[2] ?? '') as {
  folder: string;
  now: number;
  requests: ApprovalRequest[];
};
const approvals = openApprovals({ folder: input.folder, now: () => input.now });
const won = await Promise.all(
  input.requests.map(
    async (request) => (await approvals.claim(request, async () => {})).outcome === 'started',
  ),
);
process.stdout.write(JSON.stringify(won));
