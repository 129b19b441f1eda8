/** Which clients of this machine have Quire, and whether what they start is there. */
import { homedir } from 'node:os';
import { clientsWithQuire } from '../../clients/installed.ts';
import type { Environment } from '../../config/plane-file.ts';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';

const { ok, warn } = resultsFor('Clients');

/** Arguments and addresses of an entry may be secrets, so neither is shown. */
export async function clientChecks(env: Environment): Promise<CheckResult[]> {
  const found = await clientsWithQuire({ platform: process.platform, env, home: env.HOME || homedir() });
  if (found.length === 0)
    return [ok('clients', 'No client on this machine has Quire; quire connect adds it.')];
  return found.map(({ client, file, name = '', url, missing, problem }) => {
    if (problem !== undefined)
      return warn(
        'clients',
        `${client}: its configuration cannot be read: ${problem}`,
        `Correct ${file}, or restore a backup of it.`,
      );
    if (missing !== undefined)
      return warn(
        'clients',
        `${client}: "${name}" starts ${missing}, which is not there.`,
        'Write the entry again with: quire connect',
      );
    return ok('clients', `${client}: "${name}" ${url === undefined ? 'starts' : 'calls'} Quire (${file})`);
  });
}
