/** Every subcommand of `quire mcp`, in the order of its help. A new one is a file and a line here. */
import type { McpCommand } from './command.ts';
import { marketplace } from './marketplace.ts';

export const MCP_COMMANDS: readonly McpCommand[] = [marketplace];
