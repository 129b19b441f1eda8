/**
 * Fetches an npm package into a folder of its own, once, when a server is added: what runs later is what was reviewed,
 * and needs no network. Scripts of packages are not run.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../config/plane-file.ts';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';
import { printable } from '../../shared/printable.ts';
import { isRecord } from '../../shared/records.ts';
import type { NpmPackage } from './target.ts';

export interface FetchedPackage {
  readonly version: string;
  /** The JavaScript file that starts it. */
  readonly program: string;
}

interface FetchOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

const FLAGS = [
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--save-exact',
];
const FETCH_MS = 300_000;
const MAX_OUTPUT = 1_048_576;

/** `folder` is made, or is there from an earlier attempt. */
export async function fetchPackage(
  { name, version }: NpmPackage,
  folder: string,
  options: FetchOptions,
): Promise<FetchedPackage> {
  await makeFolders(folder, 0o700);
  // Without it npm would install into the nearest project above.
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n', { mode: 0o600 });
  await npm(['install', ...FLAGS, `${name}@${version ?? 'latest'}`], folder, options);
  return programOf(name, join(folder, 'node_modules', name));
}

function npm(args: readonly string[], cwd: string, { environment, signal }: FetchOptions): Promise<void> {
  const limits = { timeout: FETCH_MS, maxBuffer: MAX_OUTPUT };
  return new Promise((resolve, reject) => {
    execFile('npm', args, { cwd, env: { ...environment }, signal, ...limits }, (error, _, stderr) => {
      if (!error) return resolve();
      if (isErrno(error, 'ENOENT'))
        return reject(
          new AppError('unsupported', 'npm is not installed', {
            hint: 'Install npm, or install the server yourself and add its program by its path.',
          }),
        );
      signal.throwIfAborted();
      reject(
        new AppError('upstream_failed', 'npm could not fetch the package', {
          hint: printable(lastLinesOf(stderr), 600),
          cause: error,
        }),
      );
    });
  });
}

/** npm ends with the place of its log, which says less than the lines before. */
function lastLinesOf(stderr: string): string {
  const lines = stderr
    .split('\n')
    .filter((line) => /^npm (?:ERR!|error)/.test(line) && !/log of this run/.test(line));
  return lines.slice(0, 4).join(' ') || 'It printed no reason.';
}

async function programOf(name: string, folder: string): Promise<FetchedPackage> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { bin, version } = isRecord(manifest) ? manifest : {};
  const short = name.slice(name.indexOf('/') + 1);
  const programs = typeof bin === 'string' ? { [short]: bin } : isRecord(bin) ? bin : {};
  const file =
    programs[short] ?? (Object.keys(programs).length === 1 ? Object.values(programs)[0] : undefined);
  if (typeof file !== 'string' || typeof version !== 'string')
    throw new AppError('unsupported', 'The package names no program that starts it', {
      subject: name,
      hint: 'Install it yourself, and add its program by its path.',
    });
  return { version, program: join(folder, file) };
}
