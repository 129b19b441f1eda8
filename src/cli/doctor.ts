/** `quire doctor`: looks at what people get wrong, from the notes to the clients, and prints what to do about each. */
import { historyPlaceOf } from '../app/change-tracking.ts';
import { machineChecks } from '../app/doctor/machine-checks.ts';
import { examineNotebooks } from '../app/doctor/notebook-checks.ts';
import { startChecks } from '../app/doctor/start-checks.ts';
import { explainConfig } from '../config/load.ts';
import type { Environment } from '../config/plane-file.ts';
import type { CheckResult } from '../shared/checks.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { cacheFolderOf, stateFolderOf } from '../shared/fs/errno.ts';
import { silentLog } from '../shared/log.ts';
import { countsOf, jsonOfResults, listOfResults } from './check-report.ts';
import { type FolderCommand, isPlaced, sourcesOf, withUsualFile } from './command.ts';
import {
  configuration,
  nothingNamed,
  settingChecks,
  strangeVariable,
  withoutDefaults,
} from './doctor/setting-checks.ts';
import { type ExaminedStart, startOf } from './doctor/starts.ts';
import { commandOf, inNameOf } from './exit-code.ts';
import { publicUrlOf, stateFolderFor } from './server-places.ts';

interface Examination {
  readonly asJson: boolean;
  /** The command whose start is examined, with its variables. */
  readonly as?: string;
  readonly write: (text: string) => void;
}

export async function examine(command: FolderCommand, { asJson, as, write }: Examination): Promise<void> {
  const env = process.env;
  const { results, failure } = await notesAndStart(command, as, env);
  const { clientChecks } = await import('./setup.ts');
  const found = withoutRepetition([...results, ...(await clientChecks(env)), ...(await machineChecks())]);
  const typed = commandOf(process.argv, env);
  const all = found.map((result) => ({
    ...result,
    detail: inNameOf(typed, result.detail),
    fix: result.fix === undefined ? undefined : inNameOf(typed, result.fix),
  }));
  write(asJson ? jsonOfResults(all) : listOfResults(withoutDefaults(all)));
  const { fail } = countsOf(all);
  if (fail === 0) return;
  const title = fail === 1 ? 'One thing must be fixed' : `${fail} things must be fixed`;
  // The list has the reason; the exit code is that of a start.
  throw new AppError(failure?.code ?? 'upstream_failed', title, { reason: failure?.reason });
}

interface Findings {
  readonly results: readonly CheckResult[];
  /** Why there is no configuration, as a start says it. */
  readonly failure?: AppError;
}

async function notesAndStart(
  command: FolderCommand,
  as: string | undefined,
  env: Environment,
): Promise<Findings> {
  const named = await withUsualFile(command, env);
  if (as === undefined && !isPlaced(named, env)) return { results: [nothingNamed()] };
  try {
    const start = await startOf(named, as, env);
    const sources = sourcesOf(start.examined, env);
    const strange: string[] = [];
    const { settings } = await explainConfig({ ...sources, warn: (text) => strange.push(text) });
    const found = await examineConfig(start, env);
    return {
      results: [...found, ...strange.map(strangeVariable), ...settingChecks(settings, sources.file)],
    };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const result = configuration.failWith('configuration', error, 'Correct it, or write another: quire init');
    return { results: [result], failure: error };
  }
}

async function examineConfig(
  { config, examined, kind }: ExaminedStart,
  env: Environment,
): Promise<CheckResult[]> {
  const cacheFolder = cacheFolderOf(env);
  const notebooks = await examineNotebooks(config, { cacheFolder });
  if (kind === undefined) return notebooks;
  const started = await startChecks(config, kind, {
    log: silentLog,
    cacheFolder,
    environment: env,
    history: historyPlaceOf(config, stateFolderOf(env), env.PATH),
    stateFolderFor: stateFolderFor(env),
    ...publicUrlOf(examined.spec),
  });
  return [...notebooks, ...started];
}

/** Of two checks with the same finding, the first counts. */
function withoutRepetition(results: readonly CheckResult[]): CheckResult[] {
  const failures = new Set<string>();
  return results.filter(({ status, detail }) => {
    if (status !== 'fail') return true;
    const isNew = !failures.has(detail);
    failures.add(detail);
    return isNew;
  });
}
