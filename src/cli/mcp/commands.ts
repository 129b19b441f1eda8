/** Every subcommand of `quire mcp`, in the order of its help. A new one is a file and a line here. */
import { approvals } from './approvals.ts';
import { call } from './call.ts';
import type { McpCommand } from './command.ts';
import { compileResource } from './compile-resource.ts';
import { discover } from './discover.ts';
import { doctor } from './doctor.ts';
import { exposure } from './exposure.ts';
import { login, logout } from './login.ts';
import { manifest } from './manifest.ts';
import { marketplace } from './marketplace.ts';
import { readResource } from './read-resource.ts';
import { report } from './report.ts';
import { score } from './score.ts';
import { servers } from './servers.ts';

export const MCP_COMMANDS: readonly McpCommand[] = [
  servers,
  discover,
  call,
  readResource,
  compileResource,
  doctor,
  approvals,
  login,
  logout,
  score,
  exposure,
  report,
  marketplace,
  manifest,
];
