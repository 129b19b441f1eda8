/** What the plane remembers: for its owner alone, and as it was written. */
import { join } from 'node:path';
import type { ChainReport } from '../../state/chain-read.ts';
import { modeOf } from '../files.ts';
import { LOGINS_FILE } from '../login/login-store.ts';
import type { Plane } from '../plane.ts';
import { type Check, checksOf } from './check.ts';
import { clockSkew } from './clock.ts';
import { quoted } from './fix.ts';

const FILES = ['approvals.jsonl', 'audit.jsonl', 'pins.json', 'last-seen.json', LOGINS_FILE];

export async function stateChecks(plane: Plane): Promise<Check[]> {
  const folder = plane.config.stateDir;
  if ((await modeOf(folder)) === undefined) {
    const { skip } = checksOf(folder);
    return ['state.permissions', 'state.audit_chain', 'clock.skew'].map((name) =>
      skip(name, 'nothing is remembered yet'),
    );
  }
  return [await permissions(folder), chain(folder, await plane.audit.verify()), await clockSkew(plane)];
}

async function permissions(folder: string): Promise<Check> {
  const { ok, fail } = checksOf(folder);
  const paths = [folder, ...FILES.map((name) => join(folder, name))];
  const modes = await Promise.all(paths.map(async (path) => ({ path, found: await modeOf(path) })));
  const foreign = modes.find(({ found }) => found && process.getuid && found.uid !== process.getuid());
  if (foreign)
    return fail(
      'state.permissions',
      `${foreign.path} belongs to somebody else`,
      `sudo chown -R "$(id -u)" ${quoted(folder)}`,
    );
  const open = modes.find(({ found }) => found && (found.mode & 0o077) !== 0);
  return open
    ? fail('state.permissions', `others may use ${open.path}`, `chmod -R go= ${quoted(folder)}`)
    : ok('state.permissions', 'for its owner alone');
}

function chain(folder: string, { isWhole, lines, problems }: ChainReport): Check {
  const { ok, fail } = checksOf(join(folder, 'audit.jsonl'));
  if (isWhole) return ok('state.audit_chain', `${lines} lines, none changed`);
  const [first] = problems;
  const kept = quoted(join(folder, 'kept'));
  return fail(
    'state.audit_chain',
    `${first?.code} at line ${first?.seq}: somebody changed the log. Keep it, and find out who.`,
    `mkdir -p ${kept} && mv ${quoted(folder)}/audit* ${kept}/`,
  );
}
