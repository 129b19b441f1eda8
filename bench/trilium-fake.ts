/** The Trilium of our tests as a process of its own; says where it is and lives until its input ends. */
import { openTrilium, TOKEN } from '../test/kit/trilium/open.ts';

const latencyMs = Number(process.argv[2] ?? 0);
const fake = await openTrilium();
fake.faults.latencyMs = () => latencyMs;
process.stdout.write(`${fake.url} ${TOKEN}\n`);
process.stdin.resume().on('end', () => process.exit());
