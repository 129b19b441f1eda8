import type { CommandSpec } from './command.ts';
import { stateDir } from './shared-options.ts';
import { doctorCommand } from './silverbullet.ts';

/** `quire undo`, for notes of any kind. */
export const undoCommand: CommandSpec = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [...doctorCommand.options, stateDir],
};

/** `quire history`, which does not open the notes and so needs no tokens. */
export const historyCommand: CommandSpec = { ...undoCommand, keepsVariables: true };
