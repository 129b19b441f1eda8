/** The address or launch plan of a server as data, and the transport to it. Nothing is started before `openTarget`. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transport } from '@modelcontextprotocol/client';
import { makeFolders } from '../shared/fs/make-folders.ts';
import type { StopTimes } from './child-process.ts';
import { failure } from './failure.ts';
import { type HttpOptions, HttpTransport } from './http.ts';
import type { LaunchPlan, SandboxBackend, SandboxProfile } from './sandbox/backends.ts';
import {
  chooseBackend,
  isRejection,
  launchWarnings,
  type SandboxSettings,
  sandboxedLaunch,
} from './sandbox/choose.ts';
import type { Backends } from './sandbox/detect.ts';
import { StdioTransport } from './stdio.ts';

export interface StdioTarget {
  readonly transport: 'stdio';
  /** Without `cwd` each start gets a new temporary folder. */
  readonly plan: Omit<LaunchPlan, 'cwd'> & { readonly cwd?: string };
  readonly profile: SandboxProfile;
  readonly sandbox: SandboxSettings;
  readonly backends: Backends;
  /** Holds these temporary folders. */
  readonly workRoot: string;
  readonly logFile?: string;
  readonly stopTimes?: StopTimes;
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
}

export function openTarget(target: Target, options: OpenOptions): Promise<OpenedTransport> {
  return target.transport === 'stdio' ? openStdio(target, options.name) : openHttp(target, options);
}

async function openHttp(target: HttpTarget, options: OpenOptions): Promise<OpenedTransport> {
  const transport = new HttpTransport({ ...target, ...options });
  return { transport, session: transport, warnings: [] };
}

async function openStdio(target: StdioTarget, name: string): Promise<OpenedTransport> {
  const { profile, backends, sandbox } = target;
  const choice = chooseBackend(sandbox, backends, profile);
  if (isRejection(choice))
    throw failure('launch_failed', { server: name, hint: `${choice.code}: ${choice.reason}` });
  await assertSameFile(target, name);
  await makeFolders(target.workRoot, 0o700);
  // `mkdtemp` makes folders for their owner only.
  const own = await mkdtemp(join(target.workRoot, `${name}-`));
  const removeOwn = () => rm(own, { recursive: true, force: true, maxRetries: 3 });
  try {
    const cwd = await workFolder(target, own);
    const plan = { ...target.plan, cwd };
    const launch = await sandboxedLaunch(plan, profile, { choice, backends, settingsFolder: own });
    const transport = new StdioTransport({
      name,
      launch,
      facts: { backend: choice.backend, profile, env: plan.env, logFile: target.logFile },
      logFile: target.logFile,
      stopTimes: target.stopTimes,
    });
    return {
      transport,
      sandbox: choice.backend,
      warnings: [
        ...choice.warnings,
        ...launchWarnings(plan, choice.backend === 'process' ? 'network' : profile),
      ],
      process: transport,
      dispose: removeOwn,
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

async function workFolder({ plan }: StdioTarget, own: string): Promise<string> {
  const cwd = plan.cwd ?? join(own, 'work');
  await makeFolders(cwd, 0o700);
  return realpath(cwd);
}
