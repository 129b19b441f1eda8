/** Write access to pages: writable folders, valid names, size limits. */

import { isTrashed } from '../../notes/ops/trash.ts';
import {
  invalidPage,
  pageNameOf,
  pageNameProblem,
  parsePagePath,
  suggestPageName,
} from '../../notes/page-path.ts';
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

/** An entry of `writable` allows the page of that name and the folder of that name with everything below it. */
export function isWritable(writable: PagesBackend['writable'], path: NotePath): boolean {
  if (writable === undefined) return true;
  return writable.some((entry) => {
    const folder = entry.replace(/^\/+|\/+$/g, '');
    return folder === '' || path.startsWith(`${folder}/`) || pageNameOf(path) === pageNameOf(folder);
  });
}

/** Names of new pages must be ones that SilverBullet's editor can open. */
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

export function assertSize(path: NotePath, content: string | Uint8Array): void {
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_PAGE_BYTES) throw tooLarge(path, bytes, MAX_PAGE_BYTES);
}

/** Moves out of the trash restore a page; moves into it are reserved for delete_page. */
export function parseMove(backend: Pick<PagesBackend, 'writable'>, from: NotePath, rawTo: string): NotePath {
  const to = parsePagePath(rawTo);
  if (from === to) throw invalidPage(rawTo, 'source and destination are identical');
  if (!isTrashed(from)) assertWritable(backend, from);
  assertWritable(backend, to, 'a move into _trash/ is not allowed; delete_page puts pages there');
  assertNewName(to);
  return to;
}

/**
 * The page that `path` is a conflict copy of; undefined for an ordinary page. When a page changed in a browser and on the
 * server at once, SilverBullet keeps the browser's text and saves the other one, which a tool may have written, as
 * `Plan.conflicted:1794710171000.md`.
 */
export function conflictCopyOf(path: string): string | undefined {
  return /^(.+)\.conflicted[.:]\d+$/.exec(pageNameOf(path))?.[1];
}

/**
 * A modification time for display, in whole seconds. It always differs from the number that read_page hands out as
 * the page's version, even on disks that keep whole seconds only.
 */
export function blurredTime(lastModified: number): number {
  const second = Math.floor(lastModified / 1000) * 1000;
  return second === lastModified ? second - 1000 : second;
}
