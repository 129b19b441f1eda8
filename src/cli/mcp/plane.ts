/** The plane for a subcommand: from the checked configuration, with whoever sits at this terminal, closed at the end. */

import { mcpCommand } from '../../config/commands/notebook.ts';
import { type ControlPlane, controlPlaneOf } from '../../config/control-plane.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { openPlane, type Plane } from '../../governance/plane.ts';
import { AppError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import { printable } from '../../shared/printable.ts';
import { VERSION } from '../../version.ts';
import type { McpCall, McpOutput } from './command.ts';
import { asConfigFailure } from './exit.ts';
import { terminalOperator } from './operator.ts';

/** Starts no server; whoever asks the plane for one does. */
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

/** Who sits at this terminal, for approvals and the audit log. */
export function operatorName({ environment }: McpCall): string {
  return `cli:${printable(environment.USER || environment.LOGNAME || 'operator', 60)}`;
}

/** Undefined without a file. Whatever is wrong with it ends the command. */
export async function checkedConfigOf({ config: file, environment }: McpCall): Promise<Config | undefined> {
  try {
    return file && (await loadConfig({ door: mcpCommand, flags: {}, env: environment, file: file.path }));
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
