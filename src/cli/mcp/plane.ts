/** Opens the plane for a subcommand, with the operator at this terminal, and closes it at the end. */
import { open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { openDatabaseOf, planeStateOn } from '../../app/shared-state.ts';
import { mcpCommand } from '../../config/commands/notebook.ts';
import { controlPlaneOf, type UpstreamServer } from '../../config/control-plane.ts';
import { loadConfig } from '../../config/load.ts';
import type { PlaneFile } from '../../config/plane-file.ts';
import type { Config } from '../../config/schema.ts';
import { openPlane, type Plane, type PlaneOptions } from '../../governance/plane.ts';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { createLog } from '../../shared/log.ts';
import { printable } from '../../shared/printable.ts';
import type { Confinement } from '../../upstream/sandbox/confinement.ts';
import { VERSION } from '../../version.ts';
import type { McpCall, McpOutput } from './command.ts';
import { asConfigFailure, type McpFailure } from './exit.ts';
import { terminalOperator } from './operator.ts';

/** Starts no server by itself. */
export async function withPlane(
  call: McpCall,
  use: (plane: Plane, config: Config) => Promise<McpOutput>,
  { decided }: Pick<PlaneOptions, 'decided'> = {},
): Promise<McpOutput> {
  const config = await checkedConfigOf(call);
  if (!config) throw noControlPlane();
  // A file of notes alone is a file without other servers.
  const settings = controlPlaneOf(config) ?? controlPlaneOf({ ...config, mcp_servers: [] });
  if (!settings) throw noControlPlane();
  const log = createLog('warn', (line) => call.note(line.trimEnd()), { format: 'text' });
  const database = await openDatabaseOf(config, log);
  const plane = openPlane({
    config: settings,
    shared: await planeStateOn(database),
    environment: call.environment,
    operator: terminalOperator(call),
    client: { name: 'quire', version: VERSION },
    decided,
    log,
  });
  try {
    return await use(plane, config);
  } finally {
    await plane.close();
    await database?.close();
  }
}

/** For the subcommands with a server as their argument. */
export function withServer(
  call: McpCall,
  use: (plane: Plane, server: UpstreamServer) => Promise<McpOutput>,
): Promise<McpOutput> {
  return withPlane(call, (plane) => use(plane, plane.server(call.args.server ?? '')));
}

/** Says why a server runs without a sandbox, or with a weak one. */
export function noteConfinement(
  call: Pick<McpCall, 'note'>,
  { name }: Pick<UpstreamServer, 'name'>,
  confinement: Confinement | undefined,
): void {
  for (const warning of confinement?.warnings ?? [])
    call.note(`warning: ${name}: ${printable(warning, 600)}`);
}

/** The operator's name for approvals and the audit log: the user of the system, whatever the environment says. */
export function operatorName(): string {
  return `cli:${printable(systemUser().name, 60)}`;
}

export function systemUser(): { readonly name: string; readonly uid: number | undefined } {
  const uid = process.getuid?.();
  try {
    return { name: userInfo().username, uid };
  } catch {
    // A user without an entry in the list of users, as in containers.
    return { name: uid === undefined ? 'operator' : `uid-${uid}`, uid };
  }
}

/** Undefined without a file. An error of the file ends the command. */
export async function checkedConfigOf(call: McpCall): Promise<Config | undefined> {
  try {
    return call.config && (await loadFile(call, call.config));
  } catch (error) {
    throw asConfigFailure(error);
  }
}

export function loadFile({ environment }: McpCall, { path }: PlaneFile): Promise<Config> {
  return loadConfig({ spec: mcpCommand, flags: {}, env: environment, file: path });
}

/** For a command that needs the configuration file, which then is always there. */
export function fileOf({ config }: McpCall): PlaneFile {
  if (config) return config;
  throw new AppError('internal', 'No configuration file');
}

function noControlPlane(): McpFailure {
  return asConfigFailure(
    new AppError('invalid_input', 'control_plane: is missing', {
      hint: 'Add a server to the file, for example: quire mcp add server-memory',
    }),
  );
}

/** All of stdin, as text. */
export async function readInput(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new AppError('invalid_input', 'The input is too large', {
        subject: 'stdin',
        hint: `The limit is ${maxBytes} bytes.`,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Never overwrites: a server's answer must not replace a file of the operator. */
export async function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    if (isErrno(cause, 'EEXIST'))
      throw new AppError('already_exists', 'There is a file of this name already', {
        subject: path,
        hint: 'Name another with --out, or move it away.',
        cause,
      });
    throw new AppError('invalid_input', 'Cannot write the file', { subject: path, cause });
  });
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
