/** `quire doctor`: what would go wrong, before a client finds out. */
import { examine, type Finding } from '../app-doctor.ts';
import { AppError } from '../shared/errors.ts';
import { configOf, type FolderCommand } from './command.ts';

export async function doctor(
  command: FolderCommand,
  { asJson, write }: { readonly asJson: boolean; readonly write: (text: string) => void },
): Promise<void> {
  const found = await examine(await configOf(command, process.env));
  write(asJson ? `${JSON.stringify(Object.fromEntries(found), null, 2)}\n` : reportOf(found));
  const errors = [...found.values()].flat().filter(({ level }) => level === 'error').length;
  if (errors > 0)
    throw new AppError(
      'upstream_failed',
      errors === 1 ? 'One thing must be mended' : `${errors} things must be mended`,
    );
}

function reportOf(found: ReadonlyMap<string, readonly Finding[]>): string {
  return [...found].map(([name, findings]) => `${name}\n${findings.map(lineOf).join('')}`).join('\n');
}

function lineOf({ level, what, next }: Finding): string {
  const line = `  ${level.padEnd(5)}  ${what}\n`;
  return next === undefined ? line : `${line}         ${next}\n`;
}
