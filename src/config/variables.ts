/** The environment variables of all commands, and those that look like one and are none. */
import { nearest } from '../shared/nearest.ts';
import { brainCommand } from './commands/brain.ts';
import type { CommandSpec } from './commands/command.ts';
import { notebookCommand } from './commands/notebook.ts';
import { serveCommand } from './commands/serve.ts';
import { doctorCommand, silverbulletCommand } from './commands/silverbullet.ts';
import { triliumCommand } from './commands/trilium.ts';
import { vaultCommand } from './commands/vault.ts';
import type { Environment } from './plane-file.ts';

const COMMANDS: readonly CommandSpec[] = [
  notebookCommand,
  serveCommand,
  brainCommand,
  vaultCommand,
  silverbulletCommand,
  triliumCommand,
  doctorCommand,
];
/** Variables that stand in no table of settings. */
const FURTHER = [
  'QUIRE_CONFIG',
  'QUIRE_LOG_FORMAT',
  'QUIRE_STARTUP',
  'QUIRE_AUDIT_KEY_FILE',
  'QUIRE_APPROVAL_KEY',
];
const PREFIX = 'QUIRE_';

/** One sentence for each. A variable that the configuration file refers to is known. */
export function unknownVariables(env: Environment, fileText = ''): string[] {
  const given = Object.keys(env).filter((name) => name.startsWith(PREFIX));
  if (given.length === 0) return [];
  const ofTables = COMMANDS.flatMap(({ options, log }) => [...options.map((option) => option.env), log.env]);
  const known = [...new Set([...ofTables, ...FURTHER])].filter((name) => name.startsWith(PREFIX));
  return given
    .filter((name) => !known.includes(name) && !fileText.includes(`\${env:${name}}`))
    .map((name) => {
      const suggestion = nearest(name, known);
      return `the environment variable ${name} is not known and has no effect${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
    });
}
