/** The official conformance suite as a process of its own, and what it found. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const SUITE = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/conformance', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const MISSING_IN_NODE_20 = /\bglobSync as (\w+),/;
const TIMEOUT_MS = 60_000;
const CLIENT_TIMEOUT_MS = 120_000;

export interface Check {
  readonly id: string;
  readonly description: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface SuiteRun {
  readonly exitCode: number;
  readonly output: string;
  /** By the name of the scenario. */
  readonly scenarios: ReadonlyMap<string, readonly Check[]>;
}

/** All scenarios of one revision of the protocol, also those that it does not require. */
export async function runSuite(
  url: string,
  revision: string,
  timeoutMs: number = TIMEOUT_MS,
): Promise<SuiteRun> {
  const [program, results] = await Promise.all([suiteForThisNode(), temporaryFolder()]);
  const args = [program, 'server', '--url', url, '--requirements', revision, '-o', results];
  const { exitCode, output } = await run(args, timeoutMs);
  return { exitCode, output, scenarios: await readResults(results) };
}

/** The same for a client: `program` and its arguments are run by Node, with the address of each scenario's server. */
export async function runClientSuite(program: readonly string[], revision: string): Promise<SuiteRun> {
  const [suite, results] = await Promise.all([suiteForThisNode(), temporaryFolder()]);
  // All scenarios at once, which a small machine needs its time for.
  const patience = ['--timeout', String(CLIENT_TIMEOUT_MS)];
  const client = ['--command', [process.execPath, ...program].join(' ')];
  const args = [suite, 'client', ...client, '--requirements', revision, ...patience, '-o', results];
  const { exitCode, output } = await run(args, CLIENT_TIMEOUT_MS * 2);
  return { exitCode, output, scenarios: await readResults(results) };
}

/** The checks that did not pass, each with its reason, to be read in the report of a test. */
export function troubleOf(checks: readonly Check[]): string[] {
  return checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id, status, description, errorMessage }) => `${status} ${id}: ${errorMessage ?? description}`);
}

export function skippedOf(checks: readonly Check[]): string[] {
  return checks.filter(({ status }) => status === 'SKIPPED').map(({ id }) => id);
}

/**
 * The bundle imports `globSync`, which only its `sdk` command uses and Node 20 does not have. So a copy runs that
 * does without, from a place where what it needs is still found.
 */
async function suiteForThisNode(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'conformance-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bundle = await readFile(join(SUITE, 'dist/index.js'), 'utf8');
  if (!MISSING_IN_NODE_20.test(bundle)) throw new Error('The suite does not import globSync any more');
  const copy = bundle.replace(MISSING_IN_NODE_20, '');
  await mkdir(join(folder, 'dist'));
  await Promise.all([
    writeFile(join(folder, 'dist/index.js'), copy),
    cp(join(SUITE, 'package.json'), join(folder, 'package.json')),
    cp(join(SUITE, 'requirements'), join(folder, 'requirements'), { recursive: true }),
    // Packages of the suite's own, in other versions than ours.
    symlink(join(SUITE, 'node_modules'), join(folder, 'node_modules')),
  ]);
  return join(folder, 'dist/index.js');
}

function run(
  args: readonly string[],
  timeout: number = TIMEOUT_MS,
): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    const options = { env: CLEAN_ENVIRONMENT, timeout, maxBuffer: 64_000_000 };
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const why = error?.killed ? `\nGiven up after ${timeout} ms` : '';
      resolve({ exitCode: child.exitCode ?? -1, output: `${stdout}${stderr}${why}` });
    });
  });
}

/** Every scenario has a folder: `server-<scenario>-<time>`, or `<scenario>-<time>` for clients; some are within others. */
async function readResults(folder: string): Promise<Map<string, readonly Check[]>> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('checks.json'));
  const results = files.sort().map(async (name) => {
    const scenario = dirname(name)
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d{2}-\d{2}T[^/]*$/, '');
    const checks = JSON.parse(await readFile(join(folder, name), 'utf8')) as Check[];
    return [scenario, checks] as const;
  });
  return new Map(await Promise.all(results));
}
