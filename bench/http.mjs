// npm run bench:http [-- --peers DIR] [--soak MINUTES] [--only compare|soak] [--write]
// Reads of a note over HTTP: Quire with a login and a token on every request, beside the SDK's bare handler and
// beside peers. With --soak also sessions held open, and what that does to memory. Loopback only.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './http-compare.mjs';
import { soak } from './http-soak.mjs';
import { putBetweenMarkers } from './page.mjs';
import { exitWhenInterrupted, inTemporaryFolder } from './temporary.mjs';

const { values: options } = parseArgs({
  options: {
    peers: { type: 'string' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '40' },
    connections: { type: 'string', default: '16' },
    soak: { type: 'string' },
    sessions: { type: 'string', default: '1000' },
    flights: { type: 'string', default: '200' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const number = (name) => Number(options[name]);
exitWhenInterrupted();

await inTemporaryFolder(async (folder) => {
  const [vault, homes] = [join(folder, 'vault'), join(folder, 'homes')];
  await mkdir(vault);
  await writeFile(join(vault, 'note.md'), `# Note\n\n${'Some words of a note.\n'.repeat(50)}`);
  if (options.only !== 'soak')
    await report(
      'bench:http',
      await compare(vault, homes, {
        peers: options.peers,
        seconds: number('seconds'),
        rounds: number('rounds'),
        connections: number('connections'),
      }),
    );
  if (options.soak && options.only !== 'compare')
    await report(
      'bench:http-soak',
      await soak(vault, homes, {
        minutes: number('soak'),
        sessions: number('sessions'),
        flights: number('flights'),
      }),
    );
});

async function report(marker, table) {
  process.stdout.write(`${table}\n`);
  if (options.write) await putBetweenMarkers(marker, table);
}
