/** Checks of the state folder (permissions, audit chain) and of this machine's clock, by which approvals and limits work. */
import { join } from 'node:path';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { isAppError } from '../../shared/errors.ts';
import { hasFileModes } from '../../shared/fs/platform.ts';
import type { ChainReport } from '../../state/chain-read.ts';
import { modeOf, modifiedAt } from '../files.ts';
import { LOGINS_FILE } from '../login/provider.ts';
import type { Plane } from '../plane.ts';
import { quoted } from './fixes.ts';

type StateContext = Pick<Plane, 'config' | 'audit' | 'approvals' | 'now'>;

/** Two machines that share a folder may differ by this much. */
const MAX_SKEW_MS = 60_000;
const LOOK_BACK_MS = 30 * 86_400_000;
const FIX = 'timedatectl status';

/** Compares the clock with the times in the state and with the clock of the disk. */
async function clockSkew(plane: StateContext): Promise<CheckResult> {
  const { ok, warn } = resultsFor('-');
  const now = plane.now();
  const { newest, last, setBackMs } = await timesIn(plane, now - LOOK_BACK_MS);
  const asked = (await plane.approvals.list()).map(({ createdAt }) => createdAt);
  const aheadMs = Math.max(newest, ...asked) - now;
  const written = await modifiedAt(join(plane.config.stateDir, 'audit.jsonl'));
  const diskMs = written === undefined ? 0 : last - written;
  if (aheadMs > MAX_SKEW_MS)
    return warn('clock.skew', `the state is ${seconds(aheadMs)} ahead of this clock`, FIX);
  if (diskMs > MAX_SKEW_MS)
    return warn('clock.skew', `the clock of the disk is ${seconds(diskMs)} behind this one`, FIX);
  if (setBackMs > MAX_SKEW_MS)
    return warn('clock.skew', `the clock went back by ${seconds(setBackMs)} in the last 30 days`, FIX);
  return ok('clock.skew', 'the log is in order and not ahead of this clock');
}

async function timesIn(
  plane: Pick<Plane, 'audit'>,
  since: number,
): Promise<{ newest: number; last: number; setBackMs: number }> {
  const found = { newest: 0, last: 0, setBackMs: 0 };
  for await (const { time } of plane.audit.read({ since })) {
    found.last = Date.parse(time);
    found.newest = Math.max(found.newest, found.last);
    found.setBackMs = Math.max(found.setBackMs, found.newest - found.last);
  }
  return found;
}

/** Compares with the `Date` header of the server; undefined without one. */
export async function remoteClock(
  plane: Pick<Plane, 'loginTarget' | 'now'>,
  server: UpstreamServer,
  signal: AbortSignal,
): Promise<CheckResult | undefined> {
  const { ok, warn } = resultsFor(server.name);
  const { place, send } = plane.loginTarget(server);
  const response = await send(place.url, { method: 'GET', headers: { Accept: 'text/event-stream' }, signal });
  await response.body?.cancel();
  const theirs = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return undefined;
  const apartMs = Math.abs(theirs - plane.now());
  return apartMs > MAX_SKEW_MS
    ? warn('clock.skew', `its clock and this one are ${seconds(apartMs)} apart`, FIX)
    : ok('clock.skew', 'its clock and this one agree');
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

const FILES = ['approvals.jsonl', 'audit.jsonl', 'pins.json', 'last-seen.json', LOGINS_FILE];

export async function stateChecks(plane: StateContext): Promise<CheckResult[]> {
  const folder = plane.config.stateDir;
  if ((await modeOf(folder)) === undefined) {
    const { skip } = resultsFor(folder);
    return ['state.permissions', 'state.audit_chain', 'clock.skew'].map((name) =>
      skip(name, 'nothing is remembered yet'),
    );
  }
  return [await permissions(folder), await chainCheck(plane, folder), await clockSkew(plane)];
}

async function permissions(folder: string): Promise<CheckResult> {
  const { ok, skip, fail } = resultsFor(folder);
  if (!hasFileModes()) return skip('state.permissions', 'this system has no modes to look at');
  const paths = [folder, ...FILES.map((name) => join(folder, name))];
  const modes = await Promise.all(paths.map(async (path) => ({ path, found: await modeOf(path) })));
  const foreign = modes.find(({ found }) => found && process.getuid && found.uid !== process.getuid());
  if (foreign)
    return fail(
      'state.permissions',
      `${foreign.path} belongs to another user`,
      `sudo chown -R "$(id -u)" ${quoted(folder)}`,
    );
  const open = modes.find(({ found }) => found && (found.mode & 0o077) !== 0);
  return open
    ? fail('state.permissions', `others may use ${open.path}`, `chmod -R go= ${quoted(folder)}`)
    : ok('state.permissions', 'for its owner alone');
}

async function chainCheck({ audit }: StateContext, folder: string): Promise<CheckResult> {
  try {
    return chain(folder, await audit.verify());
  } catch (error) {
    if (!isAppError(error) || error.reason !== 'audit_key') throw error;
    const { fail } = resultsFor(join(folder, 'audit.jsonl'));
    return fail('state.audit_chain', error.message, 'chmod 600 ~/.config/quire/audit.key');
  }
}

function chain(folder: string, { isWhole, isUntold, lines, problems, seal }: ChainReport): CheckResult {
  const { ok, fail } = resultsFor(join(folder, 'audit.jsonl'));
  if (isWhole)
    return ok('state.audit_chain', `${lines} lines, none changed${seal === 'sealed' ? '' : ', not sealed'}`);
  const [first] = problems;
  const what = isUntold ? 'the key that sealed the log is not here' : 'the log was changed';
  return fail(
    'state.audit_chain',
    `${first?.code} at line ${first?.seq}: ${what}, so no call runs. Find out by whom it was changed.`,
    `quire mcp audit acknowledge --reason "what you found out"`,
  );
}
