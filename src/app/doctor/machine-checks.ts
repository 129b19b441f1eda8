/** Versions, and the clock by which tokens and logins end. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { arch, platform, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { NODE_NEEDED, VERSION } from '../../version.ts';

const { ok, warn } = resultsFor('Machine');

/** No release is older. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const MAX_SKEW_MS = 60_000;

export async function machineChecks(): Promise<CheckResult[]> {
  return [
    ok('version', `Quire ${VERSION}`),
    nodeCheck(process.versions.node),
    ok('platform', `${platform()} ${release()}, ${arch()}`),
    clockCheck(Date.now(), await diskTime()),
  ];
}

export function nodeCheck(version: string, needed = NODE_NEEDED): CheckResult {
  const least = needed.replace(/^[^\d]*/, '');
  return isOlder(version, least)
    ? warn('node', `Node ${version} is too old.`, `Install Node ${least} or newer, from https://nodejs.org.`)
    : ok('node', `Node ${version}`);
}

function isOlder(version: string, least: string): boolean {
  const parts = version.split('.').map(Number);
  const wanted = least.split('.').map(Number);
  const at = wanted.findIndex((part, index) => part !== (parts[index] ?? 0));
  return at >= 0 && (parts[at] ?? 0) < (wanted[at] ?? 0);
}

export function clockCheck(now: number, diskMs: number): CheckResult {
  const date = new Date(now).toISOString();
  if (now < EARLIEST_MS)
    return warn('clock', `The clock says ${date}, which is before this program was made.`, CLOCK_FIX);
  const apartS = Math.round(Math.abs(now - diskMs) / 1000);
  return apartS * 1000 > MAX_SKEW_MS
    ? warn('clock', `The clocks of this machine and of its disk are ${apartS} seconds apart.`, CLOCK_FIX)
    : ok('clock', `The clock says ${date}.`);
}

const CLOCK_FIX =
  'Set the clock (on Linux, timedatectl shows it): tokens and logins end too early or too late.';

/** The time that the file system gives to something new. */
async function diskTime(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-clock-'));
  try {
    return (await stat(folder)).mtimeMs;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
