/**
 * Finds the note that somebody means: by its path, its path or name without the extension, its title, an alias, or a
 * wikilink. What may mean several notes is answered with all of them, and nothing is guessed.
 */
import { AppError, isAppError } from '../../shared/errors.ts';
import { extensionOf, type NotePath, parseNotePath, shownPath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import type { Notebook } from '../store.ts';
import { pathsCalled } from './called-paths.ts';
import { suggestingWhenMissing } from './read-note.ts';
import { isTrashed } from './trash.ts';

type Finding = Pick<Notebook, 'notes' | 'searcher'>;

/** What names are looked up in. */
interface Names {
  maybeCalled(name: string, asking?: SearchOptions): Promise<readonly NotePath[]>;
  named(name: string, asking?: SearchOptions): Promise<readonly NotePath[]>;
}

export async function findNote(notebook: Finding, given: string, asking?: SearchOptions): Promise<NotePath> {
  const { notes } = notebook;
  const look = async (path: NotePath) => {
    await suggestingWhenMissing(notes, path, () => (notes.stat ?? notes.read)(path));
    return path;
  };
  return onNote(notebook, given, look, asking);
}

/** Runs `task` for the path as it is given, and only if there is no such note for the one that is meant. */
export async function onNote<T>(
  { searcher }: Pick<Notebook, 'searcher'>,
  given: string,
  task: (path: NotePath) => Promise<T>,
  asking?: SearchOptions,
): Promise<T> {
  const wanted = targetOf(given);
  let refusal: unknown;
  try {
    return await task(parseNotePath(wanted));
  } catch (error) {
    refusal = error;
  }
  const isRefused = (['not_found', 'forbidden', 'invalid_input'] as const).some((code) =>
    isAppError(refusal, code),
  );
  if (!isRefused || !isName(wanted)) throw refusal;
  const found = await meantBy(searcher, wanted, asking);
  const [only, ...others] = found;
  if (only === undefined) throw isOfName(refusal, wanted) ? unknownName(wanted) : refusal;
  if (only === wanted) throw refusal;
  if (others.length > 0) throw ambiguous(wanted, found);
  return task(only);
}

/**
 * Runs `task` for a path, and only if there is no such file for the one that is meant by what was given. Every error
 * stays as `task` words it; a missing file is told with those that may be meant. A task that `takesPathsOnly` is not run
 * for another path.
 */
export async function orMeant<T>(
  names: Names,
  { given, path, takesPathsOnly = false }: { given: string; path: NotePath; takesPathsOnly?: boolean },
  task: (path: NotePath) => Promise<T>,
  asking?: SearchOptions,
): Promise<T> {
  try {
    return await task(path);
  } catch (error) {
    if (!isAppError(error, 'not_found') || error.subject !== path) throw error;
    const found = isLink(given) || isName(given) ? await meantBy(names, targetOf(given), asking) : [];
    const [only, ...others] = found;
    if (only === undefined || found.includes(path)) throw error;
    if (others.length === 0 && !takesPathsOnly) return task(only);
    const { title, subject, details } = error;
    const candidates = listed(found);
    const hint = `It can mean ${candidates}. Give the path of the one you mean.`;
    throw new AppError('not_found', title, { subject, hint, details: { ...details, candidates } });
  }
}

/** Whether the store refused the name because it is no path. */
function isOfName(refusal: unknown, wanted: string): boolean {
  return (
    isAppError(refusal, 'forbidden') &&
    refusal.subject === parseNotePath(wanted) &&
    extensionOf(wanted) === ''
  );
}

function unknownName(wanted: string): AppError {
  return new AppError('not_found', 'File not found', {
    subject: parseNotePath(wanted),
    hint: 'No note has this path, name, title or alias. search_notes finds notes by content.',
  });
}

/** Candidates that a message names. */
const SHOWN = 8;

function ambiguous(wanted: string, found: readonly NotePath[]): AppError {
  return new AppError('invalid_input', `"${shownPath(wanted)}" can mean ${found.length} notes`, {
    subject: listed(found),
    hint: 'Give the path of the one you mean.',
  });
}

function listed(found: readonly NotePath[]): string {
  return found.slice(0, SHOWN).join(', ') + (found.length > SHOWN ? ', …' : '');
}

const LINK = /^!?\[\[([^\]]+)\]\]$/;

function isLink(given: string): boolean {
  return LINK.test(given.trim());
}

/** `[[Plan#Goals|the plan]]` means the note `Plan`. */
function targetOf(given: string): string {
  const link = LINK.exec(given.trim())?.[1];
  if (link === undefined) return given;
  const target = link.split('|')[0]!.split('#')[0]!.trim();
  if (target !== '') return target;
  throw new AppError('invalid_input', 'This link names no note', {
    subject: shownPath(given),
    hint: 'Give the path or the title of a note.',
  });
}

/** Whoever gives the extension gives a path. Dots in front are those of hidden files and of parents. */
function isName(wanted: string): boolean {
  const isHidden = wanted.split(/[/\\]/).some((segment) => segment.trim().startsWith('.'));
  return !isHidden && !/\.(?:md|markdown|txt)\s*$/i.test(wanted);
}

/** By path without extension; else by the end of the path; else by title or alias. What is in the trash is not meant. */
async function meantBy(names: Names, wanted: string, asking?: SearchOptions): Promise<readonly NotePath[]> {
  const isKept = (path: NotePath) => !isTrashed(path);
  const paths = await names.maybeCalled(wanted, asking);
  const found = pathsCalled(
    paths.map((path) => ({ path })),
    wanted,
    isKept,
  );
  if (found.length > 0) return found.toSorted();
  return (await names.named(wanted, asking)).filter(isKept);
}
