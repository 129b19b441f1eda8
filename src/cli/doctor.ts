/** `quire doctor`: what would go wrong, before a client finds out. */
import { examine, type NotebookCheck } from '../app/doctor.ts';
import type { CommandSpec } from '../config/commands/command.ts';
import { AppError } from '../shared/errors.ts';
import { configOf, type FolderCommand } from './command.ts';

export async function doctor(
  command: FolderCommand,
  { asJson, write }: { readonly asJson: boolean; readonly write: (text: string) => void },
): Promise<void> {
  const { env } = process;
  const found = await examine(await configOf({ ...command, door: doorFor(command, env) }, env));
  write(asJson ? `${JSON.stringify(Object.fromEntries(found), null, 2)}\n` : reportOf(found));
  const errors = [...found.values()].flat().filter(({ level }) => level === 'error').length;
  if (errors > 0)
    throw new AppError(
      'upstream_failed',
      errors === 1 ? 'One thing must be mended' : `${errors} things must be mended`,
    );
}

/** Who names a place is not asked about another that only the environment names. */
function doorFor({ door, folder, file, flags }: FolderCommand, env: NodeJS.ProcessEnv): CommandSpec {
  const placeOf = (setting: string) => setting.slice(0, setting.indexOf('.'));
  const named = Object.keys(flags).map(placeOf);
  if (named.length > 0)
    return { ...door, options: door.options.filter(({ setting }) => named.includes(placeOf(setting))) };
  return folder === undefined && (file ?? env.QUIRE_CONFIG) === undefined ? door : { ...door, options: [] };
}

function reportOf(found: ReadonlyMap<string, readonly NotebookCheck[]>): string {
  return [...found].map(([name, findings]) => `${name}\n${findings.map(lineOf).join('')}`).join('\n');
}

function lineOf({ level, what, next }: NotebookCheck): string {
  const line = `  ${level.padEnd(5)}  ${what}\n`;
  return next === undefined ? line : `${line}         ${next}\n`;
}
