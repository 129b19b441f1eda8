/**
 * Finds the note that somebody means: by its path, its path or name without the extension, its title, an alias, or a
 * wikilink. What may mean several notes is answered with all of them, and nothing is guessed.
 */
import { AppError, isAppError } from '../../shared/errors.ts';
import { extensionOf, type NotePath, parseNotePath, pathKey, shownPath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import type { Notebook, NoteStore } from '../store.ts';
import { missing, probablyMeant } from './read-note.ts';

/** Candidates that a message names. */
const SHOWN = 8;

export async function findNote(
  { notes, searcher }: Pick<Notebook, 'notes' | 'searcher'>,
  given: string,
  asking?: SearchOptions,
): Promise<NotePath> {
  const wanted = targetOf(given);
  const refusal = await refusalOf(notes, wanted);
  if (!refusal) return parseNotePath(wanted);
  if (isHidden(wanted)) throw refusal;
  const found = await meantBy(searcher, wanted, asking);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw await noSuchNote(notes, wanted, refusal);
  throw new AppError('invalid_input', `"${shownPath(wanted)}" can mean ${found.length} notes`, {
    subject: found.slice(0, SHOWN).join(', ') + (found.length > SHOWN ? ', …' : ''),
    hint: 'Give the path of the one you mean.',
  });
}

/** `[[Plan#Goals|the plan]]` means the note `Plan`. */
function targetOf(given: string): string {
  const link = /^!?\[\[([^\]]+)\]\]$/.exec(given.trim())?.[1];
  if (link === undefined) return given;
  const target = link.split('|')[0]!.split('#')[0]!.trim();
  if (target !== '') return target;
  throw new AppError('invalid_input', 'This link names no note', {
    subject: shownPath(given),
    hint: 'Give the path or the title of a note.',
  });
}

/** The error with which the path or the store refuses; undefined when the note is there. */
async function refusalOf(notes: NoteStore, wanted: string): Promise<AppError | undefined> {
  try {
    await (notes.stat ?? notes.read)(parseNotePath(wanted));
    return undefined;
  } catch (error) {
    const isAnswer = (['not_found', 'forbidden', 'invalid_input'] as const).some((code) =>
      isAppError(error, code),
    );
    if (isAnswer && isAppError(error)) return error;
    throw error;
  }
}

/** A path that no notebook shows, and no name either. */
function isHidden(wanted: string): boolean {
  return wanted.split(/[/\\]/).some((segment) => segment.trim().startsWith('.'));
}

/** By path without extension; else by the end of the path; else by title or alias. */
async function meantBy(
  searcher: Notebook['searcher'],
  wanted: string,
  asking?: SearchOptions,
): Promise<readonly NotePath[]> {
  const paths = (await searcher.notes(asking)).map(({ path }) => path);
  const key = pathKey(wanted.trim().replace(/^\/+/, ''));
  const bare = (path: string) => path.slice(0, path.length - extensionOf(path).length);
  const ways: ((path: NotePath) => boolean)[] = [
    (path) => pathKey(path) === key || pathKey(bare(path)) === key,
    (path) => pathKey(path).endsWith(`/${key}`) || pathKey(bare(path)).endsWith(`/${key}`),
  ];
  for (const way of ways) {
    const found = paths.filter(way);
    if (found.length > 0) return found;
  }
  return searcher.named(wanted, asking);
}

async function noSuchNote(notes: NoteStore, wanted: string, refusal: AppError): Promise<AppError> {
  const isOtherFile = isAppError(refusal, 'forbidden') && /\.\w{1,10}$/.test(wanted);
  if (isOtherFile || isAppError(refusal, 'invalid_input')) return refusal;
  const path = parseNotePath(wanted);
  const near = await probablyMeant(notes, path).catch(() => undefined);
  const hint = `No note has this path, name, title or alias.${near === undefined ? '' : ` Did you mean ${near}?`}`;
  return missing(path, hint);
}
