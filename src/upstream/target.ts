/** The address or launch plan of a server as data, and the transport to it. Nothing is started before `openTarget`. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Transport } from '@modelcontextprotocol/client';
import { AppError } from '../shared/errors.ts';
import { digestOfFile } from '../shared/fs/file-digest.ts';
import { makeFolders } from '../shared/fs/make-folders.ts';
import type { StopTimes } from './child-process.ts';
import { failure } from './failure.ts';
import { type HttpOptions, HttpTransport } from './http.ts';
import type { LaunchPlan, SandboxBackend } from './sandbox/backends.ts';
import { sandboxedLaunch } from './sandbox/choose.ts';
import { type Confinement, existingMasks, isConfined, turnedSince } from './sandbox/confinement.ts';
import type { Backends } from './sandbox/detect.ts';
import { type EgressCounts, type EgressMeans, noEgress, openEgress } from './sandbox/egress.ts';
import { StdioTransport } from './stdio.ts';

export interface StdioTarget {
  readonly transport: 'stdio';
  readonly plan: Pick<LaunchPlan, 'file' | 'path' | 'args' | 'env'>;
  readonly confinement: Confinement;
  readonly backends: Backends;
  /** Holds these temporary folders. */
  readonly workRoot: string;
  readonly logFile?: string;
  readonly stopTimes?: StopTimes;
  /** How the hosts of its network are reached. */
  readonly egress?: EgressMeans;
  /** Files that must still have the content that was reviewed when the process is started. */
  readonly reviewed?: readonly ReviewedFile[];
}

export interface ReviewedFile {
  /** Absolute, with links followed. */
  readonly path: string;
  /** `sha256:` and 64 hex digits. */
  readonly sha256: string;
}

export interface HttpTarget extends Omit<HttpOptions, 'name' | 'answerTimeoutMs' | 'maxMessageBytes'> {
  readonly transport: 'streamable_http';
}

export type Target = StdioTarget | HttpTarget;

export interface OpenedTransport {
  readonly transport: Transport;
  readonly sandbox?: SandboxBackend;
  readonly warnings: readonly string[];
  /** The process of a stdio server. */
  readonly process?: Pick<StdioTransport, 'fault' | 'strayLines' | 'stderr' | 'ending' | 'gone'>;
  /** The session of an HTTP server. */
  readonly session?: Pick<HttpTransport, 'isSessionLost' | 'onSessionLost'>;
  /** Removes temporary files; to be called after the transport has closed. */
  dispose?(): Promise<void>;
}

interface OpenOptions {
  readonly name: string;
  readonly answerTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** Counts the connections out of its sandbox. */
  readonly egress?: EgressCounts;
}

export function openTarget(target: Target, options: OpenOptions): Promise<OpenedTransport> {
  return target.transport === 'stdio' ? openStdio(target, options) : openHttp(target, options);
}

async function openHttp(
  target: HttpTarget,
  { egress: _, ...options }: OpenOptions,
): Promise<OpenedTransport> {
  const transport = new HttpTransport({ ...target, ...options });
  return { transport, session: transport, warnings: [] };
}

async function openStdio(
  target: StdioTarget,
  { name, egress: counts = noEgress(), maxMessageBytes }: OpenOptions,
): Promise<OpenedTransport> {
  const { confinement, backends } = target;
  await assertSameFile(target, name);
  await assertReviewed(target, name);
  await makeFolders(target.workRoot, 0o700);
  // `mkdtemp` makes folders for their owner only.
  const own = await mkdtemp(join(target.workRoot, `${name}-`));
  const removeOwn = () => rm(own, { recursive: true, force: true, maxRetries: 3 });
  try {
    assertSamePlaces(confinement, name);
    const cwd = await workFolder(confinement, own);
    const { read, write, bounds, isSealed } = confinement;
    const masked = await existingMasks(confinement.masked);
    const plan = { ...target.plan, cwd, read, write, masked, bounds, isSealed };
    const launch = await sandboxedLaunch(plan, confinement, { backends, settingsFolder: own });
    const transport = new StdioTransport({
      name,
      launch,
      facts: {
        backend: confinement.backend,
        profile: confinement.profile,
        network: confinement.network,
        denied: () => [...counts.denied],
        env: plan.env,
        logFile: target.logFile,
      },
      logFile: target.logFile,
      stopTimes: target.stopTimes,
      maxMessageBytes,
    });
    const list = isConfined(confinement) ? confinement.network : undefined;
    const egress =
      list &&
      (await openEgress({
        ...target.egress,
        list,
        folder: own,
        counts,
        onDenied: (place, why) => transport.note(`quire: the sandbox denied ${place}: ${why}`),
      }));
    return {
      transport,
      sandbox: confinement.backend,
      warnings: confinement.warnings,
      process: transport,
      dispose: async () => {
        await egress?.close();
        await removeOwn();
      },
    };
  } catch (cause) {
    await removeOwn();
    throw cause;
  }
}

/** A link may have been changed since the check. */
async function assertSameFile({ plan: { path, file } }: StdioTarget, server: string): Promise<void> {
  if (path === undefined || (await realpath(path).catch(() => undefined)) === file) return;
  throw failure('launch_failed', {
    server,
    hint: 'Its command now points to another file than the one that was checked. Look at it, and restart Quire.',
  });
}

/** So may a folder, by the server that it was given to. */
function assertSamePlaces(confinement: Confinement, server: string): void {
  const turned = turnedSince(confinement);
  if (!turned) return;
  throw failure('launch_failed', {
    server,
    hint: `A folder of its sandbox now leads elsewhere than when it was checked: ${turned.path}. Look at it, and restart Quire.`,
  });
}

/** A server that is started again, hours after it was checked, runs the files as they are then. */
async function assertReviewed({ reviewed = [] }: StdioTarget, server: string): Promise<void> {
  for (const { path, sha256 } of reviewed) {
    if ((await digestOfFile(path).catch(() => undefined)) === sha256) continue;
    throw new AppError('forbidden', 'The server is not started', {
      subject: `${server}: manifest_mismatch`,
      reason: 'manifest_mismatch',
      hint: `It is not what was reviewed: since it was signed, the file ${basename(path)} changed. Review it, then run quire mcp manifest ${server} --sign --write.`,
    });
  }
}

async function workFolder(confinement: Confinement, own: string): Promise<string> {
  const cwd = confinement.cwd?.realPath ?? join(own, 'work');
  await makeFolders(cwd, 0o700);
  return realpath(cwd);
}
