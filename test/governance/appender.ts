/** A process that appends to an audit log as often as its arguments say. */
import { openAudit } from '../../src/governance/audit/audit.ts';

const [folder = '', name = '', times = '0'] = process.argv.slice(2);
const audit = openAudit({ folder, maxBytes: 4_000, keepParts: 1_000 });
for (let n = 0; n < Number(times); n++)
  await audit.record({ event: 'started', call: `${name}-${n}`, server: 's', capability: 'c', kind: 'tool' });
