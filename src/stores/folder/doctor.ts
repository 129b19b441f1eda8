/** The checks of `quire doctor` for a folder of notes. Nothing in it is changed but for a temporary file that comes and goes. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CheckResult } from '../../shared/checks.ts';
import { resultsFor } from '../../shared/checks.ts';
import { ifPresent } from '../../shared/fs/errno.ts';
import { tryWriting } from '../../shared/fs/replace-file.ts';
import type { ExaminedNotebook } from '../kind.ts';
import type { Root } from './root.ts';
import { type FolderSurvey, surveyFolder, type Tally } from './survey.ts';

type Results = ReturnType<typeof resultsFor>;

export async function examineFolder(
  notebook: string,
  folder: string,
  { open, readOnly, isVisible, isNote, indexFile }: ExaminedNotebook,
): Promise<CheckResult[]> {
  const results = resultsFor(notebook);
  try {
    await open();
  } catch (error) {
    return [results.failWith('folder', error, 'Check the path and its permissions.')];
  }
  const root: Root = { real: await realpath(folder), isVisible };
  const survey = await surveyFolder(root, isNote);
  return [
    results.ok('folder', 'The folder can be read.'),
    await writableCheck(results, root.real, survey, readOnly),
    notesCheck(results, survey),
    ...(await indexCheck(results, indexFile, survey)),
    ...namesChecks(results, survey),
    await caseCheck(results, root.real),
    watchCheck(results, survey.folders, await watchLimit()),
  ];
}

export async function writableCheck(
  { ok, warn, skip }: Results,
  folder: string,
  { unwritable }: Pick<FolderSurvey, 'unwritable'>,
  readOnly: boolean,
): Promise<CheckResult> {
  if (readOnly) return skip('writable', 'Read-only: nothing is written there.');
  try {
    await tryWriting(folder);
  } catch (error) {
    return warn(
      'writable',
      `The folder cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`,
      'Give the user that runs Quire the right to write there, or serve it with --read-only (readOnly: true).',
    );
  }
  return unwritable.count === 0
    ? ok('writable', 'The folder can be written.')
    : warn(
        'writable',
        `${amount(unwritable.count, 'folder')} in it cannot be written: ${shown(unwritable)}.`,
        'Give the user that runs Quire the right to write there.',
      );
}

function notesCheck({ ok, warn }: Results, survey: FolderSurvey): CheckResult {
  const { notes, others, folders, unreadable, isPartial } = survey;
  const counts = `${isPartial ? 'More than ' : ''}${amount(notes, 'note')} in ${amount(folders, 'folder')}, ${amount(others, 'other file')}.`;
  if (unreadable.count > 0)
    return warn(
      'notes',
      `${counts} ${amount(unreadable.count, 'folder')} cannot be read: ${shown(unreadable)}.`,
      'Give the user that runs Quire the right to read them, or hide them with --ignore.',
    );
  if (notes > 0) return ok('notes', counts);
  return warn(
    'notes',
    counts,
    'Is it the right folder? Files with other extensions than .md, .markdown and .txt need --extensions.',
  );
}

async function indexCheck(
  { ok }: Results,
  file: string | undefined,
  { newestMs }: FolderSurvey,
): Promise<CheckResult[]> {
  if (file === undefined) return [];
  const saved = await ifPresent(stat(file));
  if (!saved)
    return [
      ok('index', `No index is saved. Each start makes it; that of many notes is saved in ${dirname(file)}.`),
    ];
  const state =
    newestMs > saved.mtimeMs ? 'notes have changed since, which the next start reads' : 'up to date';
  return [ok('index', `The saved index has ${sizeOf(saved.size)}, ${state}: ${file}`)];
}

function namesChecks({ ok, warn }: Results, { unportable, alike, long }: FolderSurvey): CheckResult[] {
  if (unportable.count + alike.count + long.count === 0)
    return [ok('names', 'All file names work on Windows, macOS and Linux.')];
  const checks: readonly (readonly [Tally, string, string])[] = [
    [
      unportable,
      'Names that other systems cannot hold',
      'Rename them before the folder is synced to another system.',
    ],
    [
      alike,
      'Names that differ in case or Unicode form only',
      'Windows and macOS take them for one: rename one of each.',
    ],
    [long, 'Long paths', 'Some programs on Windows do not open them: shorten names or folders.'],
  ];
  return checks.flatMap(([tally, what, fix]) =>
    tally.count === 0 ? [] : warn('names', `${what}: ${tally.count}. ${shown(tally)}.`, fix),
  );
}

/** Looks for the folder itself under its name in the other case. */
async function caseCheck({ ok, skip }: Results, folder: string): Promise<CheckResult> {
  const name = basename(folder);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  if (other === name) return skip('case', 'Whether case matters in file names cannot be seen here.');
  const [one, two] = await Promise.all([stat(folder), ifPresent(stat(join(dirname(folder), other)))]);
  return two?.ino === one.ino && two.dev === one.dev
    ? ok('case', 'Case does not matter in file names here: "Plan.md" and "plan.md" are one note.')
    : ok('case', 'Case matters in file names here: "Plan.md" and "plan.md" are two notes.');
}

/** Undefined where the system has no such limit. */
async function watchLimit(): Promise<number | undefined> {
  const text = await readFile('/proc/sys/fs/inotify/max_user_watches', 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number(text) : undefined;
}

export function watchCheck(
  { ok, skip, warn }: Results,
  folders: number,
  limit: number | undefined,
): CheckResult {
  if (limit === undefined) return skip('watch', 'This system has no limit on watched folders.');
  if (folders < limit * 0.8)
    return ok(
      'watch',
      `${amount(folders, 'folder')} ${folders === 1 ? 'is' : 'are'} watched; the system allows ${limit}.`,
    );
  return warn(
    'watch',
    `${amount(folders, 'folder')} to watch, and this system allows ${limit} for all programs of a user. What cannot be watched is compared every few seconds.`,
    `Raise the limit: sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, folders * 4)}`,
  );
}

function amount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function shown({ count, examples }: Tally): string {
  return `${examples.join(', ')}${count > examples.length ? ' and more' : ''}`;
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
