/** `quire doctor`: checks the notebooks of a configuration and prints the results. */
import { examineNotebooks } from '../app/notebooks.ts';
import type { CommandSpec } from '../config/commands/command.ts';
import { AppError } from '../shared/errors.ts';
import { countsOf, jsonOfResults, listOfResults } from './check-report.ts';
import { configOf, type FolderCommand } from './command.ts';

export async function examine(
  command: FolderCommand,
  { asJson, write }: { readonly asJson: boolean; readonly write: (text: string) => void },
): Promise<void> {
  const results = await examineNotebooks(await configOf({ ...command, spec: specFor(command) }, process.env));
  write(asJson ? jsonOfResults(results) : listOfResults(results));
  const { fail } = countsOf(results);
  if (fail > 0)
    throw new AppError(
      'upstream_failed',
      fail === 1 ? 'One thing must be mended' : `${fail} things must be mended`,
    );
}

/** Settings of the environment do not count where the command line names a folder, a file or another place. */
function specFor({ spec, folder, file = process.env.QUIRE_CONFIG, flags }: FolderCommand): CommandSpec {
  const placeOf = (setting: string) => setting.slice(0, setting.indexOf('.'));
  const named = Object.keys(flags).map(placeOf);
  if (named.length > 0)
    return { ...spec, options: spec.options.filter(({ setting }) => named.includes(placeOf(setting))) };
  return folder === undefined && file === undefined ? spec : { ...spec, options: [] };
}
