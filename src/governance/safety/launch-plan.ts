/** What a reviewed server is started with, as data. Only for a server without rejections. */
import { dirname } from 'node:path';
import type { UpstreamServer } from '../../config/control-plane.ts';
import { type Environment, resolveReferences } from '../../config/references.ts';
import { AppError } from '../../shared/errors.ts';
import type { FoundCommand } from './find-command.ts';

export interface LaunchPlan {
  /** The executable itself, all links followed: no link can be turned between the check and the start. */
  readonly file: string;
  /** How it was called; a virtual environment's python finds its packages by this. */
  readonly argv0: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing of our own environment is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What else it may read. */
  readonly read: readonly string[];
}

export interface LaunchOptions {
  readonly found: FoundCommand;
  /** Where the secrets are that the configuration names. */
  readonly environment: Environment;
  /** An empty folder of its own (0700), for a server that has none configured. */
  readonly freshFolder: string;
}

export function planLaunch(
  server: UpstreamServer,
  { found, environment, freshFolder }: LaunchOptions,
): LaunchPlan {
  const cwd = server.sandboxCwd ?? freshFolder;
  const configured = resolvedOrThrow(server, environment);
  return {
    file: found.realPath,
    argv0: found.path,
    args: Array.isArray(server.args) ? server.args.map(String) : [],
    cwd,
    env: {
      HOME: cwd,
      TMPDIR: cwd,
      LANG: 'C.UTF-8',
      ...configured,
      PATH: `${dirname(found.path)}:/usr/local/bin:/usr/bin:/bin`,
    },
    read: server.sandboxRead,
  };
}

function resolvedOrThrow(server: UpstreamServer, environment: Environment): Readonly<Record<string, string>> {
  const { values, missing } = resolveReferences(server.env, environment);
  if (missing.length === 0) return values;
  throw new AppError('invalid_input', 'The server needs variables that are not set', {
    subject: `${server.name}: ${missing.join(', ')}`,
    hint: `Set ${missing.join(', ')} in the environment, or leave them out of env.`,
  });
}
