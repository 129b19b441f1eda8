import { type CommandSpec, yesOrNo } from './command.ts';
import { extensions, ignore, openLinks, readOnly, review, stateDir, toolSets } from './shared-options.ts';

export const notebookCommand: CommandSpec = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [
    extensions('serve'),
    ignore,
    readOnly,
    {
      setting: 'noDelete',
      flag: '--no-delete',
      env: 'QUIRE_NO_DELETE',
      description: 'offer no tool that deletes or replaces notes',
      parse: yesOrNo,
    },
    {
      setting: 'permanentDelete',
      flag: '--permanent-delete',
      env: 'QUIRE_PERMANENT_DELETE',
      description: 'delete for good instead of moving to .trash in the notebook',
      parse: yesOrNo,
    },
    review,
    openLinks,
    toolSets('notebook'),
    stateDir,
  ],
};

/** `quire mcp`: all of its settings are in the file. */
export const mcpCommand: CommandSpec = {
  settings: {},
  log: { env: 'QUIRE_LOG', usual: 'warn' },
  options: [],
  keepsVariables: true,
};
