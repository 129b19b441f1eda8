/** `quire mcp` in this process, with a terminal that remembers what was printed. */
import type { McpCommand } from '../../src/cli/mcp/command.ts';
import { runLine } from '../../src/cli/mcp/program.ts';
import type { Terminal } from '../../src/cli/mcp/terminal.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface LineOptions extends Partial<Omit<Terminal, 'out' | 'err'>> {
  readonly program?: string;
  readonly commands?: readonly McpCommand[];
}

export async function mcpLine(words: readonly string[], options: LineOptions = {}): Promise<CommandResult> {
  const { program = 'quire', commands, ...terminal } = options;
  const said = { stdout: '', stderr: '' };
  const code = await runLine({
    words,
    program,
    ...(commands && { commands }),
    terminal: {
      environment: { HOME: '/nonexistent' },
      workingFolder: '/nonexistent',
      columns: undefined,
      isWatched: false,
      canAsk: false,
      ask: async () => undefined,
      onInterrupt: () => () => {},
      ...terminal,
      out: async (text) => {
        said.stdout += text;
      },
      err: async (text) => {
        said.stderr += text;
      },
    },
  });
  return { code, ...said };
}
