/** `quire completion`: a script for a shell, whole in itself, so that a TAB starts no program. */
import type { Command } from 'commander';
import { AppError } from '../../shared/errors.ts';
import type { ProgramCommand } from '../command.ts';
import { bashScript, fishScript, powershellScript, zshScript } from './scripts.ts';
import { type CommandNode, wholeTree } from './tree.ts';

const SCRIPTS: ReadonlyMap<string, (name: string, tree: CommandNode) => string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
  ['powershell', powershellScript],
]);

interface CompletedProgram {
  readonly called: string;
  readonly root: Command;
  readonly commands: readonly ProgramCommand[];
  readonly mcp: CommandNode;
  /** The default command. */
  readonly usual: string;
}

export function completion(shell: string, { called, root, ...tables }: CompletedProgram): string {
  const script = SCRIPTS.get(shell.toLowerCase());
  if (script) return script(called, wholeTree(root, tables));
  throw new AppError('invalid_input', 'Unknown shell', {
    subject: shell,
    hint: 'Use bash, zsh, fish or powershell, for example: quire completion bash',
  });
}
