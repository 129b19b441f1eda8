/** Opens the plane for a subcommand, with the operator at this terminal, and closes it at the end. */

import { open } from 'node:fs/promises';
import { mcpCommand } from '../../config/commands/notebook.ts';
import { type ControlPlane, controlPlaneOf } from '../../config/control-plane.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { openPlane, type Plane } from '../../governance/plane.ts';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { createLog } from '../../shared/log.ts';
import { printable } from '../../shared/printable.ts';
import { VERSION } from '../../version.ts';
import type { McpCall, McpOutput } from './command.ts';
import { asConfigFailure } from './exit.ts';
import { terminalOperator } from './operator.ts';

/** Starts no server by itself. */
export async function withPlane(
  call: McpCall,
  use: (plane: Plane) => Promise<McpOutput>,
): Promise<McpOutput> {
  const config = await planeConfigOf(call);
  const plane = openPlane({
    config,
    environment: call.environment,
    operator: terminalOperator(call),
    client: { name: 'quire', version: VERSION },
    log: createLog('warn', (line) => call.note(line.trimEnd()), { format: 'text' }),
  });
  try {
    return await use(plane);
  } finally {
    await plane.close();
  }
}

/** The operator's name for approvals and the audit log. */
export function operatorName({ environment }: McpCall): string {
  return `cli:${printable(environment.USER || environment.LOGNAME || 'operator', 60)}`;
}

/** Undefined without a file. Whatever is wrong with it ends the command. */
export async function checkedConfigOf({ config: file, environment }: McpCall): Promise<Config | undefined> {
  try {
    return file && (await loadConfig({ spec: mcpCommand, flags: {}, env: environment, file: file.path }));
  } catch (error) {
    throw asConfigFailure(error);
  }
}

async function planeConfigOf(call: McpCall): Promise<ControlPlane> {
  const config = await checkedConfigOf(call);
  const plane = config && controlPlaneOf(config);
  if (plane) return plane;
  throw asConfigFailure(
    new AppError('invalid_input', 'control_plane: it is not there', {
      hint: 'Add a server to the file, for example: quire mcp marketplace add server-memory --as memory',
    }),
  );
}

/** Files named on the command line: read up to a limit, never overwritten. */
export async function readInput(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge('stdin', maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Never in the place of something: what a server sends is no reason to lose a file. */
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

function tooLarge(what: string, maxBytes: number): AppError {
  return new AppError('invalid_input', 'It is too large', {
    subject: what,
    hint: `The limit is ${maxBytes} bytes.`,
  });
}
