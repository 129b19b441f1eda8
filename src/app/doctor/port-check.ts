/** Whether the server could listen where it is told to; if not, which process does. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ServeConfig } from '../../config/http-schema.ts';
import { assertCanListen } from '../../http/listen.ts';
import { type CheckResult, resultsFor } from '../../shared/checks.ts';
import { isAppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';

export interface PortFinding {
  readonly result: CheckResult;
  /** The Quire that listens there already. */
  readonly runningPid?: number;
}

export async function checkPort(at: Pick<ServeConfig, 'host' | 'port'>): Promise<PortFinding> {
  const { ok, warn, fail, failWith } = resultsFor('Server');
  if (at.port === 0) return { result: ok('port', 'Any free port is used.') };
  const place = `${at.host}:${at.port}`;
  try {
    await assertCanListen(at);
    return { result: ok('port', `${place} is free.`) };
  } catch (error) {
    const isTaken = isAppError(error) && isErrno(error.cause, 'EADDRINUSE');
    const holder = isTaken ? await listenerAt(at.port) : undefined;
    if (!holder || !isAppError(error)) return { result: failWith('port', error, 'Choose another port.') };
    if (holder.isQuire)
      return {
        runningPid: holder.pid,
        result: warn(
          'port',
          `Quire is running at ${place} already (process ${holder.pid}).`,
          'Nothing to do if that is the server you mean. A second one needs another port.',
        ),
      };
    const hint = `Process ${holder.pid} (${holder.program}) listens there. End it, or choose another port.`;
    return { result: fail('port', error.message, hint) };
  }
}

interface Listener {
  readonly pid: number;
  readonly program: string;
  readonly isQuire: boolean;
}

/** Undefined where the system does not tell: only Linux does, and only of processes of the same user. */
async function listenerAt(port: number): Promise<Listener | undefined> {
  const sockets = new Set((await Promise.all(['tcp', 'tcp6'].map((table) => inodesAt(table, port)))).flat());
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await holdsAny(pid, sockets))) continue;
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const names = words.map((word) => basename(word));
    // The other words of a command line may be secrets.
    return {
      pid: Number(pid),
      program: names[0] ?? '',
      isQuire: names.slice(0, 3).some((name) => /^(quire|sb)(\.cjs)?$/.test(name)),
    };
  }
  return undefined;
}

const LISTENING = '0A';

async function inodesAt(table: string, port: number): Promise<string[]> {
  const text = await readFile(`/proc/net/${table}`, 'utf8').catch(() => '');
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(ending) && state === LISTENING)
    .flatMap((fields) => fields[9] ?? []);
}

async function holdsAny(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(
    descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')),
  );
  return targets.some((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? ''));
}
