/** Page errors in the words of this surface, each with the next step for a model. */
import { orMeant } from '../../notes/ops/find-note.ts';
import { probablyMeant } from '../../notes/ops/read-note.ts';
import { pageNameOf, parsePagePath } from '../../notes/page-path.ts';
import { type NotePath, pathKey } from '../../notes/path.ts';
import type { NoteStore } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import type { PagesBackend } from './backend.ts';

function notFound(path: NotePath, near?: string): AppError {
  const meant = near === undefined ? '' : `Did you mean "${pageNameOf(near)}"? `;
  return new AppError('not_found', 'Not found', {
    subject: path,
    hint: `${meant}Check the name with list_pages; with include_trash: true it shows soft-deleted pages too.`,
    details: { path },
  });
}

export function nothingToOverwrite(path: NotePath): AppError {
  return new AppError('not_found', 'Page does not exist', {
    subject: `${path}. New pages are made with create_page.`,
    hint: 'Call create_page to make a new page.',
    details: { path },
  });
}

/** `twin` is the existing page when its name differs only in letter case or Unicode form. */
function alreadyThere(path: NotePath, twin?: NotePath): AppError {
  if (twin !== undefined)
    return new AppError('already_exists', 'Page already exists in another spelling', {
      subject: twin,
      hint: `SilverBullet cannot tell "${pageNameOf(path)}" and "${pageNameOf(twin)}" apart everywhere. Use the page that is there: read_page with page "${pageNameOf(twin)}", then write_page. Or choose a name that differs in more than letter case.`,
      details: { path, existing: twin },
    });
  return new AppError('already_exists', 'Page already exists', {
    subject: path,
    hint: 'Choose another name, or overwrite it: read_page, then write_page with its lastModified as expected_last_modified.',
    details: { path },
  });
}

/** Never discloses the current marker: a caller must read the page before writing it. */
export function changedSince(path: NotePath, expectedLastModified: number): AppError {
  return conflictOn(
    path,
    'the page has been modified since you read it, or was not read with this marker.',
    'Call read_page again, bring your text in line with what it says now, then call write_page with the lastModified it gave.',
    { expectedLastModified },
  );
}

function conflictOn(path: NotePath, subject: string, hint: string, details = {}): AppError {
  return new AppError('conflict', `Conflict on ${path}`, { subject, hint, details: { path, ...details } });
}

/** The page is not what the session was shown. */
function unseenText(path: NotePath, { title, hint, reason }: AppError): AppError {
  const subject = `${lowerFirst(title).replace(/^note/, 'the page')}.`;
  return new AppError('conflict', `Conflict on ${path}`, { subject, hint, reason, details: { path } });
}

export function forbidden(path: NotePath, why: string, hint: string): AppError {
  return new AppError('forbidden', `Forbidden path ${path}`, { subject: why, hint, details: { path } });
}

export function tooLarge(path: NotePath, bytes: number, limit: number, hint?: string): AppError {
  return new AppError('invalid_input', `Body too large for ${path}`, {
    subject: `${bytes} bytes exceeds limit of ${limit} bytes (${Math.floor(limit / 1024)} KB)`,
    hint: hint ?? 'Make the text shorter, or split it into several pages.',
    reason: 'too_large',
    details: { path, bytes, limit },
  });
}

/** For a page that exists: its name, or what else it is called. */
export function onNamedPage<T>(
  { notes, searcher }: Pick<PagesBackend, 'notes' | 'searcher'>,
  given: string,
  task: (path: NotePath) => Promise<T>,
  { signal, takesPathsOnly }: { readonly signal: AbortSignal; readonly takesPathsOnly?: boolean },
): Promise<T> {
  const onPath = (path: NotePath) => onPages(notes, [path], () => task(path));
  return orMeant(searcher, { given, path: parsePagePath(given), takesPathsOnly }, onPath, { signal });
}

/** Runs `task` and rewords the store's errors about these pages. */
export async function onPages<T>(
  notes: NoteStore,
  paths: readonly [NotePath, ...NotePath[]],
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!isAppError(error) || error.details.path !== undefined || error.reason === 'invalid_path')
      throw error;
    const path = paths.find((candidate) => candidate === error.subject) ?? paths[0];
    throw await reworded(notes, path, error);
  }
}

async function reworded(notes: NoteStore, path: NotePath, error: AppError): Promise<AppError> {
  switch (error.code) {
    case 'not_found':
      return notFound(path, await probablyMeant(notes, path).catch(() => undefined));
    case 'already_exists':
      return alreadyThere(path, twinOf(path, error.subject));
    case 'conflict':
      if (error.reason === 'unseen_text') return unseenText(path, error);
      return error.details.wasWritten === true
        ? conflictOn(
            path,
            'your text was written, and another writer replaced it right after.',
            'The page is there with their text. Call read_page to see it, then bring in what is missing with write_page and the lastModified it gave.',
          )
        : conflictOn(
            path,
            'the page kept changing while it was being written; nothing was written.',
            'Another program or person is editing this page. Wait a little, then make the same call again.',
          );
    case 'forbidden':
    case 'read_only':
      return forbidden(path, lowerFirst(error.title), error.hint ?? 'Choose another page.');
    case 'invalid_input':
      return error.subject === path && error.reason === undefined ? unusableName(path, error) : error;
    default:
      return new AppError(error.code, error.title, {
        subject: error.subject ?? path,
        hint: error.hint,
        reason: error.reason,
        details: { ...error.details, path },
        cause: error.cause,
      });
  }
}

function twinOf(path: NotePath, subject: string | undefined): NotePath | undefined {
  const isTwin = subject !== undefined && subject !== path && pathKey(subject) === pathKey(path);
  return isTwin ? (subject as NotePath) : undefined;
}

/** Names that the store cannot hold, such as device names on Windows. */
function unusableName(path: NotePath, { title, hint }: AppError): AppError {
  const reason = hint ?? lowerFirst(title);
  return new AppError('invalid_input', `Invalid page path "${path}"`, {
    subject: reason,
    reason: 'invalid_path',
    details: { input: path, reason },
  });
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
