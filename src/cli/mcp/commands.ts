/** Every subcommand of `quire mcp`, in the order of its help. A new one is a file and a line here. */
import type { McpCommand } from './command.ts';
import { compileResource } from './compile-resource.ts';
import { doctor } from './doctor.ts';
import { exposure } from './exposure.ts';
import { manifest } from './manifest.ts';
import { marketplace } from './marketplace.ts';
import { report } from './report.ts';
import { score } from './score.ts';

export const MCP_COMMANDS: readonly McpCommand[] = [
  compileResource,
  doctor,
  score,
  exposure,
  report,
  marketplace,
  manifest,
];
