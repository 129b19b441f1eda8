/** What may be written: where, under which names, and how much. */

import { isTrashed } from '../../notes/ops/trash.ts';
import { invalidPage, pageNameOf, pageNameProblem, suggestPageName } from '../../notes/page-path.ts';
import type { NotePath } from '../../notes/path.ts';
import type { PagesBackend } from './backend.ts';
import { forbidden, tooLarge } from './page-errors.ts';

const MAX_PAGE_BYTES = 256 * 1024;

const OUTSIDE_TRASH = 'Choose a path outside _trash/. To soft-delete a page that exists use delete_page.';

export function assertWritable(
  { writable }: Pick<PagesBackend, 'writable'>,
  path: NotePath,
  why = 'writes into _trash/ are not allowed; delete_page puts pages there',
): void {
  if (isTrashed(path)) throw forbidden(path, why, OUTSIDE_TRASH);
  if (isWritable(writable, path)) return;
  throw forbidden(
    path,
    'writes are limited to certain folders, and this is in none of them',
    writable?.length ? `Choose a page under: ${writable.join(', ')}.` : 'Nothing may be written here.',
  );
}

/** An entry allows the folder of that name with all below it, and the page of that name. */
function isWritable(writable: PagesBackend['writable'], path: NotePath): boolean {
  if (writable === undefined) return true;
  return writable.some((entry) => {
    const folder = entry.replace(/^\/+|\/+$/g, '');
    return folder === '' || path.startsWith(`${folder}/`) || pageNameOf(path) === pageNameOf(folder);
  });
}

/** For names about to be made: SilverBullet must be able to open them. */
export function assertNewName(path: NotePath): void {
  const name = pageNameOf(path);
  const problem = pageNameProblem(name);
  if (problem === undefined) return;
  const suggestion = suggestPageName(name);
  throw invalidPage(
    name,
    `SilverBullet could not open a page whose name ${problem}`,
    suggestion === undefined ? undefined : `Use another name, for example "${suggestion}".`,
  );
}

export function assertSize(path: NotePath, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAGE_BYTES) throw tooLarge(path, bytes, MAX_PAGE_BYTES);
}

/** Out of the trash is a way back; into it is what delete_page does. */
export function assertMovable(backend: Pick<PagesBackend, 'writable'>, from: NotePath, to: NotePath): void {
  if (!isTrashed(from)) assertWritable(backend, from);
  assertWritable(backend, to, 'a move into _trash/ is not allowed; delete_page puts pages there');
  assertNewName(to);
}

/**
 * `Plan.conflicted:1794710171000.md`: when a page was changed in a browser and on the server at once, the browser's
 * text wins and SilverBullet keeps the other one, which may be what a tool wrote, beside it under such a name.
 */

/** The page it is a copy of; undefined for an ordinary page. */
export function conflictCopyOf(path: string): string | undefined {
  return /^(.+)\.conflicted[.:]\d+$/.exec(pageNameOf(path))?.[1];
}

/**
 * A time of change for people: whole seconds, and never the very number that read_page gives out as a page's
 * version, also where a disk keeps whole seconds only.
 */
export function blurredTime(lastModified: number): number {
  const second = Math.floor(lastModified / 1000) * 1000;
  return second === lastModified ? second - 1000 : second;
}
