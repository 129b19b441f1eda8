/** `quire doctor`: checks the notebooks of a configuration and prints the results. */
import { examineNotebooks } from '../app/notebooks.ts';
import type { CommandFlag, CommandSpec } from '../config/commands/command.ts';
import { PLACES } from '../config/commands/silverbullet.ts';
import type { Environment } from '../config/plane-file.ts';
import { AppError } from '../shared/errors.ts';
import { countsOf, jsonOfResults, listOfResults } from './check-report.ts';
import { configOf, type FolderCommand } from './command.ts';

export async function examine(
  command: FolderCommand,
  { asJson, write }: { readonly asJson: boolean; readonly write: (text: string) => void },
): Promise<void> {
  const results = await examineNotebooks(
    await configOf({ ...command, spec: specFor(command, process.env) }, process.env),
  );
  write(asJson ? jsonOfResults(results) : listOfResults(results));
  const { fail } = countsOf(results);
  if (fail > 0)
    throw new AppError(
      'upstream_failed',
      fail === 1 ? 'One thing must be mended' : `${fail} things must be mended`,
    );
}

/** Addresses of the environment do not count where the command line names a folder, a file or another place. */
export function specFor({ spec, folder, file, flags }: FolderCommand, env: Environment): CommandSpec {
  const placeOf = (setting: string) => setting.slice(0, setting.indexOf('.'));
  const named = Object.keys(flags)
    .filter((setting) => PLACES.includes(setting))
    .map(placeOf);
  if (named.length === 0 && folder === undefined && (file ?? env.QUIRE_CONFIG) === undefined) return spec;
  const counts = ({ setting }: CommandFlag) => !PLACES.includes(setting) || named.includes(placeOf(setting));
  return { ...spec, options: spec.options.filter(counts) };
}
