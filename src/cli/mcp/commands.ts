/** Every subcommand of `quire mcp`, in the order of its help. A new one is a file and a line here. */
import { approvals } from './approvals.ts';
import { call } from './call.ts';
import type { McpCommand } from './command.ts';
import { discover } from './discover.ts';
import { marketplace } from './marketplace.ts';
import { readResource } from './read-resource.ts';
import { servers } from './servers.ts';

export const MCP_COMMANDS: readonly McpCommand[] = [
  servers,
  discover,
  call,
  readResource,
  approvals,
  marketplace,
];
